import { describe, expect, it } from "vitest"
import type { ChargerEvent, FrameFault } from "../../../src/domain/charger/ChargerEvent.ts"
import type { CommandAnswered } from "../../../src/domain/charger/Fact.ts"
import { decide } from "../../../src/domain/decide/Decide.ts"
import { evolve } from "../../../src/domain/decide/Evolve.ts"
import {
  at,
  boot,
  ended,
  energy,
  metered,
  minute,
  noTime,
  organisationId,
  reading,
  started,
  state,
  status,
  token
} from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"
import { signingRequest } from "../../support/signingRequest.ts"

const others: ReadonlyArray<ChargerEvent> = [
  { _tag: "HeartbeatReceived" },
  status({ status: "Charging" }),
  { _tag: "AuthorizationAsked", tokenUid: "ANNA" },
  { _tag: "DataReceived", vendorId: "V", messageId: undefined, data: undefined },
  { _tag: "FirmwareStatusReported", status: "Downloading", requestId: undefined },
  { _tag: "UploadStatusReported", kind: "Diagnostics", status: "Uploading", requestId: undefined },
  { _tag: "SecurityEventReported", type: "SettingSystemTime", time: noTime, techInfo: undefined },
  { _tag: "CertificateRequested", csr: signingRequest }
]

const transactions: ReadonlyArray<ChargerEvent> = [
  started(),
  ended(undefined),
  ended(99_999),
  metered(undefined, [reading(at(minute(0)), energy(1))]),
  { _tag: "UnreadableTransactionMessage", action: "StartTransaction", problem: "no payload" },
  { _tag: "UnreadableTransactionMessage", action: "StopTransaction", problem: "no payload" },
  { _tag: "UnreadableTransactionMessage", action: "MeterValues", problem: "no payload" }
]

/** What a pending charger may send because it was triggered, and security events, which it must always report. */
const taken: ReadonlySet<ChargerEvent["_tag"]> = new Set([
  "HeartbeatReceived",
  "StatusReported",
  "FirmwareStatusReported",
  "UploadStatusReported",
  "SecurityEventReported",
  "CertificateRequested"
])

describe("a charger that is not accepted", () => {
  for (const event of others.filter(({ _tag }) => taken.has(_tag))) {
    it(`and Pending gets the same answer and facts for its ${event._tag} as an accepted one`, () => {
      const [pending, accepted] = (["Pending", "Accepted"] as const).map((registration) =>
        new ModelService().charger({ registration }).say(event)
      )
      expect(pending!.reply).toEqual(accepted!.reply)
      expect(pending!.facts).toEqual(accepted!.facts)
      expect(pending!.reply._tag).not.toBe("Refused")
    })
  }
  for (const registration of ["Pending", "Rejected"] as const) {
    const refused = others.filter(({ _tag }) => registration === "Rejected" || !taken.has(_tag))
    for (const event of refused) {
      it(`and ${registration} is refused its ${event._tag}, and nothing is stored`, () => {
        const { facts, reply } = new ModelService().charger({ registration }).say(event)
        expect(facts).toEqual([])
        expect(reply).toMatchObject({ _tag: "Refused", reason: "NotAccepted" })
      })
    }
    for (const event of transactions) {
      it(`and ${registration} has its ${event._tag} stored and answered as usual`, () => {
        const { outcome, reply } = new ModelService().charger({ registration }).say(event)
        expect(outcome.recorded).toContain(true)
        expect(reply._tag).not.toBe("Refused")
      })
    }
  }
})

describe("an accepted charger that has not booted on this connection", () => {
  for (const event of [...others, ...transactions, boot()]) {
    it(`is not refused its ${event._tag}`, () => {
      const { reply } = new ModelService().charger({ booted: false, vendor: "" }).say(event)
      expect(reply._tag).not.toBe("Refused")
    })
  }
})

