/** What happens to frames between a charger's socket and its mailbox. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ProtocolVersion } from "../../../src/ocpp/ProtocolVersion.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { connect, settle, until, socketOf } from "./client.ts"
import { contentReply, HandClock, startServer, type TestMailbox } from "./harness.ts"

const boot = { chargePointVendor: "Vendor", chargePointModel: "Model" }
const configuration = { _tag: "GetConfiguration", keys: [] } as const

describe("a CALL", () => {
  it("is delivered as an event with its raw frame, and answered with its own id", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    expect(await client.call("BootNotification", boot, "b-1")).toEqual([
      3,
      "b-1",
      { status: "Accepted", currentTime: "2026-05-01T12:00:00.000Z", interval: 300 }
    ])
    expect(server.inbox.of("CP1").delivered[0]).toMatchObject({
      event: { _tag: "Booted", vendor: "Vendor", model: "Model" },
      envelope: { messageId: "b-1", raw: JSON.stringify([2, "b-1", "BootNotification", boot]) }
    })
    expect(server.metric("ocpp_messages_total", { direction: "in", kind: "CALL" })).toBe(1)
    expect(server.metric("ocpp_messages_total", { direction: "out", kind: "CALLRESULT" })).toBe(1)
    expect(server.metric("ocpp_call_duration_seconds", { action: "BootNotification", result: "CALLRESULT" })).toBe(1)
  })

  it("is answered when its actor answers, in any order", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.prepare = (mailbox) => (mailbox.reply = () => undefined)
    const client = await connect(server.port, "CP1")
    client.send([2, "1", "Heartbeat", {}])
    client.send([2, "2", "Authorize", { idTag: "ANNA" }])
    await until(() => server.inbox.of("CP1").delivered.length === 2, "both")
    for (const { event, respond } of server.inbox.of("CP1").delivered.toReversed()) respond(contentReply(event), 0)
    expect(await client.next()).toEqual([3, "2", { idTagInfo: { status: "Accepted" } }])
    expect(await client.next()).toEqual([3, "1", { currentTime: "1970-01-01T00:00:00.000Z" }])
  })

  it("with an unknown action is refused at once and not delivered", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    expect(await client.call("MakeCoffee")).toMatchObject([4, "1", "NotImplemented", expect.any(String), {}])
    expect(server.inbox.of("CP1").delivered).toEqual([])
  })

  it("that the actor refuses is answered with a CALLERROR", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.prepare = (mailbox) =>
      (mailbox.reply = () => ({ _tag: "Refused", reason: "InternalError", description: "try later" }))
    const client = await connect(server.port, "CP1")
    expect(await client.call("Heartbeat")).toEqual([4, "1", "InternalError", "try later", {}])
    expect(server.metric("ocpp_call_duration_seconds", { action: "Heartbeat", result: "CALLERROR" })).toBe(1)
  })

  it("keeps a numeric id a number", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.send('[2,17,"Heartbeat",null]')
    expect(await client.next()).toMatchObject([3, 17, {}])
  })

  it("that contains Latin-1 is accepted", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.ws.send(
      Buffer.from(JSON.stringify([2, "1", "BootNotification", { ...boot, chargePointVendor: "Säule" }]), "latin1"),
      { binary: false }
    )
    expect(await client.next()).toMatchObject([3, "1", { status: "Accepted" }])
    expect(server.inbox.of("CP1").delivered[0]?.event).toMatchObject({ vendor: "S\ufffdule" })
  })

  it("that causes an unexpected exception is answered InternalError, and the next one as usual", async () => {
    const fragile: ProtocolVersion = {
      ...v16,
      decodeCall: (action, payload) => {
        if (action === "Authorize") throw new Error("boom")
        return v16.decodeCall(action, payload)
      },
      encodeReply: (action, reply, now) => {
        if (action === "BootNotification") throw new Error("boom")
        return v16.encodeReply(action, reply, now)
      }
    }
    const server = await startServer({ chargers: { CP1: {} }, protocols: [fragile] })
    const client = await connect(server.port, "CP1")
    expect(await client.call("Authorize", { idTag: "ANNA" }, "1")).toMatchObject([
      4,
      "1",
      "InternalError",
      expect.any(String),
      {}
    ])
    expect(await client.call("BootNotification", boot, "2")).toMatchObject([
      4,
      "2",
      "InternalError",
      expect.any(String),
      {}
    ])
    expect(await client.call("Heartbeat", {}, "3")).toMatchObject([3, "3", {}])
    expect(server.logs.filter((line) => line.includes("defect"))).toHaveLength(2)
  })

  it("whose mailbox throws closes this connection and no other", async () => {
    const server = await startServer({ chargers: { CP1: {}, CP2: {} } })
    server.inbox.prepare = (mailbox) => {
      if (mailbox.opening.chargerId === "CP1") {
        mailbox.reply = () => {
          throw new Error("boom")
        }
      }
    }
    const client = await connect(server.port, "CP1")
    const other = await connect(server.port, "CP2")
    client.send([2, "1", "Heartbeat", {}])
    expect(await client.closed).toMatchObject({ code: 1011 })
    await until(() => server.inbox.of("CP1").closedBecause.length === 1, "the end")
    expect(await other.call("Heartbeat")).toMatchObject([3, "1", {}])
  })
})

describe("a command of ours", () => {
  it("is sent as a CALL, and its result is returned decoded", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    mailbox.call("m-1", { _tag: "TriggerMessage", requestedMessage: "BootNotification" })
    expect(await client.next()).toEqual([2, "m-1", "TriggerMessage", { requestedMessage: "BootNotification" }])
    client.send([3, "m-1", { status: "Accepted" }])
    await until(() => mailbox.results.length === 1, "the result")
    expect(mailbox.results).toEqual([
      { _tag: "Answered", status: "Accepted", answer: { status: "Accepted" }, content: undefined }
    ])
  })

  it("may end with a CALLERROR or an unreadable answer", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    mailbox.call("m-1", configuration)
    mailbox.call("m-2", configuration)
    client.send([4, "m-1", "NotSupported", "no", {}])
    client.send([3, "m-2", "what?"])
    await until(() => mailbox.results.length === 2, "the results")
    expect(mailbox.results).toMatchObject([
      { _tag: "CallError", code: "NotSupported", description: "no" },
      { _tag: "Unreadable" }
    ])
  })

  it(
    "is resolved only by its own result: a hundred thousand guesses change nothing (T07)",
    { timeout: 120_000 },
    async () => {
      const unthrottled = { frameBurst: 1e9, framesPerSecond: 1e9, bytesBurst: 1e9, workBurstMillis: 1e9 }
      const server = await startServer({ chargers: { CP1: {} }, limits: unthrottled })
      const append = server.frames
      const client = await connect(server.port, "CP1")
      const mailbox = server.inbox.of("CP1")
      mailbox.call("7f9c2ba4-e88f-4b1c-9a6d-2f7c9f1c6b5e", configuration)
      await client.next()
      const guess = (from: number, to: number): Promise<void> => {
        for (let i = from; i < to; i++)
          client.send(i % 2 === 0 ? [3, `guess-${i}`, { status: "Accepted" }] : [4, String(i), "GenericError", "", {}])
        return until(() => mailbox.unmatched === to, `${to} guesses`).then(() => void (append.length = 0))
      }
      for (let i = 0; i < 20_000; i += 5_000) await guess(i, i + 5_000)
      globalThis.gc?.()
      const before = process.memoryUsage().heapUsed
      for (let i = 20_000; i < 100_000; i += 5_000) await guess(i, i + 5_000)
      globalThis.gc?.()
      const grown = process.memoryUsage().heapUsed - before
      expect(mailbox.results).toEqual([])
      expect(server.metric("ocpp_dropped_frames_total", { reason: "unmatched" })).toBe(100_000)
      // The young generation may hold this much if gc() is not exposed.
      expect(grown).toBeLessThan(64 * 1024 * 1024)
      client.send([3, "7f9c2ba4-e88f-4b1c-9a6d-2f7c9f1c6b5e", { configurationKey: [] }])
      await until(() => mailbox.results.length === 1, "the true result")
    }
  )
})

/** The faults that were noted of a connection. */
const faults = (mailbox: TestMailbox): ReadonlyArray<readonly [string, string]> =>
  mailbox.delivered.flatMap(({ event }) =>
    event._tag === "FrameFaultFound" ? [[event.fault, event.detail] as const] : []
  )

