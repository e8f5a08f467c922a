import { describe, expect, it } from "vitest"
import type { ChargerState } from "../../../src/domain/charger/ChargerState.ts"
import { decide } from "../../../src/domain/decide/Decide.ts"
import { boot, evse, minute, state } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const unheard: Partial<ChargerState> = {
  booted: false,
  vendor: "",
  model: "",
  firmwareVersion: "",
  configured: false,
  connectors: []
}

const getConfiguration = { _tag: "GetConfiguration", keys: [] }
const trigger = (requestedMessage: string) => ({ _tag: "TriggerMessage", requestedMessage, connectorId: undefined })

describe("a BootNotification", () => {
  it("of an accepted charger is stored, answered with the heartbeat interval, and followed by questions after a pause", () => {
    const charger = new ModelService().charger(unheard)
    const { facts, followUps, reply } = charger.say(boot({ serialNumber: "S-1" }))
    expect(reply).toEqual({ _tag: "BootAnswered", status: "Accepted", intervalSeconds: 300 })
    expect(facts).toMatchObject([
      { type: "ChargerBooted", epoch: 7, body: { vendor: "Voltbau", serialNumber: "S-1", registration: "Accepted" } }
    ])
    expect(followUps).toEqual([
      { command: getConfiguration, afterMillis: 3000 },
      { command: trigger("StatusNotification"), afterMillis: 5000 }
    ])
    expect(charger.state).toMatchObject({ booted: true, vendor: "Voltbau", model: "Säule 2", firmwareVersion: "1.2.3" })
  })

  it("of a charger whose connectors are known is followed by the configuration only", () => {
    const { followUps } = new ModelService().charger().say(boot())
    expect(followUps).toEqual([{ command: getConfiguration, afterMillis: 3000 }])
  })

  it("of a charger that has told of itself only, not of its connectors, is followed by both questions", () => {
    const whole = { ...evse(0), status: "Available", errorCode: "NoError", at: minute(0) } as const
    expect(new ModelService().charger({ connectors: [whole] }).say(boot()).followUps).toHaveLength(2)
  })

  for (const [registration, intervalSeconds] of [
    ["Pending", 60],
    ["Rejected", 600]
  ] as const) {
    it(`of a ${registration} charger is stored, answered so with a time to wait, and followed by nothing`, () => {
      const charger = new ModelService().charger({ ...unheard, registration })
      const { facts, followUps, reply } = charger.say(boot())
      expect(reply).toEqual({ _tag: "BootAnswered", status: registration, intervalSeconds })
      expect(facts).toMatchObject([{ type: "ChargerBooted", body: { registration } }])
      expect(followUps).toEqual([])
      expect(charger.state).toMatchObject({ booted: false, vendor: "Voltbau" })
    })
  }

  it("of an older connection is answered and changes nothing", () => {
    const service = new ModelService()
    const old = service.charger()
    service.charger({ epoch: 8 })
    const { outcome, reply } = old.say(boot({ firmwareVersion: "9" }))
    expect([outcome.recorded, reply._tag]).toEqual([[false], "BootAnswered"])
    expect(old.state.firmwareVersion).toBe("1.2.3")
  })
})

describe("a connection that has settled", () => {
  const ids = { transactionId: 1, uuid: () => "uuid" }
  const asked = (parts: Partial<ChargerState>) => {
    const decision = decide(state(parts), { _tag: "Settled" }, minute(0), ids)
    if (decision._tag !== "Act") throw new Error("it asks")
    expect([decision.facts, decision.reply]).toEqual([[], undefined])
    return decision.followUps.map(({ command }) =>
      "requestedMessage" in command ? command.requestedMessage : command._tag
    )
  }

  const cases: ReadonlyArray<{ name: string; parts: Partial<ChargerState>; asks: ReadonlyArray<string> }> = [
    { name: "a charger that is fully known is asked nothing", parts: {}, asks: [] },
    {
      name: "one that never told of itself is asked to boot and for its statuses",
      parts: unheard,
      asks: ["BootNotification", "StatusNotification"]
    },
    { name: "one without a model is asked to boot", parts: { model: "" }, asks: ["BootNotification"] },
    {
      name: "one that never booted is asked to, though its name is known",
      parts: { booted: false },
      asks: ["BootNotification"]
    },
    {
      name: "one without connectors is asked for their statuses",
      parts: { connectors: [] },
      asks: ["StatusNotification"]
    },
    {
      name: "one without a configuration is asked for it",
      parts: { configured: undefined },
      asks: ["GetConfiguration"]
    },
    {
      name: "one that booted on this connection was asked already",
      parts: { bootedHere: true, configured: false, connectors: [] },
      asks: []
    },
    {
      name: "a pending one is asked only who it is",
      parts: { ...unheard, registration: "Pending" },
      asks: ["BootNotification"]
    },
    {
      name: "a pending one that has said so is left alone",
      parts: { booted: false, connectors: [], registration: "Pending" },
      asks: []
    },
    {
      name: "one that was accepted since it booted here is asked to boot again",
      parts: { bootedHere: false },
      asks: ["BootNotification"]
    },
    { name: "a rejected one is left alone", parts: { ...unheard, registration: "Rejected" }, asks: [] }
  ]
  for (const { asks, name, parts } of cases) it(`shows that ${name}`, () => expect(asked(parts)).toEqual(asks))
})

describe("a charger that is silent and has never answered a ping", () => {
  const ids = { transactionId: 1, uuid: () => "uuid" }
  for (const [registration, commands] of [
    ["Accepted", [trigger("Heartbeat")]],
    ["Pending", [trigger("Heartbeat")]],
    // It answers nothing (OCPP 1.6 §4.2).
    ["Rejected", []]
  ] as const) {
    it(`is asked for ${commands.length === 0 ? "nothing" : "a heartbeat"} where it is ${registration}`, () => {
      const decision = decide(state({ registration }), { _tag: "Doubted" }, minute(0), ids)
      if (decision._tag !== "Act") throw new Error("it asks")
      expect([decision.facts, decision.reply]).toEqual([[], undefined])
      expect(decision.followUps).toEqual(commands.map((command) => ({ command, afterMillis: 0 })))
    })
  }
})
