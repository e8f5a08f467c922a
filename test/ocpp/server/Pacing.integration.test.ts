/**
 * What one charger may take from the others by the size of its messages: it is read more slowly, and never loses one; others are answered in the
 * meantime.
 */
import { describe, expect, it } from "vitest"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { type Client, connect, settle, until, socketOf } from "./client.ts"
import { contentReply, HandClock, startServer } from "./harness.ts"

const MiB = 1024 * 1024

const samples = ["Energy.Active.Import.Register", "Power.Active.Import", "Current.Import", "Voltage"].map(
  (measurand, n) => ({ value: String(1000 + n), context: "Sample.Clock", measurand })
)

/** As many readings of four samples as fit in `bytes`. */
const readings = (bytes: number) => {
  const size = JSON.stringify({ timestamp: new Date(0).toISOString(), sampledValue: samples }).length + 1
  return Array.from({ length: Math.floor(bytes / size) }, (_, n) => ({
    timestamp: new Date(Date.UTC(2026, 3, 30) + n * 1000).toISOString(),
    sampledValue: samples
  }))
}

/** Sizes are a tenth of the real ones, to save time. */
const tenth = { bytesBurst: 200_000, bytesPerSecond: 3_200, largeBytesPerSecond: 1e9 }
const long = { connectorId: 1, meterValue: readings(100_000) }

const large = readings(MiB - 500)
const meterValues = { connectorId: 1, meterValue: large }
const stop = { transactionId: 4711, meterStop: 9, timestamp: "2026-05-01T12:00:00Z", transactionData: large }

describe("a StopTransaction above the limit of other messages", () => {
  const limits = { maxFrameBytes: 20_000, maxStopBytes: 80_000 }
  const readings = (bytes: number) =>
    Array.from({ length: bytes / 100 }, (_, n) => ({ timestamp: `t${n}`, sampledValue: [{ value: "x".repeat(60) }] }))
  const long = (bytes: number) => ({ ...stop, transactionData: readings(bytes) })
  const big = (action: string, bytes: number) => JSON.stringify([2, "1", action, long(bytes)])
  const ends = (server: Awaited<ReturnType<typeof startServer>>, chargerId = "CP1") =>
    server.inbox.of(chargerId).delivered.map(({ event }) => event)

  it("is taken with its first and last readings, which is noted", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits })
    const client = await connect(server.port, "CP1")
    expect(await client.call("StopTransaction", long(60_000))).toMatchObject([3, "1", {}])
    const [note, ended] = ends(server)
    expect(note).toMatchObject({ _tag: "FrameFaultFound", fault: "FrameTooLarge" })
    expect(ended).toMatchObject({ _tag: "TransactionEnded", transactionId: 4711, meterStopWh: 9 })
    const count = ended?._tag === "TransactionEnded" ? ended.readings.length : 0
    expect(count).toBeGreaterThan(100)
    expect(count).toBeLessThan(200)
    // Its place is free again.
    expect(await client.call("StopTransaction", long(60_000), "2")).toMatchObject([3, "2", {}])
  })

  it("is refused beyond its own limit, as other messages and unshortenable ones are beyond theirs", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits })
    const unshortenable = JSON.stringify([2, "1", "StopTransaction", { idTag: "x".repeat(30_000) }])
    for (const text of [big("StopTransaction", 90_000), big("MeterValues", 60_000), unshortenable]) {
      const client = await connect(server.port, "CP1")
      client.send(text)
      expect(await client.closed).toMatchObject({ code: 1009 })
      expect(ends(server)).toMatchObject([{ _tag: "FrameFaultFound", fault: "FrameTooLarge" }])
    }
    expect(server.metric("ocpp_closed_connections_total", { reason: "too-big" })).toBe(3)
  })

  it("is not larger than other messages if the charger compresses", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits, compression: true })
    const client = await connect(server.port, "CP1", { perMessageDeflate: { threshold: 0 } })
    client.send(big("StopTransaction", 60_000))
    expect(await client.closed).toMatchObject({ code: 1009 })
  })

  it("takes one of a few places while it arrives, half of which are for chargers with credentials", async () => {
    const clock = new HandClock()
    const chargers = { CP1: {}, CP2: {}, CP3: { profile: 1, password: "a long password" } } as const
    const server = await startServer({ chargers, clock, limits: { ...limits, maxLongMessages: 2 } })
    const open = async (chargerId: string, password?: string) => {
      const client = await connect(server.port, chargerId, password === undefined ? {} : { password })
      client.ws.send(big("StopTransaction", 60_000).slice(0, 30_000), { fin: false })
      await settle()
      clock.advance(1_000)
      return client
    }
    const first = await open("CP1")
    const second = await open("CP2")
    expect(await second.closed).toMatchObject({ code: 1013 })
    const third = await open("CP3", "a long password")
    third.ws.send(big("StopTransaction", 60_000).slice(30_000), { fin: true })
    expect(await third.next()).toMatchObject([3, "1", {}])
    first.ws.terminate()
    await until(() => server.inbox.of("CP1").closedBecause.length === 1, "its end")
    const again = await connect(server.port, "CP2")
    expect(await again.call("StopTransaction", long(60_000))).toMatchObject([3, "1", {}])
  })
})