describe("a fault of a frame", () => {
  it("costs a message only its control characters, and is noted once", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.send(
      '[2,"b1","BootNotification",{"chargePointVendor":"Wallbe\0","chargePointModel":"Pro","meterSerialNumber":"\0\0\0\0"}]'
    )
    expect(await client.next()).toMatchObject([3, "b1", { status: "Accepted" }])
    client.send(
      '[2,"s1","StopTransaction",{"transactionId":7,"idTag":"CARD\x10\x0e","timestamp":"2026-05-01T12:00:00Z","meterStop":1388}]'
    )
    expect(await client.next()).toMatchObject([3, "s1", {}])
    client.send('\ufeff[2,"h1","Heartbeat",{}]')
    expect(await client.next()).toMatchObject([3, "h1", {}])
    client.send('[2,"h2","Heartbeat",{}]\0')
    expect(await client.next()).toMatchObject([3, "h2", {}])
    const mailbox = server.inbox.of("CP1")
    expect(mailbox.delivered.map(({ event }) => event)).toMatchObject([
      { _tag: "Booted", vendor: "Wallbe", meterSerialNumber: undefined },
      { _tag: "FrameFaultFound" },
      { _tag: "TransactionEnded", tokenUid: "CARD", meterStopWh: 1388 },
      { _tag: "HeartbeatReceived" },
      { _tag: "HeartbeatReceived" }
    ])
    expect(faults(mailbox)).toEqual([
      ["ControlCharacters", "a frame of BootNotification was read without 5 control characters"]
    ])
    expect(server.frames.some(({ kind }) => kind === "Malformed")).toBe(false)
    expect(server.metric("ocpp_tolerated_violations_total")).toBe(4)
  })

  it("does not show a secret whose name has control characters in it", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.send('[2,"1","DataTransfer",{"vendorId":"V","data":"{\\"Author\0izationKey\\":\\"0123456789abcdef\\"}"}]')
    await client.next()
    client.send('[2,"2","DataTransfer",{"vendorId":"V","data":"{\\"Author\0izationKey\\":\\"0123456789abcdef\\"')
    await client.next()
    expect(JSON.stringify([server.frames, [...server.lastMessage.values()]])).not.toContain("0123456789abcdef")
  })

  it("ends the call that the frame answers, at once", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { badFramesPerMinute: 2 } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    const answers = ['[3,"m-0",{"configurationKey":[{"key":]}', '[4,"m-1","GenericError', '[3,"m-2",{', '[3,"m-3"']
    for (const [n, answer] of answers.entries()) {
      mailbox.call(`m-${n}`, configuration)
      await client.next()
      client.send(answer)
      await until(() => mailbox.results.length === n + 1, "the end of the call")
    }
    expect(mailbox.results).toEqual(
      answers.map(() => ({ _tag: "Unreadable", problem: "the frame is not JSON", answer: undefined }))
    )
    expect(faults(mailbox)).toEqual([["UnreadableAnswer", "the answer to GetConfiguration: the frame is not JSON"]])
    // Unreadable answers to nothing count as frames that are no messages.
    for (let n = 0; n < 3; n++) client.send('[3,"unasked",{')
    expect(await client.closed).toMatchObject({ code: 1008 })
  })

  it("leaves a trace of a binary frame, without secrets", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    const secret = "0123456789abcdef"
    const configured = { configurationKey: [{ key: "AuthorizationKey", readonly: false, value: secret }] }
    const sent = [
      [2, "bin1", "Heartbeat", {}],
      [2, "bin2", "DataTransfer", { vendorId: "V", data: `{"AuthorizationKey":"${secret}"}` }],
      [3, "bin3", configured]
    ]
    for (const frame of sent) client.ws.send(Buffer.from(JSON.stringify(frame)), { binary: true })
    client.ws.send(Buffer.alloc(100_000), { binary: true })
    await until(() => server.frames.length === 4, "four frames")
    expect(server.frames.map(({ action, kind }) => [kind, action])).toEqual([
      ["Malformed", "Heartbeat"],
      ["Malformed", "DataTransfer"],
      ["Malformed", ""],
      ["Malformed", ""]
    ])
    expect(server.frames[0]?.frame).toBe('binary frame of 25 bytes: [2,"bin1","Heartbeat",{}]')
    expect(server.frames[3]?.frame).toBe("binary frame of 100000 bytes")
    expect(JSON.stringify(server.frames)).not.toContain(secret)
    expect(faults(mailbox)).toEqual([["BinaryFrame", "binary frame of 25 bytes: OCPP messages must be text frames"]])
    expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
  })

  it("leaves a trace of a message over the limit, before the connection ends", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { maxFrameBytes: 5_000 } })
    const client = await connect(server.port, "CP1")
    client.send([2, "1", "DataTransfer", { vendorId: "V", data: "x".repeat(6_000) }])
    expect(await client.closed).toMatchObject({ code: 1009 })
    expect(server.frames).toMatchObject([
      { direction: "in", kind: "Malformed", frame: "a message of more than 5000 bytes was not received" }
    ])
    expect(faults(server.inbox.of("CP1"))).toEqual([
      ["FrameTooLarge", "a message of more than 5000 bytes was not received"]
    ])
  })
})

