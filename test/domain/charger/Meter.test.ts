import { describe, expect, it } from "vitest"
import type { ChargerTime } from "../../../src/domain/charger/ChargerEvent.ts"
import type { Sample } from "../../../src/domain/charger/MeterValue.ts"
import { at, ended, energy, evse, in1970, metered, minute, noTime, reading, started } from "../../support/events.ts"
import { type ModelCharger, ModelService } from "../../support/modelCharger.ts"

const charging = (): { charger: ModelCharger; id: number } => {
  const charger = new ModelService().charger()
  charger.now = minute(60)
  return { charger, id: charger.start(started()) }
}

const bodyOf = (charger: ModelCharger) => charger.factsOf("MeterRead").at(-1)?.body

describe("MeterValues", () => {
  it("that name a session of this charger are added to it and update its newest register", () => {
    const { charger, id } = charging()
    const { facts, questions, reply } = charger.say(metered(id, [reading(at(minute(10)), energy(2500))]))
    expect(reply).toEqual({ _tag: "Acknowledged" })
    expect(questions).toEqual([])
    expect(facts).toMatchObject([
      {
        type: "MeterRead",
        at: minute(10),
        body: { sessionId: "uuid-1", registerWh: 2500, registerAt: minute(10), fromStop: false }
      }
    ])
    expect(charger.state.sessions).toMatchObject([{ registerWh: 2500, registerAt: minute(10) }])
  })

  it("that arrive late do not replace the newer register", () => {
    const { charger, id } = charging()
    charger.say(metered(id, [reading(at(minute(20)), energy(4000)), reading(at(minute(15)), energy(3000))]))
    charger.say(metered(id, [reading(at(minute(10)), energy(2500))]))
    expect(charger.state.sessions).toMatchObject([{ registerWh: 4000, registerAt: minute(20) }])
    charger.forget()
    expect(charger.state.sessions).toMatchObject([{ registerWh: 4000, registerAt: minute(20) }])
  })

  const ends = [
    { name: "has ended", make: (charger: ModelCharger, id: number) => void charger.say(ended(id)), questions: [] },
    {
      name: "was superseded",
      make: (charger: ModelCharger) => void charger.start(started({ time: at(minute(40)) })),
      questions: []
    },
    {
      name: "is no longer in memory",
      make: (charger: ModelCharger, id: number) => {
        charger.say(ended(id))
        for (let n = 1; n <= 5; n++) charger.say(ended(charger.start(started({ time: at(minute(40 + n)) }))))
      },
      questions: ["FindSession"]
    }
  ]
  for (const { make, name, questions } of ends) {
    it(`are added to the session they name even if it ${name}`, () => {
      const { charger, id } = charging()
      make(charger, id)
      const said = charger.say(metered(id, [reading(at(minute(10)), energy(2500))]))
      expect(said.questions).toEqual(questions)
      expect(bodyOf(charger)?.sessionId).toBe("uuid-1")
    })
  }

  it("without readings are acknowledged and store nothing", () => {
    const { charger, id } = charging()
    expect(charger.say(metered(id, []))).toMatchObject({ facts: [], reply: { _tag: "Acknowledged" } })
  })

  it("without an energy register are stored too", () => {
    const { charger, id } = charging()
    charger.say(metered(id, [reading(at(minute(10)), energy(7200, { measurand: "Power.Active.Import", unit: "W" }))]))
    expect(bodyOf(charger)).toMatchObject({ sessionId: "uuid-1", registerWh: undefined, registerAt: undefined })
  })

  it("for a transaction this charger never had are stored outside any session, with one security event an hour", () => {
    const { charger } = charging()
    for (let n = 0; n < 5; n++) {
      const { questions, reply } = charger.say(metered(31_337, [reading(at(minute(n)), energy(n))]))
      expect([questions, reply]).toEqual([["FindSession"], { _tag: "Acknowledged" }])
    }
    expect(charger.factsOf("MeterRead").map(({ body }) => body.sessionId)).toEqual(Array(5).fill(undefined))
    expect(charger.factsOf("SecurityEventRecorded")).toMatchObject([{ body: { detail: "MeterValues 31337" } }])
    expect(charger.sessions).toMatchObject([{ registerWh: undefined }])
  })
})

