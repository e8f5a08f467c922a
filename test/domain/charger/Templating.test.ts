import { describe, expect, it } from "vitest"
import type { CommandResult, ConfigurationKey } from "../../../src/domain/command/ChargerCommand.ts"
import type { ChargerState } from "../../../src/domain/charger/ChargerState.ts"
import { decide } from "../../../src/domain/decide/Decide.ts"
import type { Input } from "../../../src/domain/charger/Decision.ts"
import { evolve } from "../../../src/domain/decide/Evolve.ts"
import { askConfiguration, triggerStatus } from "../../../src/domain/decide/FollowUps.ts"
import { expectedOf, templateRound } from "../../../src/domain/decide/Templating.ts"
import type { ChargerFact, CommandIssued } from "../../../src/domain/charger/Fact.ts"
import { minute, state } from "../../support/events.ts"

let uuids = 0
const ids = { transactionId: 1, uuid: () => `uuid-${++uuids}` }

/** A charger that is sent its organisation's template, and its state after each message. */
class TemplatedCharger {
  state: ChargerState
  now = minute(0)

  constructor(parts: Partial<ChargerState>) {
    this.state = state(parts)
  }

  private decided(input: Input) {
    this.now += 1000
    const decision = decide(this.state, input, this.now, ids)
    if (decision._tag !== "Act") throw new Error("it asks")
    const recorded = decision.facts.map(() => true)
    this.state = evolve(this.state, decision.facts, { recorded, existing: undefined })
    return decision
  }

  boots() {
    const event = {
      _tag: "Booted" as const,
      vendor: "V",
      model: "M",
      serialNumber: undefined,
      firmwareVersion: "1",
      iccid: undefined,
      imsi: undefined,
      meterType: undefined,
      meterSerialNumber: undefined
    }
    return this.decided({ _tag: "Event", event, envelope: { messageId: `${this.now}`, raw: "" }, answers: {} })
  }

  reports(...keys: ReadonlyArray<ConfigurationKey>): ReadonlyArray<CommandIssued> {
    const result: CommandResult = {
      _tag: "Answered",
      status: undefined,
      answer: {},
      content: { _tag: "Configuration", keys, unknown: [] }
    }
    return issued(this.decided({ _tag: "CommandAnswered", command: askConfiguration, result }).facts)
  }

  answers({ body: { command, commandId } }: CommandIssued, status: string) {
    const result: CommandResult = { _tag: "Answered", status, answer: { status }, content: undefined }
    return this.decided({ _tag: "CommandAnswered", commandId, command, result }).followUps
  }
}

const issued = (facts: ReadonlyArray<ChargerFact>) => facts.filter((fact) => fact.type === "CommandIssued")
const key = (name: string, value: string, readonly = false) => ({ key: name, value, readonly })
const named = (commands: ReadonlyArray<CommandIssued>) => commands.map(({ body }) => body.parameters)

const withTemplate = (...template: ReadonlyArray<{ key: string; value: string }>): Partial<ChargerState> => ({
  policy: { ...state().policy, template },
  bootedHere: true
})

const two = withTemplate({ key: "HeartbeatInterval", value: "300" }, { key: "LocalPreAuthorize", value: "true" })