describe("the message log", () => {
  it("contains every frame in both directions, except heartbeats", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    await client.call("BootNotification", boot, "1")
    await client.call("Heartbeat", {}, "2")
    await client.call("MakeCoffee", {}, "3")
    server.inbox.of("CP1").call("4", { _tag: "TriggerMessage", requestedMessage: "Heartbeat" })
    await client.next()
    client.send([3, "4", { status: "Rejected" }])
    client.send("hello")
    await until(() => server.frames.length === 7, "seven frames")
    expect(server.frames.map(({ action, direction, kind, messageId }) => [direction, kind, action, messageId])).toEqual(
      [
        ["in", "CALL", "BootNotification", "1"],
        ["out", "CALLRESULT", "BootNotification", "1"],
        ["in", "CALL", "MakeCoffee", "3"],
        ["out", "CALLERROR", "MakeCoffee", "3"],
        ["out", "CALL", "TriggerMessage", "4"],
        ["in", "CALLRESULT", "TriggerMessage", "4"],
        ["in", "Malformed", "", ""]
      ]
    )
    expect(server.lastMessage.get("CP1")).toBe("hello")
  })

  it("contains heartbeats if configured; the last message always includes them", async () => {
    const server = await startServer({ chargers: { CP1: {} }, logHeartbeats: true })
    const client = await connect(server.port, "CP1")
    await client.call("Heartbeat", {}, "2")
    expect(server.frames.map(({ kind }) => kind)).toEqual(["CALL", "CALLRESULT"])
    expect(server.lastMessage.get("CP1")).toBe('[2,"2","Heartbeat",{}]')
  })

  it("contains no charger's key in any frame: requested, set, late, broken or guessed", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    const secret = "0123456789abcdef0123456789abcdef"
    const answer = { configurationKey: [{ key: "AuthorizationKey", readonly: false, value: secret }] }
    mailbox.call("1", { _tag: "ChangeConfiguration", key: "AuthorizationKey", value: secret })
    expect(await client.next()).toEqual([2, "1", "ChangeConfiguration", { key: "AuthorizationKey", value: secret }])
    mailbox.call("2", configuration)
    mailbox.call("3", { _tag: "TriggerMessage", requestedMessage: "Heartbeat" })
    client.send([3, "2", answer])
    client.send([3, "3", answer])
    client.send([3, "unasked", answer])
    client.send(JSON.stringify([3, "3", answer]).slice(0, -2))
    await until(() => server.frames.length === 7, "seven frames")
    expect(JSON.stringify(server.frames)).not.toContain(secret)
    expect([...server.lastMessage.values()].join("")).not.toContain(secret)
    expect(mailbox.results).toMatchObject([{ _tag: "Answered" }, { _tag: "Unreadable" }])
    expect(JSON.stringify(mailbox.results)).not.toContain(secret)
  })
})

