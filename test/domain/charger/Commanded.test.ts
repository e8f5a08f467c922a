import { describe, expect, it } from "vitest"
import type { ChargerCommand, CommandResult } from "../../../src/domain/command/ChargerCommand.ts"
import { decide } from "../../../src/domain/decide/Decide.ts"
import { evolve } from "../../../src/domain/decide/Evolve.ts"
import { refusedTo } from "../../../src/domain/decide/Refusing.ts"
import { commandTypes } from "../../../src/domain/command/Kinds.ts"
import type { ChargingProfile } from "../../../src/domain/command/ChargingProfile.ts"
import { at, ended, minute, started, state, token } from "../../support/events.ts"
import { type ModelCharger, ModelService } from "../../support/modelCharger.ts"

const said = (status: string | undefined, answer: Readonly<Record<string, unknown>> = { status }): CommandResult => ({
  _tag: "Answered",
  status,
  answer,
  content: undefined
})

describe("the answer to a command that no operator issued", () => {
  const ids = { transactionId: 1, uuid: () => "uuid" }
  const whole: ChargerCommand = { _tag: "GetConfiguration", keys: [] }
  const reported: CommandResult = {
    _tag: "Answered",
    status: undefined,
    answer: {},
    content: {
      _tag: "Configuration",
      keys: [
        { key: "HeartbeatInterval", value: "300", readonly: false },
        { key: "authorizationKEY", value: "0123456789abcdef", readonly: false }
      ],
      unknown: ["X"]
    }
  }
  const decided = (command: ChargerCommand, result: CommandResult, now = minute(0)) => {
    const decision = decide(state({ configured: false }), { _tag: "CommandAnswered", command, result }, now, ids)
    if (decision._tag !== "Act") throw new Error("it asks")
    return decision
  }

  it("(GetConfiguration) is stored as the charger's configuration, without its password", () => {
    const { facts, reply } = decided(whole, reported)
    expect(reply).toBeUndefined()
    expect(facts).toMatchObject([{ type: "ConfigurationReported", epoch: 7, body: { unknown: ["X"] } }])
    expect(facts[0]?.body).toHaveProperty("keys", [
      { key: "HeartbeatInterval", value: "300", readonly: false },
      { key: "authorizationKEY", value: undefined, readonly: false }
    ])
    expect(JSON.stringify(facts)).not.toContain("0123456789abcdef")
    expect(evolve(state({ configured: false }), facts, { recorded: [true], existing: undefined }).configured).toBe(true)
  })

  it("(GetConfiguration) gets a new key each time", () => {
    expect(decided(whole, reported).facts[0]?.key).not.toBe(decided(whole, reported, minute(1)).facts[0]?.key)
  })

  it("(GetConfiguration of single keys) is merged into the known configuration, without the password", () => {
    const { facts } = decided({ _tag: "GetConfiguration", keys: ["HeartbeatInterval", "X"] }, reported)
    expect(facts).toMatchObject([{ type: "ConfigurationKeysLearned", epoch: 7, body: { gone: ["X"] } }])
    expect(facts[0]?.body).toHaveProperty("keys.0", { key: "HeartbeatInterval", value: "300", readonly: false })
    expect(JSON.stringify(facts)).not.toContain("0123456789abcdef")
  })

  const changing = (key: string, status: string) =>
    decided({ _tag: "ChangeConfiguration", key, value: "0123456789abcdef" }, said(status)).facts.map(({ body }) => body)

  it("(ChangeConfiguration) updates the known value only when it is Accepted", () => {
    expect(changing("HeartbeatInterval", "Accepted")).toEqual([
      { keys: [{ key: "HeartbeatInterval", value: "0123456789abcdef" }], gone: [] }
    ])
    for (const status of ["RebootRequired", "Rejected", "NotSupported"]) expect(changing("X", status)).toEqual([])
    expect(changing("AuthorizationKey", "Accepted")).toEqual([])
  })

  const nothing: ReadonlyArray<{ name: string; command: ChargerCommand; result: CommandResult }> = [
    { name: "a CALLERROR", command: whole, result: { _tag: "CallError", code: "NotSupported", description: "" } },
    { name: "no answer in time", command: whole, result: { _tag: "TimedOut" } },
    { name: "a lost connection", command: whole, result: { _tag: "ConnectionLost" } },
    {
      name: "a TriggerMessage's status",
      command: { _tag: "TriggerMessage", requestedMessage: "StatusNotification" },
      result: said("NotImplemented")
    }
  ]
  for (const { command, name, result } of nothing) {
    it(`leaves nothing when it is ${name}`, () =>
      expect(decided(command, result)).toMatchObject({ facts: [], reply: undefined, followUps: [] }))
  }
})