describe("an organisation's template", () => {
  it("is sent after a boot, key by key, as commands by the platform, and then the configuration is read again", () => {
    const charger = new TemplatedCharger(two)
    const commands = charger.reports(key("HeartbeatInterval", "60"), key("LocalPreAuthorize", "false"), key("X", "1"))
    expect(named(commands)).toEqual([
      { key: "HeartbeatInterval", value: "300" },
      { key: "LocalPreAuthorize", value: "true" }
    ])
    expect(commands[0]?.body).toMatchObject({ by: "platform", type: "ChangeConfiguration", expiresAt: null })
    expect(new Set(commands.map((one) => one.key)).size).toBe(2)
    expect(charger.answers(commands[0]!, "Accepted")).toEqual([])
    expect(charger.answers(commands[1]!, "Rejected")).toEqual([{ command: askConfiguration, afterMillis: 0 }])
    expect(charger.reports(key("HeartbeatInterval", "300"), key("LocalPreAuthorize", "false"))).toEqual([])
  })

  it("is not sent again when the charger accepts a change without applying it", () => {
    const charger = new TemplatedCharger(two)
    const [first] = charger.reports(key("HeartbeatInterval", "60"))
    charger.answers(first!, "Accepted")
    expect(charger.reports(key("HeartbeatInterval", "60"))).toEqual([])
  })

  it("does not override what an operator changes afterwards, until the next boot", () => {
    const charger = new TemplatedCharger(two)
    expect(charger.reports(key("HeartbeatInterval", "300"))).toEqual([])
    expect(charger.reports(key("HeartbeatInterval", "10"))).toEqual([])
    charger.boots()
    expect(named(charger.reports(key("HeartbeatInterval", "10")))).toEqual([{ key: "HeartbeatInterval", value: "300" }])
  })

  it("is not sent to a charger that only reconnected, or that is not accepted", () => {
    expect(new TemplatedCharger({ ...two, bootedHere: false }).reports(key("HeartbeatInterval", "60"))).toEqual([])
    expect(new TemplatedCharger({ ...two, registration: "Pending" }).reports(key("HeartbeatInterval", "60"))).toEqual(
      []
    )
  })

  it("is not sent twice when the configuration is reported while its commands are open", () => {
    const charger = new TemplatedCharger(two)
    expect(charger.reports(key("HeartbeatInterval", "60"))).toHaveLength(1)
    expect(charger.reports(key("HeartbeatInterval", "60"), key("LocalPreAuthorize", "false"))).toEqual([])
  })

  it("is sent in rounds, so that the queue has room for other commands", () => {
    const keys = Array.from({ length: templateRound + 3 }, (_, i) => ({ key: `Key${i}`, value: "1" }))
    const charger = new TemplatedCharger(withTemplate(...keys))
    const before = keys.map(({ key: name }) => key(name, "0"))
    const first = charger.reports(...before)
    expect(first).toHaveLength(templateRound)
    const followUps = first.flatMap((one) => charger.answers(one, "Accepted"))
    expect(followUps).toEqual([{ command: askConfiguration, afterMillis: 0 }])
    const second = charger.reports(...before.map((one, i) => (i < templateRound ? key(one.key, "1") : one)))
    expect(named(second).map((one) => one["key"])).toEqual(["Key16", "Key17", "Key18"])
  })

  it("is not followed by a new query when every key was refused", () => {
    const charger = new TemplatedCharger(two)
    const [only] = charger.reports(key("HeartbeatInterval", "60"))
    expect(charger.answers(only!, "Rejected")).toEqual([])
  })
})

describe("a make's quirks", () => {
  const granted = (tolerances: object, parts: Partial<ChargerState> = {}) =>
    new TemplatedCharger({
      vendor: "V",
      policy: { ...state().policy, quirks: [{ name: "own", vendor: "V", tolerances }] },
      ...parts
    })

  it("can add the heartbeat interval as a key, unless the template has it already", () => {
    const quirks = [{ name: "own", vendor: "V", tolerances: { heartbeatByConfiguration: true } }]
    const make = { vendor: "V", model: "M", firmwareVersion: "1" }
    const policy = { quirks, heartbeatIntervalSeconds: 240 }
    expect(expectedOf(make, policy)).toEqual([{ key: "HeartbeatInterval", value: "240" }])
    const template = [{ key: "heartbeatInterval", value: "7" }]
    expect(expectedOf(make, { ...policy, template })).toEqual(template)
    expect(expectedOf({ ...make, vendor: "W" }, policy)).toEqual([])
  })

  it("can prevent the configuration query after a boot", () => {
    const asks = ({ followUps }: { followUps: ReadonlyArray<{ command: object }> }) =>
      followUps.map(({ command }) => command)
    expect(asks(granted({}).boots())).toContain(askConfiguration)
    expect(asks(granted({ skipConfigurationAfterBoot: true }).boots())).not.toContain(askConfiguration)
  })

  it("can add a query for statuses that are already known", () => {
    const connectors = [
      {
        evseId: 1,
        connectorId: 1,
        status: "Available" as const,
        errorCode: undefined,
        at: minute(0),
        heardAt: minute(0)
      }
    ]
    const asks = (charger: TemplatedCharger) => {
      const decision = decide(charger.state, { _tag: "Settled" }, minute(1), ids)
      return decision._tag === "Act" ? decision.followUps.map(({ command }) => command) : []
    }
    expect(asks(granted({}, { connectors, booted: true }))).not.toContain(triggerStatus)
    expect(asks(granted({ statusAfterConnect: true }, { connectors, booted: true }))).toContain(triggerStatus)
    const boots = granted({ statusAfterConnect: true }, { connectors }).boots()
    expect(boots.followUps.map(({ command }) => command)).toContain(triggerStatus)
  })
})