describe("what a charger sends back after a password was sent", () => {
  const secret = "0123456789abcdef0123456789abcdef"
  const rotate = { _tag: "ChangeConfiguration", key: "AuthorizationKey", value: secret } as const
  const broken = (id: string, type: 3 | 4) => JSON.stringify([type, id, "GenericError", `bad ${secret}`]).slice(0, -1)

  const asked = async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    mailbox.call("1", rotate)
    await client.next()
    /** The charger's frames as logged, and its last one as displayed, once there are `count`. */
    const logged = async (count: number) => {
      await until(() => server.frames.length === count + 1, `${count} frames`)
      const shown = server.frames.slice(1).map(({ frame }) => frame)
      for (const seen of [shown, mailbox.results, [...server.lastMessage.values()]]) {
        expect(JSON.stringify(seen).toLowerCase()).not.toContain(secret)
      }
      return shown
    }
    return { server, client, mailbox, logged }
  }

  it("has it masked in an error's description and details, in the log and in the command's result", async () => {
    const { client, logged, mailbox } = await asked()
    client.send([4, "1", "GenericError", `cannot set ${secret.toUpperCase()}`, { value: secret, [secret]: 1 }])
    expect(await logged(1)).toEqual(['[4,"1","GenericError","***",{"***":"***"}]'])
    expect(mailbox.results).toEqual([{ _tag: "CallError", code: "GenericError", description: "***" }])
  })

  it("has it masked in an error's code, and an error without it is shown unchanged", async () => {
    const { client, logged, mailbox } = await asked()
    client.send([4, "1", secret, "", {}])
    client.send([4, "1", "InternalError", "", {}])
    expect(await logged(2)).toEqual(['[4,"1","***","",{}]', '[4,"1","InternalError","",{}]'])
    expect(mailbox.results).toEqual([{ _tag: "CallError", code: "***", description: "" }])
  })

  it("has it masked in an answer with extra fields, and its status is shown", async () => {
    const { client, logged, mailbox } = await asked()
    client.send([3, "1", { status: "Rejected", info: `${secret} is too short` }])
    client.send([3, "1", { status: "Rejected", info: secret }])
    expect(await logged(2)).toEqual([
      '[3,"1",{"status":"Rejected","info":"*** is too short"}]',
      '[3,"1",{"***":"***"}]'
    ])
    expect(mailbox.results).toMatchObject([{ status: "Rejected", answer: { info: "*** is too short" } }])
  })

  it("has it masked when it is late, after another call", async () => {
    const { client, logged, mailbox, server } = await asked()
    mailbox.call("2", { _tag: "TriggerMessage", requestedMessage: "Heartbeat" })
    await client.next()
    client.send([4, "1", "GenericError", `cannot set ${secret}`, {}])
    client.send([3, "1", { status: "Rejected", info: secret }])
    await until(() => server.frames.length === 4, "four frames")
    expect((await logged(3)).slice(1)).toEqual(['[4,"1","GenericError","***",{}]', '[3,"1",{"***":"***"}]'])
  })

  it("has it masked in unreadable or unknown frames", async () => {
    const { client, logged } = await asked()
    client.send(broken("1", 4))
    client.send(broken("1", 3))
    client.send([5, "1", "GenericError", secret, {}])
    client.send([3])
    expect(await logged(3)).toEqual(["***", "***", "***"])
  })

  it("is shown unmasked once another call has been sent", async () => {
    const { client, logged, mailbox } = await asked()
    mailbox.call("2", { _tag: "TriggerMessage", requestedMessage: "Heartbeat" })
    client.send([4, "2", "InternalError", "out of order", {}])
    expect((await logged(2))[1]).toBe('[4,"2","InternalError","out of order",{}]')
    expect(mailbox.results).toEqual([{ _tag: "CallError", code: "InternalError", description: "out of order" }])
  })

  it("has it masked in the answer to a DataTransfer, and in the error of a command without secrets", async () => {
    const { client, logged, mailbox } = await asked()
    mailbox.call("2", { _tag: "DataTransfer", vendorId: "V", messageId: "SetWifiPassword", data: secret })
    client.send([3, "2", { status: "Accepted", data: secret }])
    expect((await logged(2))[1]).toBe('[3,"2",{"status":"Accepted","data":"***"}]')
    mailbox.call("3", { _tag: "ClearCache" })
    client.send([4, "3", "GenericError", `WifiPassword=${secret}`, { WifiPassword: secret }])
    expect((await logged(4))[3]).toBe('[4,"3","GenericError","WifiPassword=***",{"WifiPassword":"***"}]')
  })

  it("has a one-time URL masked in an error's description", async () => {
    const { client, logged, mailbox, server } = await asked()
    mailbox.call("2", { _tag: "TriggerMessage", requestedMessage: "Heartbeat" })
    client.send([4, "2", "InternalError", "cannot reach https://host/files/one-time-key", {}])
    expect((await logged(2))[1]).not.toContain("one-time-key")
    expect(JSON.stringify([mailbox.results, server.frames])).not.toContain("one-time-key")
  })
})

