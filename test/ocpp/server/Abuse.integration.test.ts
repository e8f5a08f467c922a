/** Chargers that send too much, too slowly or nonsense: they are disconnected, memory stays flat, and others are not affected (T10–T12). */
import { connect as connectTcp } from "node:net"
import { describe, expect, it } from "vitest"
import { connect, connectionsTo, raw, settle, until, upgradeRequest } from "./client.ts"
import { HandClock, startServer } from "./harness.ts"

const MiB = 1024 * 1024

/** A websocket client with handwritten frames. */
const rawCharger = async (port: number, path: string) => {
  const socket = connectTcp(port, "127.0.0.1", () => socket.write(upgradeRequest(path)))
  let received = Buffer.alloc(0)
  socket.on("error", () => {})
  socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])))
  await until(() => received.includes("\r\n\r\n"), "the upgrade")
  received = received.subarray(received.indexOf("\r\n\r\n") + 4)
  return { socket, received: () => received }
}

/** A masked frame (mask 0): `first` is its first byte, `length` the length in its header. */
const frame = (first: number, payload: Buffer, length = payload.length): Buffer => {
  const mask = Buffer.alloc(4)
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, payload])
  const header = Buffer.alloc(10)
  header[0] = first
  header[1] = 0xff
  header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, mask, payload])
}

/** The close code in the last frame that such a charger received. */
const closeCode = (received: Buffer): number | undefined => {
  const at = received.lastIndexOf(0x88)
  return at >= 0 && received.length >= at + 4 ? received.readUInt16BE(at + 2) : undefined
}

describe("a message", () => {
  it("of a mebibyte is accepted", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const empty = JSON.stringify([2, "1", "DataTransfer", { vendorId: "V", data: "" }])
    const call = [2, "1", "DataTransfer", { vendorId: "V", data: "x".repeat(MiB - empty.length) }]
    expect(JSON.stringify(call)).toHaveLength(MiB)
    client.send(call)
    expect(await client.next()).toMatchObject([3, "1", { status: "Accepted" }])
  })

  it.each([
    ["a mebibyte and one byte", (client: { send: (text: string) => void }) => client.send("x".repeat(MiB + 1))],
    ["ten mebibytes", (client: { send: (text: string) => void }) => client.send("x".repeat(10 * MiB))]
  ])("of %s closes the connection with 1009, and no other", async (_name, send) => {
    const server = await startServer({ chargers: { CP1: {}, CP2: {} } })
    const other = await connect(server.port, "CP2")
    const client = await connect(server.port, "CP1")
    send(client)
    expect(await client.closed).toMatchObject({ code: 1009 })
    await until(() => server.inbox.of("CP1").closedBecause.length === 1, "the end")
    expect(server.metric("ocpp_closed_connections_total", { reason: "too-big" })).toBe(1)
    expect(await other.call("Heartbeat")).toMatchObject([3, "1", {}])
  })

  it("that only announces a huge length is refused without waiting", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const charger = await rawCharger(server.port, "/ocpp/CP1")
    charger.socket.write(frame(0x81, Buffer.alloc(0), 2 ** 40))
    await until(() => closeCode(charger.received()) !== undefined, "the close")
    expect(closeCode(charger.received())).toBe(1009)
    charger.socket.destroy()
  })

  it("in fragments is received as one message", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const charger = await rawCharger(server.port, "/ocpp/CP1")
    const text = Buffer.from('[2,"1","Heartbeat",{}]')
    charger.socket.write(frame(0x01, text.subarray(0, 1)))
    for (const byte of text.subarray(1, -1)) charger.socket.write(frame(0x00, Buffer.from([byte])))
    charger.socket.write(frame(0x80, text.subarray(-1)))
    await until(() => charger.received().includes("currentTime"), "the answer")
    expect(server.inbox.of("CP1").delivered[0]?.envelope.raw).toBe(text.toString())
    charger.socket.destroy()
  })

  it("in endless empty fragments closes the connection with 1008, and memory stays flat with a hundred of them", async () => {
    const ids = Array.from({ length: 100 }, (_, i) => `CP${i}`)
    const server = await startServer({ chargers: Object.fromEntries([...ids, "GOOD"].map((id) => [id, {}])) })
    const good = await connect(server.port, "GOOD")
    const before = process.memoryUsage().rss
    const flood = Buffer.concat([
      frame(0x01, Buffer.alloc(0)),
      ...Array.from({ length: 5_000 }, () => frame(0x00, Buffer.alloc(0)))
    ])
    const chargers = await Promise.all(ids.map((id) => rawCharger(server.port, `/ocpp/${id}`)))
    for (const { socket } of chargers) socket.write(flood)
    expect(await good.call("Heartbeat")).toMatchObject([3, "1", {}])
    await until(() => chargers.every(({ received }) => closeCode(received()) === 1008), "a hundred closes")
    expect(server.metric("ocpp_closed_connections_total", { reason: "fragments" })).toBe(100)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MiB)
    for (const { socket } of chargers) socket.destroy()
  })

  it("of a hundred thousand brackets is answered if it has an id, and the connection is kept", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    client.send(deep)
    client.send(`[2,"1","Heartbeat",${deep}]`)
    client.send(`[3,"2",${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}]`)
    expect(await client.next()).toMatchObject([4, "1", "FormationViolation", expect.any(String), {}])
    expect(await client.call("Heartbeat", {}, "3")).toMatchObject([3, "3", {}])
  })

  it("that is never completed is waited for only a limited time", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: { slowFrameMillis: 120_000 } })
    const charger = await rawCharger(server.port, "/ocpp/CP1")
    charger.socket.write(frame(0x81, Buffer.from('[2,"1","Heartbeat",{}]')))
    // It answers pings, so that silence would count against it.
    charger.socket.write(frame(0x8a, Buffer.alloc(0)))
    await until(() => charger.received().includes("currentTime"), "the answer")
    clock.advance(10_000)
    charger.socket.write(frame(0x81, Buffer.alloc(0), 1000))
    const dripFor = async (millis: number): Promise<void> => {
      for (let passed = 0; passed < millis; passed += 5_000) {
        charger.socket.write("x")
        await new Promise((resolve) => setTimeout(resolve, 10))
        clock.advance(5_000)
      }
    }
    await dripFor(110_000)
    expect(server.inbox.of("CP1").closedBecause).toEqual([])
    await dripFor(30_000)
    await until(() => server.inbox.of("CP1").closedBecause.length === 1, "the end")
    expect(server.metric("ocpp_closed_connections_total", { reason: "slow-frame" })).toBe(1)
  })
})

