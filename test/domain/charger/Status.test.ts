import { describe, expect, it } from "vitest"
import type { StatusReported } from "../../../src/domain/charger/ChargerEvent.ts"
import { connectorsKept } from "../../../src/domain/charger/ChargerState.ts"
import {
  at,
  ended,
  energy,
  evse,
  in1970,
  metered,
  minute,
  noTime,
  reading,
  started,
  state,
  status,
  token
} from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const charger = (parts = {}) => {
  const made = new ModelService().charger(parts)
  made.now = minute(60)
  return made
}

describe("a StatusNotification", () => {
  it("that reports something new is stored with all its fields", () => {
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

  it("that reports the current status stores nothing, whatever its time", () => {
    const { facts, reply } = charger().say(status({ time: at(minute(59)) }))
    expect([facts, reply]).toEqual([[], { _tag: "Acknowledged" }])
  })

  it("that reports a free connector again is stored once, if a session has begun there since", () => {
    const service = new ModelService()
    service.journal.tokens.set("anna", token("ANNA"))
    const one = service.charger()
    one.start(started({ time: noTime }))
    const again = one.say(status({ time: noTime }))
    expect(again.facts).toMatchObject([
      { type: "ConnectorStatusChanged", heardAt: one.now, body: { status: "Available" } }
    ])
    expect(one.say(status({ time: noTime })).facts).toEqual([])
  })

  it("with an unknown word does not make a connector free while a session runs there", () => {
    const one = charger()
    const unknown = status({ status: "Unavailable", rawStatus: "Parked", time: noTime })
    one.start(started({ time: noTime }))
    expect(one.say(unknown).facts).toMatchObject([{ body: { status: "Charging", rawStatus: "Parked" } }])
    const refused = charger()
    refused.say(started({ tokenUid: "STRANGER", time: noTime }))
    expect(refused.say(unknown).facts.map(({ type }) => type)).toEqual(["ConnectorStatusChanged"])
    expect(charger().say(unknown).facts).toMatchObject([{ body: { status: "Unavailable" } }])
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
      name: "older by the charger's clock than the current one",
      first: at(minute(5)),
      second: at(minute(4)),
      expected: "Charging"
    },
    {
      name: "older than one that was received in the very millisecond of its time",
      // The model's clock advances by a second with each message.
      first: at(minute(60) + 1000),
      second: at(minute(59)),
      expected: "Charging"
    },
    { name: "newer", first: at(minute(5)), second: at(minute(6)), expected: "Available" },
    { name: "of the same second", first: at(minute(5)), second: at(minute(5)), expected: "Available" },
    { name: "without a time", first: at(minute(5)), second: noTime, expected: "Available" },
    { name: "after one without a time", first: noTime, second: at(minute(5)), expected: "Available" },
    { name: "from 1970", first: at(minute(5)), second: in1970(5), expected: "Available" },
    { name: "after one from 1970", first: in1970(5), second: at(minute(5)), expected: "Available" },
    {
      name: "after one from a clock that was ahead",
      first: at(minute(90)),
      second: at(minute(59)),
      expected: "Available"
    }
  ] as const
  for (const { expected, first, name, second } of orders) {
    it(`${name} leaves the connector ${expected}`, () => {
      const one = charger()
      one.say(status({ status: "Charging", time: first }))
      one.say(status({ status: "Available", time: second }))
      expect(one.state.connectors).toMatchObject([{ ...evse(1), status: expected }])
      one.forget()
      expect(one.state.connectors).toMatchObject([{ ...evse(1), status: expected }])
    })
  }

  const late = [
    { name: "says something else", second: "Available" },
    { name: "repeats the current status", second: "Charging" }
  ] as const
  for (const { name, second } of late) {
    it(`that is older than the current one and ${name} is stored as past and does not replace it`, () => {
      const one = charger()
      one.say(status({ status: "Charging", time: at(minute(5)) }))
      one.say(status({ status: second, time: at(minute(4)) }))
      expect(one.factsOf("PastStatusReported")).toMatchObject([{ at: minute(4), body: { ...evse(1), status: second } }])
      expect(one.state.connectors).toMatchObject([{ status: "Charging", at: minute(5) }])
      one.forget()
      expect(one.state.connectors).toMatchObject([{ status: "Charging", at: minute(5) }])
    })
  }

  it("that alternates within a second, under one message id, is applied each time", () => {
    const one = charger()
    for (const word of ["Preparing", "Available", "Preparing"] as const) {
      one.say(status({ status: word, time: at(minute(5)) }), "always-the-same")
    }
    expect(one.state.connectors).toMatchObject([{ status: "Preparing" }])
  })

  it("of the whole charger is stored beside those of the connectors", () => {
    const one = charger()
    one.say(status({ place: evse(0), status: "Unavailable" }))
    expect(one.state.connectors).toMatchObject([{ evseId: 1 }, { evseId: 0, connectorId: 0, status: "Unavailable" }])
  })

  it("of a connector beyond the limit is acknowledged and not stored", () => {
    const connectors = Array.from({ length: connectorsKept }, (_, n) => ({ ...state().connectors[0]!, evseId: n }))
    const { facts, reply } = charger({ connectors }).say(status({ place: evse(connectorsKept) }))
    expect([facts, reply]).toEqual([[], { _tag: "Acknowledged" }])
  })

  it("on an older connection changes nothing", () => {
    const service = new ModelService()
    const old = service.charger()
    service.charger({ epoch: 8 })
    const { outcome, reply } = old.say(status({ status: "Faulted" }))
    expect([outcome.recorded, reply]).toEqual([[false], { _tag: "Acknowledged" }])
    expect(old.state.connectors).toMatchObject([{ status: "Available" }])
  })
})

describe("a status that reports a connector as free", () => {
  /** A start with an unknown card, at 12:50. */
  const refused = (parts = {}) => {
    const one = charger(parts)
    return { one, transactionId: one.start(started({ tokenUid: "STRANGER", time: at(minute(50)) })) }
  }

  for (const word of ["Available", "Reserved", "Unavailable"] as const) {
    it(`(${word}) ends a refused start that took no energy, and does not hold it`, () => {
      const { one } = refused()
      one.say(status({ status: "Preparing", time: at(minute(51)) }))
      const { facts, reply } = one.say(status({ status: word, time: at(minute(52)) }))
      expect(reply).toEqual({ _tag: "Acknowledged" })
      expect(facts.map(({ type }) => type)).toEqual(["ConnectorStatusChanged", "SessionEnded"])
      expect(facts[1]).toMatchObject({
        at: minute(52),
        body: { reason: "DeAuthorized", heldReason: undefined, unheard: true }
      })
      expect(one.state.sessions).toMatchObject([{ status: "Superseded", supersededAt: minute(52) }])
    })
  }

  it("ends it even if the status is not new", () => {
    const { one } = refused()
    const { facts } = one.say(status({ time: at(minute(52)) }))
    expect(facts.map(({ type }) => type)).toEqual(["SessionEnded"])
    expect(one.say(status({ time: at(minute(53)) })).facts).toEqual([])
    one.forget()
    expect(one.state.sessions).toMatchObject([{ status: "Superseded" }])
  })

  it("lets the start's own stop replace that end", () => {
    const { one, transactionId } = refused()
    one.say(status({ time: at(minute(52)) }))
    one.say(ended(transactionId, { tokenUid: "STRANGER", time: at(minute(53)), meterStopWh: 3000 }))
    expect(one.factsOf("SessionEnded").map(({ body }) => body.energyWh)).toEqual([undefined, 2000])
    expect(one.state.sessions).toMatchObject([{ status: "Ended" }])
  })

  const others: ReadonlyArray<{ readonly name: string; readonly said: Partial<StatusReported> }> = [
    { name: "another status", said: { status: "Preparing", time: at(minute(52)) } },
    { name: "a fault", said: { status: "Faulted", time: at(minute(52)) } },
    { name: "another connector", said: { place: evse(2), time: at(minute(52)) } },
    { name: "the whole charger", said: { place: evse(0), time: at(minute(52)) } },
    { name: "a time before the start", said: { time: at(minute(49)) } }
  ]
  for (const { name, said } of others) {
    it(`ends nothing when it reports ${name}`, () => {
      const { one } = refused()
      one.say(status(said))
      expect(one.state.sessions).toMatchObject([{ status: "Open" }])
    })
  }

  it("ends nothing when energy flowed, or when the card was accepted", () => {
    const { one, transactionId } = refused()
    one.say(metered(transactionId, [reading(at(minute(51)), energy(1011))]))
    one.say(status({ time: at(minute(52)) }))
    const policy = { unknownTokens: "Accept", concurrentTransactions: "Refuse", heartbeatIntervalSeconds: 300 } as const
    const accepted = refused({ policy }).one
    accepted.say(status({ time: at(minute(52)) }))
    expect([one, accepted].map(({ state: { sessions } }) => sessions[0]?.status)).toEqual(["Open", "Open"])
  })
})
