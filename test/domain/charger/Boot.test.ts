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
  it("from an accepted charger is stored, answered with the heartbeat interval, and followed by delayed queries", () => {
    const charger = new ModelService().charger(unheard)
    const { facts, followUps, reply } = charger.say(boot({ serialNumber: "S-1" }))
    expect(reply).toEqual({ _tag: "BootAnswered", status: "Accepted", intervalSeconds: 300 })
    expect(facts).toMatchObject([
      { type: "ChargerBooted", epoch: 7, body: { vendor: "Voltbau", serialNumber: "S-1", registration: "Accepted" } }
    ])
    expect(followUps).toEqual([
      { command: trigger("StatusNotification"), afterMillis: 3000 },
      { command: getConfiguration, afterMillis: 4000 }
    ])
    expect(charger.state).toMatchObject({ booted: true, vendor: "Voltbau", model: "Säule 2", firmwareVersion: "1.2.3" })
  })

  it("from a charger whose connectors are known is followed by the configuration query only", () => {
    const { followUps } = new ModelService().charger().say(boot())
    expect(followUps).toEqual([{ command: getConfiguration, afterMillis: 4000 }])
  })

  it("from a charger that has reported its own status but no connector's is followed by both queries", () => {
    const whole = { ...evse(0), status: "Available", errorCode: "NoError", at: minute(0), heardAt: minute(0) } as const
    expect(new ModelService().charger({ connectors: [whole] }).say(boot()).followUps).toHaveLength(2)
  })

  for (const [registration, intervalSeconds] of [
    ["Pending", 60],
    ["Rejected", 600]
  ] as const) {
    it(`from a ${registration} charger is stored, answered with that status and a retry interval, and followed by no queries`, () => {
      const charger = new ModelService().charger({ ...unheard, registration })
      const { facts, followUps, reply } = charger.say(boot())
      expect(reply).toEqual({ _tag: "BootAnswered", status: registration, intervalSeconds })
      expect(facts).toMatchObject([{ type: "ChargerBooted", body: { registration } }])
      expect(followUps).toEqual([])
      expect(charger.state).toMatchObject({ booted: false, vendor: "Voltbau" })
    })
  }

  it("on an older connection is answered but changes nothing", () => {
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
    { name: "a fully known charger is asked for nothing", parts: {}, asks: [] },
    {
      name: "a charger that never reported anything is asked for a boot notification and its statuses",
      parts: unheard,
      asks: ["BootNotification", "StatusNotification"]
    },
    {
      name: "a charger without a model is asked for a boot notification",
      parts: { model: "" },
      asks: ["BootNotification"]
    },
    {
      name: "a charger that never booted is asked for a boot notification, even if its model is known",
      parts: { booted: false },
      asks: ["BootNotification"]
    },
    {
      name: "a charger without connectors is asked for their statuses",
      parts: { connectors: [] },
      asks: ["StatusNotification"]
    },
    {
      name: "a charger without a configuration is asked for it",
      parts: { configured: undefined },
      asks: ["GetConfiguration"]
    },
    {
      name: "a charger that booted on this connection is not asked again",
      parts: { bootedHere: true, configured: false, connectors: [] },
      asks: []
    },
    {
      name: "a pending charger is asked only for a boot notification",
      parts: { ...unheard, registration: "Pending" },
      asks: ["BootNotification"]
    },
    {
      name: "a pending charger whose make is known is asked for nothing",
      parts: { booted: false, connectors: [], registration: "Pending" },
      asks: []
    },
    {
      name: "a charger that was accepted after it booted on an earlier connection is asked for a boot notification again",
      parts: { bootedHere: false },
      asks: ["BootNotification"]
    },
    { name: "a rejected charger is asked for nothing", parts: { ...unheard, registration: "Rejected" }, asks: [] }
  ]
  for (const { asks, name, parts } of cases) it(`shows that ${name}`, () => expect(asked(parts)).toEqual(asks))
})

describe("a charger that has gone silent and never answered a ping", () => {
  const ids = { transactionId: 1, uuid: () => "uuid" }
  for (const [registration, commands] of [
    ["Accepted", [trigger("Heartbeat")]],
    ["Pending", [trigger("Heartbeat")]],
    // A rejected charger sends no answers (OCPP 1.6 §4.2).
    ["Rejected", []]
  ] as const) {
    it(`is asked for ${commands.length === 0 ? "nothing" : "a heartbeat"} when it is ${registration}`, () => {
      const decision = decide(state({ registration }), { _tag: "Doubted" }, minute(0), ids)
      if (decision._tag !== "Act") throw new Error("it asks")
      expect([decision.facts, decision.reply]).toEqual([[], undefined])
      expect(decision.followUps).toEqual(commands.map((command) => ({ command, afterMillis: 0 })))
    })
  }
})