describe("a full mailbox", () => {
  it("pauses reading, loses nothing, and receives no more than its limit", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { frameBurst: 1e6 } })
    const high = 8
    server.inbox.prepare = (mailbox) => {
      mailbox.reply = () => {
        if (mailbox.delivered.length === high) mailbox.line.pause()
        return undefined
      }
    }
    const client = await connect(server.port, "CP1")
    for (let i = 0; i < 500; i++) client.send([2, String(i), "Heartbeat", {}])
    await until(() => server.inbox.of("CP1").delivered.length >= high, "a full mailbox")
    await settle()
    const mailbox = server.inbox.of("CP1")
    expect(mailbox.delivered).toHaveLength(high)
    mailbox.line.resume()
    await until(() => mailbox.delivered.length === 500, "all of them")
    expect(mailbox.delivered.map(({ envelope }) => envelope.messageId)).toEqual(
      Array.from({ length: 500 }, (_, i) => String(i))
    )
  })

  it("may fill again while earlier messages are delivered, in order", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { frameBurst: 1e6 } })
    server.inbox.prepare = (mailbox) => {
      mailbox.reply = () => {
        if (mailbox.delivered.length % 3 === 0) mailbox.line.pause()
        return undefined
      }
    }
    const client = await connect(server.port, "CP1")
    for (let i = 0; i < 60; i++) client.send([2, String(i), "Heartbeat", {}])
    await until(() => server.inbox.mailboxes.length === 1, "the connection")
    const mailbox = server.inbox.of("CP1")
    for (let full = 3; full <= 60; full += 3) {
      await until(() => mailbox.delivered.length === full, `${full} messages`)
      await new Promise(setImmediate)
      expect(mailbox.delivered).toHaveLength(full)
      mailbox.line.resume()
    }
    expect(mailbox.delivered.map(({ envelope }) => envelope.messageId)).toEqual(
      Array.from({ length: 60 }, (_, i) => String(i))
    )
  })

  it("does not prevent the connection from being closed", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    server.inbox.of("CP1").line.pause()
    server.inbox.of("CP1").line.close(1012, "the service restarts")
    expect(await client.closed).toEqual({ code: 1012, reason: "the service restarts" })
    await until(() => server.inbox.of("CP1").closedBecause.length === 1, "the end")
  })
})

