import { describe, expect, it } from "vitest"
import type { StatusReported } from "../../../src/domain/charger/ChargerEvent.ts"
import { connectorsKept } from "../../../src/domain/charger/ChargerState.ts"
import { at, evse, in1970, minute, noTime, state, status } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const charger = (parts = {}) => {
  const made = new ModelService().charger(parts)
  made.now = minute(60)
  return made
}

describe("a StatusNotification", () => {
  it("that says something new is stored with all it says", () => {
    const { facts, reply } = charger().say(
      status({ status: "Faulted", errorCode: "GroundFailure", info: "F3", vendorId: "Voltbau", vendorErrorCode: "17" })
    )
    expect(reply).toEqual({ _tag: "Acknowledged" })
    expect(facts).toMatchObject([
      {
        type: "ConnectorStatusChanged",
        at: minute(0),
        epoch: 7,
        body: {
          ...evse(1),
          status: "Faulted",
          rawStatus: "Faulted",
          errorCode: "GroundFailure",
          info: "F3",
          vendorErrorCode: "17"
        }
      }
    ])
  })

  it("that says what stands leaves nothing, whatever its time", () => {
    const { facts, reply } = charger().say(status({ time: at(minute(59)) }))
    expect([facts, reply]).toEqual([[], { _tag: "Acknowledged" }])
  })

  const news: ReadonlyArray<{ name: string; parts: Partial<StatusReported> }> = [
    { name: "status", parts: { status: "Charging" } },
    { name: "error code", parts: { errorCode: "EVCommunicationError" } },
    { name: "info", parts: { info: "door open" } },
    { name: "vendor", parts: { vendorId: "Voltbau" } },
    { name: "vendor's error code", parts: { vendorErrorCode: "17" } }
  ]
  for (const { name, parts } of news) {
    it(`with another ${name} is stored once`, () => {
      const one = charger()
      one.say(status(parts))
      one.say(status(parts))
      one.forget()
      one.say(status(parts))
      expect(one.factsOf("ConnectorStatusChanged")).toHaveLength(1)
    })
  }

  const orders = [
    {
      name: "older by the charger's clock than what stands",
      first: at(minute(5)),
      second: at(minute(4)),
      stands: "Charging"
    },
    { name: "newer", first: at(minute(5)), second: at(minute(6)), stands: "Available" },
    { name: "of the same second", first: at(minute(5)), second: at(minute(5)), stands: "Available" },
    { name: "without a time", first: at(minute(5)), second: noTime, stands: "Available" },
    { name: "after one without a time", first: noTime, second: at(minute(5)), stands: "Available" },
    { name: "from 1970", first: at(minute(5)), second: in1970(5), stands: "Available" },
    { name: "after one from 1970", first: in1970(5), second: at(minute(5)), stands: "Available" },
    {
      name: "after one from a clock that was ahead",
      first: at(minute(90)),
      second: at(minute(59)),
      stands: "Available"
    }
  ] as const
  for (const { first, name, second, stands } of orders) {
    it(`${name} leaves the connector ${stands}`, () => {
      const one = charger()
      one.say(status({ status: "Charging", time: first }))
      one.say(status({ status: "Available", time: second }))
      expect(one.state.connectors).toMatchObject([{ ...evse(1), status: stands }])
      one.forget()
      expect(one.state.connectors).toMatchObject([{ ...evse(1), status: stands }])
    })
  }

  const late = [
    { name: "says something else", second: "Available" },
    { name: "says what stands", second: "Charging" }
  ] as const
  for (const { name, second } of late) {
    it(`that is older than what stands and ${name} is kept as past, and leaves what stands`, () => {
      const one = charger()
      one.say(status({ status: "Charging", time: at(minute(5)) }))
      one.say(status({ status: second, time: at(minute(4)) }))
      expect(one.factsOf("PastStatusReported")).toMatchObject([{ at: minute(4), body: { ...evse(1), status: second } }])
      expect(one.state.connectors).toMatchObject([{ status: "Charging", at: minute(5) }])
      one.forget()
      expect(one.state.connectors).toMatchObject([{ status: "Charging", at: minute(5) }])
    })
  }

  it("that goes to and fro within a second, under one message id, is believed each time", () => {
    const one = charger()
    for (const word of ["Preparing", "Available", "Preparing"] as const) {
      one.say(status({ status: word, time: at(minute(5)) }), "always-the-same")
    }
    expect(one.state.connectors).toMatchObject([{ status: "Preparing" }])
  })

  it("of the whole charger stands beside the connectors'", () => {
    const one = charger()
    one.say(status({ place: evse(0), status: "Unavailable" }))
    expect(one.state.connectors).toMatchObject([{ evseId: 1 }, { evseId: 0, connectorId: 0, status: "Unavailable" }])
  })

  it("of a connector beyond the limit is acknowledged and not stored", () => {
    const connectors = Array.from({ length: connectorsKept }, (_, n) => ({ ...state().connectors[0]!, evseId: n }))
    const { facts, reply } = charger({ connectors }).say(status({ place: evse(connectorsKept) }))
    expect([facts, reply]).toEqual([[], { _tag: "Acknowledged" }])
  })

  it("of an older connection changes nothing that stands", () => {
    const service = new ModelService()
    const old = service.charger()
    service.charger({ epoch: 8 })
    const { outcome, reply } = old.say(status({ status: "Faulted" }))
    expect([outcome.recorded, reply]).toEqual([[false], { _tag: "Acknowledged" }])
    expect(old.state.connectors).toMatchObject([{ status: "Available" }])
  })
})