describe("compression", () => {
  const deflating = { perMessageDeflate: { threshold: 0 } }

  it("is not agreed unless it is enabled", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1", deflating)
    expect(client.ws.extensions).toBe("")
    expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
  })

  it("is supported without context takeover", async () => {
    const server = await startServer({ chargers: { CP1: {} }, compression: true })
    const client = await connect(server.port, "CP1", deflating)
    expect(client.ws.extensions).toBe("permessage-deflate")
    const headers = { "Sec-WebSocket-Extensions": "permessage-deflate" }
    const answer = await raw(server.port, upgradeRequest("/ocpp/CP1", headers))
    expect(answer).toContain("permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n")
    for (const id of ["1", "2"]) expect(await client.call("Heartbeat", {}, id)).toMatchObject([3, id, {}])
  })

  it("does not bypass the limit of a mebibyte", async () => {
    const server = await startServer({ chargers: { CP1: {} }, compression: true })
    const client = await connect(server.port, "CP1", deflating)
    client.send("x".repeat(100 * MiB))
    expect(await client.closed).toMatchObject({ code: 1009 })
  })

  it("that was not agreed closes the connection with 1002", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const charger = await rawCharger(server.port, "/ocpp/CP1")
    charger.socket.write(frame(0xc1, Buffer.from([1, 2, 3])))
    await until(() => closeCode(charger.received()) !== undefined, "the close")
    expect(closeCode(charger.received())).toBe(1002)
    expect(server.metric("ocpp_closed_connections_total", { reason: "protocol" })).toBe(1)
    charger.socket.destroy()
  })
})