describe("the frame rate", () => {
  it("of a charger that does not wait for answers is limited, and nothing is lost", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: { frameBurst: 20, framesPerSecond: 10 } })
    server.inbox.prepare = (mailbox) => (mailbox.reply = () => undefined)
    const client = await connect(server.port, "CP1")
    for (let i = 0; i < 100; i++) client.send([2, String(i), "Heartbeat", {}])
    await until(() => server.inbox.of("CP1").delivered.length >= 20, "the burst")
    await settle()
    const mailbox = server.inbox.of("CP1")
    const burst = mailbox.delivered.length
    expect(burst).toBeLessThanOrEqual(21)
    clock.advance(1_000)
    await until(() => mailbox.delivered.length > burst, "those of the next second")
    await settle()
    expect(mailbox.delivered.length - burst).toBeLessThanOrEqual(11)
    while (mailbox.delivered.length < 100) {
      const before = mailbox.delivered.length
      clock.advance(1_000)
      await until(() => mailbox.delivered.length > before, `what comes after ${before}`)
    }
    expect(mailbox.delivered.map(({ envelope }) => envelope.messageId)).toEqual(
      Array.from({ length: 100 }, (_, i) => String(i))
    )
    expect(server.metric("ocpp_throttled_total")).toBeGreaterThan(0)
  })

  it("of a charger that sends many messages in one write is limited, although each is answered before the next is read", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: { frameBurst: 20, framesPerSecond: 10 } })
    const client = await connect(server.port, "CP1")
    socketOf(client).cork()
    for (let i = 0; i < 200; i++) client.send([2, String(i), "Heartbeat", {}])
    socketOf(client).uncork()
    await until(() => server.inbox.of("CP1").delivered.length >= 20, "the burst")
    await settle()
    expect(server.inbox.of("CP1").delivered.length).toBeLessThanOrEqual(25)
    expect(server.metric("ocpp_throttled_total")).toBeGreaterThan(0)
  })

  it("of a charger that waits for its answers may be much higher without throttling", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock, limits: { frameBurst: 20, framesPerSecond: 10 } })
    const client = await connect(server.port, "CP1")
    for (let i = 0; i < 350; i++)
      expect(await client.call("Heartbeat", {}, String(i))).toMatchObject([3, String(i), {}])
    expect(server.metric("ocpp_throttled_total")).toBe(0)
  })
})