describe("the end of a command", () => {
  const ids = { transactionId: 1, uuid: () => "uuid" }
  const reset: ChargerCommand = { _tag: "Reset", kind: "Soft" }
  const ended = (result: CommandResult, command: ChargerCommand = reset) => {
    const input = { _tag: "CommandAnswered", commandId: "c-1", command, result } as const
    const decision = decide(state({}), input, minute(0), ids)
    if (decision._tag !== "Act") throw new Error("it asks")
    return decision.facts
  }

  // contract.md: a status of Accepted, AcceptedCanceled, Unlocked, Scheduled or RebootRequired, or none, counts as Accepted; any other as Rejected.
  const statuses: ReadonlyArray<readonly [word: string | undefined, status: string]> = [
    ["Accepted", "Accepted"],
    ["Unlocked", "Accepted"],
    ["Scheduled", "Accepted"],
    ["RebootRequired", "Accepted"],
    ["accepted", "Accepted"],
    [undefined, "Accepted"],
    ["Rejected", "Rejected"],
    ["UnlockFailed", "Rejected"],
    ["NotSupported", "Rejected"],
    ["Unknown", "Rejected"],
    ["UnknownVendorId", "Rejected"],
    ["UnknownMessageId", "Rejected"],
    ["NotImplemented", "Rejected"],
    ["Faulted", "Rejected"],
    ["Occupied", "Rejected"],
    ["Unavailable", "Rejected"],
    ["Failed", "Rejected"],
    ["VersionMismatch", "Rejected"],
    ["NotFound", "Rejected"],
    ["AcceptedCanceled", "Accepted"],
    ["InvalidCertificate", "Rejected"],
    ["a word of its own", "Rejected"]
  ]
  for (const [word, status] of statuses) {
    it(`is ${status} for ${word ?? "an answer without a status"}`, () => {
      const answer = word === undefined ? { fileName: "log.tar" } : { status: word, more: 1 }
      expect(ended(said(word, answer))).toMatchObject([
        {
          type: "CommandAnswered",
          key: "command-answered|c-1",
          body: { commandId: "c-1", type: "Reset", status, result: answer }
        }
      ])
    })
  }

  const others: ReadonlyArray<readonly [CommandResult, string, string]> = [
    [{ _tag: "CallError", code: "NotImplemented", description: "no" }, "Failed", "NotImplemented"],
    [{ _tag: "TimedOut" }, "TimedOut", "Timeout"],
    [{ _tag: "Unreadable", problem: "no status", answer: { odd: true } }, "Failed", "UnreadableAnswer"]
  ]
  for (const [result, status, errorCode] of others) {
    it(`is ${status} for ${result._tag}`, () =>
      expect(ended(result)).toMatchObject([{ body: { status, result: { errorCode } } }]))
  }

  it("is recorded by the end of the connection when the connection is lost", () =>
    expect(ended({ _tag: "ConnectionLost" })).toEqual([]))

  const profile = (profileId: number): ChargingProfile => ({
    profileId,
    stackLevel: profileId,
    purpose: "TxDefaultProfile",
    kind: "Relative",
    schedule: { chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 16 }] }
  })
  const setting: ChargerCommand = {
    _tag: "SetChargingProfile",
    place: { evseId: 1, connectorId: 1 },
    profile: profile(1)
  }

  it("stores a profile that the charger accepted, not one that it refused, and removes it when it is cleared", () => {
    const facts = ended(said("Accepted"), setting)
    const recorded = { recorded: [true, true], existing: undefined }
    const after = evolve(state({}), facts, recorded)
    expect(after.profiles).toMatchObject([{ evseId: 1, profile: { profileId: 1 } }])
    expect(ended(said("Rejected"), setting)).toHaveLength(1)
    expect(ended({ _tag: "TimedOut" }, setting)).toHaveLength(1)
    const clear = {
      _tag: "CommandAnswered",
      commandId: "c-2",
      command: { _tag: "ClearChargingProfile" },
      result: said("Accepted")
    } as const
    const cleared = decide(after, clear, minute(1), ids)
    if (cleared._tag !== "Act") throw new Error("it asks")
    expect(evolve(after, cleared.facts, recorded).profiles).toEqual([])
  })
})