describe("a Heartbeat", () => {
  it("is answered at once and stores nothing", () => {
    const input = {
      _tag: "Event",
      event: { _tag: "HeartbeatReceived" },
      envelope: { messageId: "1", raw: "" },
      answers: {}
    } as const
    const ids = { transactionId: 1, uuid: () => "uuid" }
    const first = decide(state(), input, minute(0), ids)
    expect(first).toMatchObject({ _tag: "Act", facts: [], followUps: [] })
    expect(first._tag === "Act" && first.reply?.({ recorded: [], existing: undefined })).toEqual({
      _tag: "HeartbeatAnswered"
    })
    expect(decide(state(), input, minute(1), ids)).toBe(first)
  })
})

describe("an Authorize", () => {
  it("is decided by the current token, stored as a fact, and answered", () => {
    const service = new ModelService()
    service.journal.tokens.set("anna", token("ANNA", { parentUid: "FAMILY", expiresAt: minute(600) }))
    const charger = service.charger()
    const { facts, questions, reply } = charger.say({ _tag: "AuthorizationAsked", tokenUid: "anna" })
    expect(questions).toEqual(["FindToken"])
    expect(facts).toMatchObject([
      {
        type: "TokenAuthorized",
        body: { tokenUid: "anna", authorization: { status: "Accepted", source: "LocalToken" } }
      }
    ])
    expect(reply).toEqual({
      _tag: "AuthorizationAnswered",
      verdict: { status: "Accepted", expiresAt: minute(600), parentUid: "FAMILY" }
    })
  })

  it("that is refused is stored once a minute for each card and reason, and answered each time", () => {
    const service = new ModelService()
    service.journal.tokens.set("anna", token("ANNA", { status: "Blocked" }))
    const charger = service.charger()
    const ask = (tokenUid: string) => charger.say({ _tag: "AuthorizationAsked", tokenUid })
    const keys = (answers: ReadonlyArray<ReturnType<typeof ask>>) => answers.map(({ facts }) => facts[0]?.key)
    const answers = ["ANNA", "anna", "Anna"].map(ask)
    for (const { reply } of answers) expect(reply).toMatchObject({ verdict: { status: "Blocked" } })
    expect(new Set(keys(answers)).size).toBe(1)
    const others = ["STRANGER", "STRANGER"].map(ask)
    expect(new Set(keys([...answers, ...others])).size).toBe(2)
    service.journal.tokens.set("anna", token("ANNA"))
    expect(new Set(keys(["ANNA", "ANNA"].map(ask))).size).toBe(2)
  })

  it("for a token that is charging elsewhere is accepted: only a start can be concurrent", () => {
    const service = new ModelService()
    service.journal.tokens.set("anna", token("ANNA"))
    service.charger({ chargerId: "CP-2" }).start(started())
    const { reply } = service.charger().say({ _tag: "AuthorizationAsked", tokenUid: "ANNA" })
    expect(reply).toMatchObject({ verdict: { status: "Accepted" } })
  })
})

describe("a fault of a charger's frames", () => {
  const fault = (name: FrameFault): ChargerEvent => ({ _tag: "FrameFaultFound", fault: name, detail: "a frame" })

  it.each(["Accepted", "Pending", "Rejected"] as const)("of a charger that is %s is recorded", (registration) => {
    const { facts } = new ModelService().charger({ registration }).say(fault("BinaryFrame"))
    expect(facts).toMatchObject([
      { type: "SecurityEventRecorded", body: { source: "service", event: "BinaryFrame", detail: "a frame" } }
    ])
  })

  it("is recorded once a day", () => {
    const charger = new ModelService().charger()
    const recorded = (name: FrameFault) => charger.say(fault(name)).outcome.recorded
    expect(recorded("BinaryFrame")).toEqual([true])
    expect(recorded("BinaryFrame")).toEqual([false])
    expect(recorded("FrameTooLarge")).toEqual([true])
    charger.now += 86_400_000
    expect(recorded("BinaryFrame")).toEqual([true])
  })
})