describe("a charger that sends the largest messages one after the other", () => {
  it("is limited to its share of bytes, loses none, and does not delay others", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {}, CP2: {} }, clock, limits: tenth })
    const client = await connect(server.port, "CP1")
    const other = await connect(server.port, "CP2")
    for (let n = 0; n < 5; n++) client.send([2, String(n), "MeterValues", long])
    const mailbox = server.inbox.of("CP1")
    for (let n = 0; n < 20; n++) expect(await other.call("Heartbeat", {}, String(n))).toMatchObject([3, String(n), {}])
    await until(() => server.metric("ocpp_throttled_total", { reason: "bytes" }) === 1, "the end of what it may send")
    for (const taken of [3, 4]) {
      clock.advance(10_000)
      await settle()
      expect(mailbox.delivered).toHaveLength(taken)
      clock.advance(30_000)
      await until(() => mailbox.delivered.length === taken + 1, "the next")
    }
    expect(mailbox.delivered.map(({ envelope }) => envelope.messageId)).toEqual(["0", "1", "2", "3", "4"])
    expect(server.metric("ocpp_large_frames_total")).toBe(5)
    expect(server.metric("ocpp_closed_connections_total")).toBe(0)
  })

  it("gets no larger share by reconnecting", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: tenth })
    for (let n = 0; n < 3; n++) {
      const client = await connect(server.port, "CP1")
      client.send([2, "1", "MeterValues", long])
      await until(() => server.inbox.of("CP1").delivered.length === 1, "its message")
      client.ws.terminate()
      await until(() => server.inbox.of("CP1").closedBecause.length === 1, "its end")
    }
    const again = await connect(server.port, "CP1")
    again.send([2, "1", "MeterValues", long])
    await settle()
    expect(server.inbox.mailboxes).toHaveLength(4)
    expect(server.inbox.of("CP1").delivered).toHaveLength(0)
    clock.advance(60_000)
    await until(() => server.inbox.of("CP1").delivered.length === 1, "its message after the rest")
  })

  it("has its StopTransaction received whole and answered, however much it sent before", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    const client = await connect(server.port, "CP1")
    for (let n = 0; n < 3; n++) await client.call("MeterValues", meterValues, String(n))
    client.send([2, "stop", "StopTransaction", stop])
    await settle()
    expect(client.received).toEqual([])
    clock.advance(60_000)
    expect(await client.next()).toMatchObject([3, "stop", {}])
    const { event } = server.inbox.of("CP1").delivered.at(-1)!
    expect(event).toMatchObject({ _tag: "TransactionEnded", transactionId: 4711 })
    expect("readings" in event && event.readings).toHaveLength(large.length)
  })

  it("keeps the order of its messages, small ones after large ones", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.prepare = (mailbox) => (mailbox.reply = () => undefined)
    const client = await connect(server.port, "CP1")
    client.send([2, "1", "MeterValues", meterValues])
    for (const id of ["2", "3"]) client.send([2, id, "Heartbeat", {}])
    client.send([2, "4", "StopTransaction", { ...stop, transactionData: readings(100_000) }])
    client.send([2, "5", "Heartbeat", {}])
    const { delivered } = server.inbox.of("CP1")
    await until(() => delivered.length === 5, "all of them")
    expect(delivered.map(({ envelope }) => envelope.messageId)).toEqual(["1", "2", "3", "4", "5"])
  })
})

describe("a charger whose messages take long to process", () => {
  it("is limited to its share of the time, and loses none", async () => {
    const clock = new HandClock()
    const server = await startServer({
      chargers: { CP1: {} },
      clock,
      limits: { workBurstMillis: 50, workMillisPerSecond: 50 },
      protocols: [
        {
          ...v16,
          decodeCall: (action, payload) => {
            clock.work(20)
            return v16.decodeCall(action, payload)
          }
        }
      ]
    })
    const client = await connect(server.port, "CP1")
    for (let n = 0; n < 8; n++) client.send([2, String(n), "Heartbeat", {}])
    const mailbox = server.inbox.of("CP1")
    const comes = async (count: number) => {
      await until(() => mailbox.delivered.length >= count, `message ${count}`)
      await settle()
      expect(mailbox.delivered).toHaveLength(count)
    }
    // The third overdraws the burst of 50 ms by 10.
    await comes(3)
    expect(server.metric("ocpp_throttled_total", { reason: "time" })).toBe(1)
    // A second brings 50 ms: 40 are two more, 50 then three, and the eighth is the last.
    for (const count of [5, 8]) {
      clock.advance(1_000)
      await comes(count)
    }
    expect(mailbox.delivered.map(({ envelope }) => envelope.messageId)).toEqual(
      Array.from({ length: 8 }, (_, n) => `${n}`)
    )
  })
})