describe("MeterValues that name no transaction", () => {
  const places = [
    { name: "on the session's connector are added to it", time: at(minute(10)), place: evse(1), sessionId: "uuid-1" },
    {
      name: "on another connector are added to no session",
      time: at(minute(10)),
      place: evse(2),
      sessionId: undefined
    },
    { name: "of the main meter are added to no session", time: at(minute(10)), place: evse(0), sessionId: undefined },
    {
      name: "from before the start are added to no session",
      time: at(minute(-1)),
      place: evse(1),
      sessionId: undefined
    },
    { name: "without a time are dated by receipt", time: noTime, place: evse(1), sessionId: "uuid-1" },
    { name: "from 1970 are dated by receipt", time: in1970(5), place: evse(1), sessionId: "uuid-1" }
  ]
  for (const { name, place, sessionId, time } of places) {
    it(name, () => {
      const { charger } = charging()
      expect(charger.say(metered(undefined, [reading(time, energy(2000))], { place })).questions).toEqual([])
      expect(bodyOf(charger)).toMatchObject({ evseId: place.evseId, sessionId })
    })
  }

  it("are stored outside any session when no transaction is running", () => {
    const { charger, id } = charging()
    charger.say(ended(id))
    charger.say(metered(undefined, [reading(at(minute(31)), energy(6000))]))
    expect(bodyOf(charger)?.sessionId).toBeUndefined()
  })

  it("but were taken before the session ended are added to it", () => {
    const { charger, id } = charging()
    charger.say(ended(id))
    charger.say(metered(undefined, [reading(at(minute(29)), energy(5900))]))
    expect(bodyOf(charger)?.sessionId).toBe("uuid-1")
  })

  it("are added to the session that was running at their time, not to the one that superseded it", () => {
    const { charger } = charging()
    charger.start(started({ time: at(minute(40)), meterStartWh: 6000 }))
    charger.say(metered(undefined, [reading(at(minute(39)), energy(5900))]))
    expect(bodyOf(charger)?.sessionId).toBe("uuid-1")
    charger.say(metered(undefined, [reading(at(minute(41)), energy(6100))]))
    expect(bodyOf(charger)?.sessionId).toBe("uuid-2")
  })
})

describe("repeated MeterValues", () => {
  const again = (time: ChargerTime, first = energy(2000), second = first) => {
    const { charger, id } = charging()
    charger.say(metered(id, [reading(time, first)]))
    charger.forget()
    charger.say(metered(id, [reading(time, second)]))
    return charger.factsOf("MeterRead").length
  }

  it("under a new message id are stored once", () => expect(again(at(minute(10)))).toBe(1))
  it("from a clock in 1970 are stored once", () => expect(again(in1970(99))).toBe(1))
  it("without any timestamp are stored as different ones", () => expect(again(noTime)).toBe(2))
  it("with a timestamp of zero are stored as different ones", () => expect(again(in1970(0))).toBe(2))

  const differences = [
    { name: "value", parts: { value: "2001" } },
    { name: "phase", parts: { phase: "L1" } },
    { name: "measurand", parts: { measurand: "Energy.Active.Export.Register" } },
    { name: "location", parts: { location: "Inlet" } },
    { name: "context", parts: { context: "Transaction.End" } },
    { name: "unit", parts: { unit: "kWh" } },
    { name: "format", parts: { format: "SignedData" } }
  ]
  for (const { name, parts } of differences) {
    it(`with another ${name} are stored as different ones`, () =>
      expect(again(at(minute(10)), energy(2000), energy(2000, parts))).toBe(2))
  }

  it("with another unparsed timestamp are stored as different ones, even when the contents contain the separators", () => {
    const { charger, id } = charging()
    const odd = (rawAt: string, ...samples: ReadonlyArray<Sample>) => ({ at: minute(10), rawAt, samples })
    const one = energy("1", { phase: "L1" })
    // Values that contain the separators of the key.
    charger.say(metered(id, [odd("x", energy("7 Wh", { unit: "Wh" }), one)]))
    charger.say(metered(id, [odd("x", energy("7", { unit: "Wh Wh" }), one)]))
    charger.say(metered(id, [odd("x", energy("7"), one), odd("y", one)]))
    charger.say(metered(id, [odd("x", energy("7"), one, energy(";y")), odd("", one)]))
    expect(charger.factsOf("MeterRead")).toHaveLength(4)
  })
})