describe("a progress report", () => {
  const report = (status: string, requestId?: number): ChargerEvent => ({
    _tag: "FirmwareStatusReported",
    status,
    requestId
  })
  const answered = (type: "SignedUpdateFirmware" | "Reset"): CommandAnswered => ({
    type: "CommandAnswered",
    key: `answered-${type}`,
    organisationId,
    chargerId: "CP-1",
    at: minute(1),
    heardAt: minute(1),
    body: { commandId: "c-1", type, status: "Accepted", result: {} }
  })
  const recorded = { recorded: [true], existing: undefined }

  it("that says the same as the one before is acknowledged and not recorded", () => {
    const charger = new ModelService().charger()
    expect(charger.say(report("Installed")).facts).toHaveLength(1)
    for (let n = 0; n < 3; n++) {
      expect(charger.say(report("Installed"))).toMatchObject({ facts: [], reply: { _tag: "Acknowledged" } })
    }
  })

  it("is recorded if its status, its request or its kind differs", () => {
    const charger = new ModelService().charger()
    const reports = [report("Installed"), report("Downloading"), report("Downloading", 2), report("Downloading", 3)]
    for (const one of reports) expect(charger.say(one).facts).toHaveLength(1)
    for (const kind of ["Log", "Diagnostics"] as const) {
      const upload: ChargerEvent = { _tag: "UploadStatusReported", kind, status: "Downloading", requestId: 3 }
      expect(charger.say(upload).facts).toHaveLength(1)
    }
  })

  it("that says the same is recorded once more after a new transfer was requested, and only then", () => {
    const charger = new ModelService().charger()
    charger.say(report("Downloading"))
    charger.state = evolve(charger.state, [answered("Reset")], recorded)
    expect(charger.say(report("Downloading")).facts).toEqual([])
    charger.state = evolve(charger.state, [answered("SignedUpdateFirmware")], recorded)
    expect(charger.say(report("Downloading")).facts).toHaveLength(1)
  })
})

describe("messages that are only recorded", () => {
  const cases: ReadonlyArray<{ event: ChargerEvent; fact: object; reply: object }> = [
    {
      event: { _tag: "DataReceived", vendorId: "V", messageId: "m", data: "{}" },
      fact: { type: "DataTransferred", body: { vendorId: "V", messageId: "m", data: "{}" } },
      reply: { _tag: "DataAnswered", status: "UnknownVendorId" }
    },
    {
      event: { _tag: "FirmwareStatusReported", status: "Installed", requestId: 3 },
      fact: { type: "ProgressReported", epoch: 7, body: { kind: "Firmware", status: "Installed", requestId: 3 } },
      reply: { _tag: "Acknowledged" }
    },
    {
      event: { _tag: "UploadStatusReported", kind: "Log", status: "Uploaded", requestId: undefined },
      fact: { type: "ProgressReported", body: { kind: "Log", status: "Uploaded", requestId: undefined } },
      reply: { _tag: "Acknowledged" }
    },
    {
      event: { _tag: "SecurityEventReported", type: "TamperDetectionActivated", time: at(minute(-5)), techInfo: "lid" },
      fact: {
        type: "SecurityEventRecorded",
        at: minute(-5),
        body: { source: "charger", event: "TamperDetectionActivated", detail: "lid" }
      },
      reply: { _tag: "Acknowledged" }
    },
    {
      event: { _tag: "CertificateRequested", csr: signingRequest },
      fact: { type: "CertificateSigningRequested", body: { csr: signingRequest } },
      reply: { _tag: "CertificateAnswered", status: "Rejected" }
    }
  ]
  for (const { event, fact, reply } of cases) {
    it(`are stored and answered: ${event._tag}`, () => {
      const said = new ModelService().charger().say(event)
      expect(said.facts).toMatchObject([fact])
      expect(said.reply).toEqual(reply)
    })
  }

  it("are stored once when a security event is repeated with the same timestamp", () => {
    const charger = new ModelService().charger()
    const event = { _tag: "SecurityEventReported", type: "InvalidMessages", techInfo: undefined } as const
    charger.say({ ...event, time: at(minute(1)) })
    charger.say({ ...event, time: at(minute(1)) })
    charger.say({ ...event, time: noTime })
    charger.say({ ...event, time: noTime })
    expect(charger.factsOf("SecurityEventRecorded")).toHaveLength(3)
  })

  it("are stored once when a certificate request is repeated", () => {
    const charger = new ModelService().charger()
    charger.say({ _tag: "CertificateRequested", csr: signingRequest })
    charger.say({ _tag: "CertificateRequested", csr: signingRequest })
    expect(charger.factsOf("CertificateSigningRequested")).toHaveLength(1)
  })
})

