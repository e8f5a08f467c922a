/** Stops and readings whose transaction id is of no use, or is that of another session. */
import { describe, expect, it } from "vitest"
import {
  at,
  ended,
  energy,
  evse,
  metered,
  minute,
  reading,
  started,
  state,
  status,
  token
} from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const withConnectors = (n: number) => {
  const service = new ModelService()
  for (const uid of ["anna", "bert"]) service.journal.tokens.set(uid, token(uid))
  const { connectors } = state()
  const charger = service.charger({
    connectors: Array.from({ length: n }, (_, i) => ({ ...connectors[0]!, ...evse(i + 1) }))
  })
  charger.now = minute(40)
  return charger
}

const ends = ({ sessions }: ReturnType<typeof withConnectors>) =>
  sessions.map(({ end, status }) => [status, end?.body.energyWh])

describe("a stop without a transaction id and without a card", () => {
  it("ends the only session of a charger with one connector", () => {
    const charger = withConnectors(1)
    charger.start(started())
    charger.say(ended(undefined, { tokenUid: undefined, rawTransactionId: "0" }))
    expect(ends(charger)).toEqual([["Ended", 5000]])
    // Its repeat ends no session that has begun since.
    charger.start(started({ time: at(minute(31)), meterStartWh: 6000 }))
    charger.say(ended(undefined, { tokenUid: undefined, rawTransactionId: "0" }))
    expect(ends(charger)).toEqual([
      ["Ended", 5000],
      ["Open", undefined]
    ])
  })

  it("ends nothing if the register is below the start's, or if there are more connectors", () => {
    const one = withConnectors(1)
    one.start(started({ meterStartWh: 7000 }))
    one.say(ended(undefined, { tokenUid: undefined }))
    const two = withConnectors(2)
    two.start(started())
    two.say(ended(undefined, { tokenUid: undefined }))
    expect([...ends(one), ...ends(two)]).toEqual([
      ["Open", undefined],
      ["Open", undefined]
    ])
  })
})

describe("a stop without a transaction id", () => {
  it("does not end a session that cannot have reached its register, if there are more connectors: the start of another was lost", () => {
    const charger = withConnectors(2)
    const id = charger.start(started())
    charger.say(metered(id, [reading(at(minute(10)), energy(3000))]))
    charger.say(ended(undefined, { meterStopWh: 73_000 }))
    expect(ends(charger)).toEqual([["Open", undefined]])
    charger.say(ended(undefined, { meterStopWh: 9_000 }))
    expect(ends(charger)).toEqual([["Ended", 8000]])
  })

  it("ends it if the charger has one connector", () => {
    const charger = withConnectors(1)
    const id = charger.start(started())
    charger.say(metered(id, [reading(at(minute(10)), energy(3000))]))
    charger.say(ended(undefined))
    expect(ends(charger)).toEqual([["Ended", 5000]])
  })
})

describe("the id of a session that has ended", () => {
  /** A session from 12:00 to 12:10 that took 1000 Wh, and one that runs since 12:12. */
  const next = () => {
    const charger = withConnectors(1)
    const first = charger.start(started())
    charger.say(ended(first, { time: at(minute(10)), meterStopWh: 2000 }))
    const second = charger.start(started({ time: at(minute(12)), meterStartWh: 2000 }))
    return { charger, first, second }
  }

  it("on readings of the next session does not take them from it", () => {
    const { charger, first } = next()
    charger.say(metered(first, [reading(at(minute(20)), energy(4500))]))
    expect(charger.state.sessions.map(({ registerWh }) => registerWh)).toEqual([undefined, 4500])
  })

  it("on late readings of its own session leaves them there", () => {
    const { charger, first } = next()
    charger.say(metered(first, [reading(at(minute(8)), energy(1800))]))
    expect(charger.state.sessions[1]?.registerWh).toBe(undefined)
  })

  it("on the next session's stop ends that session, once", () => {
    const { charger, first, second } = next()
    const stop = ended(first, { time: at(minute(30)), meterStopWh: 6000 })
    charger.say(stop)
    charger.say(stop)
    charger.say(ended(second, { time: at(minute(30)), meterStopWh: 6000 }))
    expect(ends(charger)).toEqual([
      ["Ended", 1000],
      ["Ended", 4000]
    ])
    expect(charger.service.journal.orphans).toEqual([])
  })

  it("on another stop of its own session contradicts the first as before", () => {
    const { charger, first } = next()
    charger.say(ended(first, { time: at(minute(11)), meterStopWh: 1900 }))
    charger.say(ended(first, { time: at(minute(30)), meterStopWh: 6000, tokenUid: "BERT" }))
    expect(ends(charger)).toEqual([
      ["Ended", 1000],
      ["Open", undefined]
    ])
    expect(charger.service.journal.orphans).toHaveLength(2)
  })
})

it("A stop that is repeated with the time of its repeat contradicts nothing, one that is minutes apart does", () => {
  const charger = withConnectors(1)
  const id = charger.start(started())
  for (const second of [0, 1, 2]) charger.say(ended(id, { time: at(minute(30) + second * 1000) }))
  expect(charger.service.journal.orphans).toEqual([])
  charger.say(ended(id, { time: at(minute(32)) }))
  expect(charger.service.journal.orphans).toHaveLength(1)
})

it("A stop a few Wh below its start is a session without energy, and not held", () => {
  const charger = withConnectors(1)
  charger.say(ended(charger.start(started()), { meterStopWh: 993 }))
  expect(charger.sessions[0]?.end?.body).toMatchObject({ energyWh: 0, heldReason: undefined, rawMeterStopWh: 993 })
  charger.say(status({ status: "Finishing" }))
})