describe("frames that are not messages", () => {
  it("are tolerated twenty times a minute, and close the connection with 1008 after that", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    const client = await connect(server.port, "CP1")
    for (let minute = 0; minute < 3; minute++) {
      for (let i = 0; i < 20; i++) client.send(i % 2 === 0 ? "hello" : Buffer.from([1, 2, 3]))
      expect(await client.call("Heartbeat", {}, String(minute))).toMatchObject([3, String(minute), {}])
      clock.advance(60_000)
    }
    for (let i = 0; i < 21; i++) client.send("[2]")
    expect(await client.closed).toMatchObject({ code: 1008 })
    expect(server.metric("ocpp_closed_connections_total", { reason: "abuse" })).toBe(1)
  })

  it("do not include empty frames, unknown message types, unknown actions or late results", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { frameBurst: 1e6 } })
    const client = await connect(server.port, "CP1")
    for (let i = 0; i < 50; i++) for (const text of ["", " ", "[6,1,2,3]", '[3,"late",{}]']) client.send(text)
    for (let i = 0; i < 50; i++)
      expect(await client.call("MakeCoffee", {}, String(i))).toMatchObject([
        4,
        String(i),
        "NotImplemented",
        expect.any(String),
        {}
      ])
  })

  it("do not include unreadable transaction messages, which are stored and answered", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { frameBurst: 1e6 } })
    server.inbox.prepare = (mailbox) => (mailbox.reply = () => ({ _tag: "Acknowledged" }))
    const client = await connect(server.port, "CP1")
    for (let i = 0; i < 50; i++) {
      const text = `[2,"${i}","MeterValues",{"connectorId":1,"transactionId":,"meterValue":[]}]`
      client.send(text)
      expect(await client.next()).toEqual([3, String(i), {}])
      expect(server.inbox.of("CP1").delivered.at(-1)).toMatchObject({
        event: { _tag: "UnreadableTransactionMessage", action: "MeterValues", problem: "the frame is not JSON" },
        envelope: { raw: text }
      })
    }
  })
})

describe("a charger that does not read", () => {
  const big = { _tag: "GetConfiguration", keys: Array.from({ length: 1000 }, () => "k".repeat(100)) } as const

  it("is disconnected when a mebibyte is waiting for it; others are not", async () => {
    const server = await startServer({ chargers: { CP1: {}, CP2: {} } })
    const client = await connect(server.port, "CP1")
    const other = await connect(server.port, "CP2")
    client.ws.pause()
    const mailbox = server.inbox.of("CP1")
    for (let i = 0; i < 500 && mailbox.closedBecause.length === 0; i++) {
      mailbox.line.call(String(i), big)
      await new Promise(setImmediate)
    }
    expect(mailbox.closedBecause).toEqual(["does not read what it is sent"])
    expect(server.metric("ocpp_closed_connections_total", { reason: "outbound" })).toBe(1)
    expect(await other.call("Heartbeat")).toMatchObject([3, "1", {}])
  })

  it("is disconnected when less than that has been waiting for a while", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: { maxOutboundBytes: 64 * MiB } })
    const client = await connect(server.port, "CP1")
    await client.call("Heartbeat")
    client.ws.pause()
    const mailbox = server.inbox.of("CP1")
    for (let i = 0; i < 200; i++) mailbox.line.call(String(i), big)
    await settle()
    clock.advance(10_000)
    expect(mailbox.closedBecause).toEqual([])
    clock.advance(15_000)
    await until(() => mailbox.closedBecause.length === 1, "the end")
    expect(server.metric("ocpp_closed_connections_total", { reason: "stalled" })).toBe(1)
  })
})

describe("a charger whose mailbox is full", () => {
  it("is disconnected when more arrives than may be in transit", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { frameBurst: 1e6, maxBacklogBytes: 1_000 } })
    server.inbox.prepare = (mailbox) => {
      mailbox.reply = () => {
        mailbox.line.pause()
        return undefined
      }
    }
    const charger = await rawCharger(server.port, "/ocpp/CP1")
    const call = frame(0x81, Buffer.from('[2,"1","Heartbeat",{}]'))
    charger.socket.write(Buffer.concat(Array.from({ length: 100 }, () => call)))
    await until(() => closeCode(charger.received()) === 1008, "the close")
    expect(server.inbox.of("CP1").delivered).toHaveLength(1)
    expect(server.metric("ocpp_closed_connections_total", { reason: "backlog" })).toBe(1)
    charger.socket.destroy()
  })
})

describe("an upgrade flood", () => {
  it("of incomplete requests does not prevent a charger from connecting", { timeout: 30_000 }, async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { maxUnfinishedSockets: 200 } })
    const connected = connectionsTo(server, 600)
    const sockets = Array.from({ length: 600 }, () => {
      const socket = connectTcp(server.port, "127.0.0.1", () => socket.write("GET /ocpp/CP1 HTTP/1.1\r\nHost:"))
      socket.on("error", () => {})
      return socket
    })
    await connected
    const client = await connect(server.port, "CP1")
    expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
    for (const socket of sockets) socket.destroy()
  })
})