describe("the end of a connection", () => {
  it("is reported once, with the charger's close code and reason", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.ws.close(4000, "good\nbye")
    await until(() => server.inbox.of("CP1").closedBecause.length > 0, "the end")
    expect(server.inbox.of("CP1").closedBecause).toEqual(["closed by the charger (4000, good?bye)"])
    expect(server.metric("ocpp_connections")).toBe(0)
  })

  it("is reported as a broken line if there was no close frame", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    client.ws.terminate()
    await until(() => server.inbox.of("CP1").closedBecause.length > 0, "the end")
    expect(server.inbox.of("CP1").closedBecause).toEqual([
      "the connection was lost without a close from the charger (1006)"
    ])
  })

  it("of an older connection does not affect the newer one, and its frames change nothing", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const old = await connect(server.port, "CP1")
    const oldMailbox = server.inbox.of("CP1")
    oldMailbox.line.close(4001, "replaced by a newer connection")
    old.send([2, "late", "Heartbeat", {}])
    const newer = await connect(server.port, "CP1")
    expect(await old.closed).toMatchObject({ code: 4001 })
    await until(() => oldMailbox.closedBecause.length === 1, "the old end")
    expect(oldMailbox.events).toEqual([])
    expect(server.inbox.of("CP1").closedBecause).toEqual([])
    expect(await newer.call("Heartbeat")).toMatchObject([3, "1", {}])
    expect(server.metric("ocpp_connections", { profile: "0", version: "1.6" })).toBe(1)
  })

  it("discards what its actor still sends", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.prepare = (mailbox) => (mailbox.reply = () => undefined)
    const client = await connect(server.port, "CP1")
    client.send([2, "1", "Heartbeat", {}])
    await until(() => server.inbox.mailboxes[0]?.delivered.length === 1, "the heartbeat")
    client.ws.terminate()
    const mailbox = server.inbox.of("CP1")
    await until(() => mailbox.closedBecause.length === 1, "the end")
    mailbox.delivered[0]?.respond({ _tag: "HeartbeatAnswered" }, 0)
    mailbox.line.call("1", configuration)
    mailbox.line.pause()
    mailbox.line.resume()
    mailbox.line.close(1012, "bye")
    expect(await Effect.runPromise(mailbox.line.answersPing(1_000))).toBe(false)
    expect(mailbox.closedBecause).toHaveLength(1)
    expect(server.metric("ocpp_messages_total", { direction: "out" })).toBe(0)
    expect(server.frames).toEqual([])
  })

  it.each([
    [1005, "no status may be sent"],
    [999, "too small"],
    [1012, "x".repeat(500)],
    [1012, "€".repeat(100)]
  ])("by its actor with %i and any reason closes it", async (code, reason) => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    server.inbox.of("CP1").line.close(code, reason)
    expect((await client.closed).code).toBe(code === 1012 ? 1012 : 1006)
  })
})