describe("what a charger is not sent because of its registration", () => {
  const sendable = (registration: "Pending" | "Rejected" | "Accepted") =>
    commandTypes.filter((_tag) => refusedTo(state({ registration }), { _tag } as ChargerCommand) === undefined)

  it("is nothing when it is Accepted", () => expect(sendable("Accepted")).toEqual(commandTypes))
  it("is remote starts and stops when it is Pending (OCPP 1.6 §4.2)", () =>
    expect(sendable("Pending")).toEqual(commandTypes.filter((type) => type !== "RemoteStart" && type !== "RemoteStop")))
  it("is everything when it is Rejected", () => expect(sendable("Rejected")).toEqual([]))
})

describe("the charging profiles of a transaction", () => {
  const profile = (profileId: number): ChargingProfile => ({
    profileId,
    stackLevel: 0,
    purpose: "TxProfile",
    kind: "Relative",
    schedule: { chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 16 }] }
  })
  const command = { _tag: "RemoteStart", tokenUid: "ANNA", chargingProfile: profile(1) } as const
  const remote = {
    commandId: "c-1",
    status: "Sent",
    errorCode: undefined,
    tokenUid: "ANNA",
    evseId: undefined
  } as const
  const charging = () => {
    const made = new ModelService()
    made.journal.tokens.set("anna", token("ANNA"))
    const charger = made.charger()
    made.journal.start = { ...made.journal.start, remoteStarts: [{ ...remote, sentAt: charger.now }] }
    const answer = () => {
      const input = { _tag: "CommandAnswered", commandId: "c-1", command, result: said("Accepted") } as const
      const decision = decide(charger.state, input, charger.now, made.ids)
      if (decision._tag !== "Act") throw new Error("it asks")
      const recorded = decision.facts.map(() => true)
      charger.state = evolve(charger.state, decision.facts, { recorded, existing: undefined })
    }
    const inForce = () =>
      (charger.state.profiles ?? []).map(({ awaits, profile: { profileId, transactionId } }) => [
        profileId,
        transactionId ?? awaits
      ])
    return { made, charger, answer, inForce }
  }

  it("belong to the transaction that follows the RemoteStart, whether the charger answers before or after it starts", () => {
    for (const isFirst of [true, false]) {
      const { answer, charger, inForce, made } = charging()
      if (isFirst) answer()
      const id = charger.start(started())
      if (!isFirst) answer()
      expect(inForce()).toEqual([[1, id]])
      made.journal.start = { ...made.journal.start, remoteStarts: [] }
      charger.say(ended(id))
      charger.start(started({ time: at(minute(40)), meterStartWh: 6000 }))
      expect(inForce()).toEqual([])
    }
  })

  it("wait for no other transaction if theirs has ended before the answer", () => {
    const { answer, charger, inForce } = charging()
    charger.say(ended(charger.start(started())))
    answer()
    expect(inForce()).toEqual([])
  })

  it.each([
    ["a stop (OCPP 1.6 §3.13.1)", (charger: ModelCharger, id: number) => charger.say(ended(id))],
    ["a stop that names no transaction", (charger: ModelCharger) => charger.say(ended(undefined))],
    [
      "the next start on its connector",
      (charger: ModelCharger) => charger.say(started({ time: at(minute(40)), meterStartWh: 6000 }))
    ]
  ])("end with it, by %s", (_, end) => {
    const { answer, charger, inForce, made } = charging()
    answer()
    const id = charger.start(started())
    expect(inForce()).toEqual([[1, id]])
    made.journal.start = { ...made.journal.start, remoteStarts: [] }
    end(charger, id)
    expect(inForce()).toEqual([])
  })
})