describe("a message of mere brackets and commas", () => {
  const hollow = (n: number, of: string) => Array.from({ length: n }, () => of).join(",")

  it("is refused before it is parsed", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.send(`[2,"1","DataTransfer",{"vendorId":"V","data":[${hollow(340_000, "{}")}]}]`)
    expect(await client.next()).toMatchObject([
      4,
      "1",
      "FormationViolation",
      "the frame has more than 131072 values",
      {}
    ])
    expect(server.inbox.of("CP1").delivered).toEqual([])
  })

  it("is stored unparsed if it may be about a transaction", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.prepare = (mailbox) => (mailbox.reply = (event) => ({ ...contentReply(event), _tag: "Acknowledged" }))
    const client = await connect(server.port, "CP1")
    const text = `[2,"1","StopTransaction",{"transactionId":4711,"transactionData":[${hollow(340_000, "[]")}]}]`
    client.send(text)
    expect(await client.next()).toEqual([3, "1", {}])
    expect(server.inbox.of("CP1").delivered[0]).toMatchObject({
      event: { _tag: "UnreadableTransactionMessage", action: "StopTransaction" },
      envelope: { raw: text }
    })
  })
})

/** A masked frame without content (RFC 6455 §5.2). */
const empty = (first: number): Buffer => Buffer.from([first, 0x80, 0, 0, 0, 0])

/** Writes the frames until no more of them is taken, or all were sent; returns whether reading stopped. */
const flood = async (client: Client, frames: Buffer): Promise<boolean> => {
  const socket = socketOf(client)
  for (let n = 0; n < 400; n++) {
    if (socket.write(frames)) continue
    const isTaken = await Promise.race([
      new Promise<boolean>((resolve) => socket.once("drain", () => resolve(true))),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 500))
    ])
    if (!isTaken) return true
  }
  return false
}

describe("a charger that sends what carries no message", () => {
  const limits = { frameBurst: 20, framesPerSecond: 10, bytesBurst: 200_000, bytesPerSecond: 3_200 }
  const block = (frame: Buffer) => Buffer.concat(Array.from({ length: 20_000 }, () => frame))

  it.each([
    ["pongs that the service did not ask for", block(empty(0x8a))],
    ["pings", block(empty(0x89))]
  ])("is not read beyond its rate: %s", async (_, frames) => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {}, CP2: {} }, clock, limits })
    const client = await connect(server.port, "CP1")
    const other = await connect(server.port, "CP2")
    expect(await flood(client, frames)).toBe(true)
    expect(server.metric("ocpp_throttled_total", { reason: "frames" })).toBe(1)
    expect(await other.call("Heartbeat", {}, "1")).toMatchObject([3, "1", {}])
    expect(server.metric("ocpp_closed_connections_total")).toBe(0)
  })

  it("is not read beyond its bytes: messages in a thousand fragments, nearly all of them empty", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: { ...limits, frameBurst: 1e9 } })
    const client = await connect(server.port, "CP1")
    const text = Buffer.from('[2,"1","Heartbeat",{}]')
    const begin = Buffer.concat([Buffer.from([0x01, 0x80 | text.length, 0, 0, 0, 0]), text])
    const message = Buffer.concat([begin, ...Array.from({ length: 1_000 }, () => empty(0x00)), empty(0x80)])
    expect(await flood(client, Buffer.concat(Array.from({ length: 20 }, () => message)))).toBe(true)
    expect(server.metric("ocpp_throttled_total", { reason: "bytes" })).toBe(1)
    expect(server.inbox.of("CP1").delivered.length).toBeLessThan(100)
  })

  it("may answer all our pings", async () => {
    const clock = new HandClock()
    const few = { ...limits, frameBurst: 5, framesPerSecond: 0.001 }
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: few })
    const client = await connect(server.port, "CP1")
    let pings = 0
    client.ws.on("ping", () => pings++)
    for (let n = 1; n <= 10; n++) {
      clock.advance(35_000)
      await until(() => pings >= n, "our ping")
      await settle()
    }
    expect(server.metric("ocpp_throttled_total")).toBe(0)
    expect(server.metric("ocpp_closed_connections_total")).toBe(0)
  })
})