describe("a vendor's data with keys of meters", () => {
  const sent = (...publicKeys: ReadonlyArray<string>): ChargerEvent => ({
    _tag: "DataReceived",
    vendorId: "V",
    messageId: "m",
    data: "{}",
    meterKeys: publicKeys.map((publicKey, n) => ({ evseId: n + 1, publicKey }))
  })

  it("is accepted, and each key is recorded once a day", () => {
    const charger = new ModelService().charger()
    const { facts, reply } = charger.say(sent("305A", "305B"))
    expect(reply).toEqual({ _tag: "DataAnswered", status: "Accepted" })
    expect(facts).toMatchObject([
      { type: "DataTransferred" },
      { type: "ChargerDocumentChanged", body: { kind: "meterKey:1", document: { publicKey: "305A" } } },
      { type: "ChargerDocumentChanged", body: { kind: "meterKey:2", document: { publicKey: "305B" } } }
    ])
    expect(charger.say(sent("305A")).outcome.recorded).toEqual([true, false])
    expect(charger.say(sent("305C")).outcome.recorded).toEqual([true, true])
    charger.now += 86_400_000
    expect(charger.say(sent("305A")).outcome.recorded).toEqual([true, true])
    expect(charger.state.certificateAskedAt).toBeUndefined()
  })
})

describe("a transaction message that cannot be read", () => {
  const unreadable = (action: "StartTransaction" | "StopTransaction" | "MeterValues"): ChargerEvent => ({
    _tag: "UnreadableTransactionMessage",
    action,
    problem: "idTag is missing"
  })

  it("(a start) is stored raw and answered Invalid with a transaction id that is never used again", () => {
    const charger = new ModelService().charger()
    const { facts, reply } = charger.say(unreadable("StartTransaction"), "m-1")
    expect(reply).toMatchObject({ _tag: "StartAnswered", verdict: { status: "Invalid" } })
    const id = reply._tag === "StartAnswered" ? reply.transactionId : 0
    expect(facts).toMatchObject([
      {
        type: "OrphanRecorded",
        body: { action: "StartTransaction", rawTransactionId: String(id), problem: "idTag is missing" }
      }
    ])
    expect(facts[0]?.body).toHaveProperty("raw", expect.stringContaining("m-1"))
    expect(charger.start(started())).not.toBe(id)
  })

  for (const forgetting of [false, true]) {
    it(`(a start) has its stop and readings stored without a security event${forgetting ? ", after a reload too" : ""}`, () => {
      const charger = new ModelService().charger()
      const { reply } = charger.say(unreadable("StartTransaction"))
      const id = reply._tag === "StartAnswered" ? reply.transactionId : 0
      charger.start(started())
      if (forgetting) charger.forget()
      charger.say(metered(id, [reading(at(minute(1)), energy(1))]))
      expect(charger.say(ended(id)).reply).toMatchObject({ _tag: "StopAnswered", verdict: { status: "Invalid" } })
      expect(charger.factsOf("SecurityEventRecorded")).toEqual([])
      expect(charger.factsOf("OrphanRecorded")).toHaveLength(2)
      expect(charger.sessions).toMatchObject([{ status: "Open" }])
    })
  }

  it("(a stop) is stored raw once and acknowledged, however often it is repeated", () => {
    const charger = new ModelService().charger()
    expect(charger.say(unreadable("StopTransaction"), "a").reply).toEqual({ _tag: "StopAnswered", verdict: undefined })
    charger.say(unreadable("StopTransaction"), "b")
    expect(charger.factsOf("OrphanRecorded")).toMatchObject([{ body: { action: "StopTransaction" } }])
  })

  it("(meter values) is stored raw and acknowledged", () => {
    const charger = new ModelService().charger()
    expect(charger.say(unreadable("MeterValues"), "").reply).toEqual({ _tag: "Acknowledged" })
    expect(charger.factsOf("OrphanRecorded")).toMatchObject([{ body: { action: "MeterValues" } }])
  })
})
