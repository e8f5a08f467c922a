/**
 * For any meter and connector: when a session's end shows nothing unusual and its surroundings agree, the whole ledger shows no
 * doubt and no unknown meter; and the meter as seen at the end is the meter that the ledger shows.
 */
import { expect, it } from "vitest"
import { isBelievable } from "../../../src/domain/charger/Clock.ts"
import type { KnownSession } from "../../../src/domain/charger/ChargerState.ts"
import type { MeterRead, SessionStarted } from "../../../src/domain/charger/Fact.ts"
import type { MeteredReading, Sample } from "../../../src/domain/charger/MeterValue.ts"
import { startedSession } from "../../../src/domain/session/Started.ts"
import type { ChargingSession } from "../../../src/domain/session/ChargingSession.ts"
import { connectorMeterOf } from "../../../src/domain/session/ConnectorMeter.ts"
import { courseBegun, courseWith, isSettled, plainEnd } from "../../../src/domain/session/Course.ts"
import { ending } from "../../../src/domain/session/Ending.ts"
import type { Observed } from "../../../src/domain/session/Ledger.ts"
import { doubtOf } from "../../../src/domain/session/Plausibility.ts"
import { withRegister } from "../../../src/domain/session/Register.ts"
import { energy, minute } from "../../support/events.ts"
import { forSeeds, type Random } from "../../support/random.ts"

const second = 1_000
const place = { evseId: 1, connectorId: 1, sessionId: "s", fromStop: false }

const startOf = (random: Random, from: number): SessionStarted => ({
  type: "SessionStarted",
  key: "start",
  organisationId: "o",
  chargerId: "c",
  at: minute(0),
  heardAt: minute(0),
  body: {
    evseId: 1,
    connectorId: 1,
    sessionId: "s",
    transactionId: 1,
    tokenUid: "ANNA",
    meterStartWh: from,
    reservationId: undefined,
    authorization: {
      status: random.chance(0.95) ? "Accepted" : "Invalid",
      source: "LocalToken",
      decidedAt: minute(0),
      expiresAt: undefined,
      parentUid: undefined
    },
    rawAt: undefined,
    supersedes: [],
    meterStartMissing: random.chance(0.05) ? true : undefined
  }
})

const power: Sample = energy("7000", { measurand: "Power.Active.Import", unit: "W" })

/** Mostly a register that grows over time, in steps of its make; occasionally something else. */
const readingsOf = (random: Random, from: number): ReadonlyArray<MeteredReading> => {
  const step = random.pick([1, 1, 7, 10, 100, 1000])
  const odd = random.pick([0, 0, 0.1])
  let at = minute(0)
  let wh = Math.ceil(from / step) * step
  return Array.from({ length: random.pick([0, 1, 3, 4, 5, 12]) }, () => {
    at += random.pick([0, 1, 60, 900]) * second
    wh += step * random.between(0, random.pick([1, 3, 300]))
    const isOdd = random.chance(odd)
    return {
      at: isOdd ? random.pick([at - 120 * second, minute(0) - second, at + 10 * 86_400 * second, 0, undefined]) : at,
      rawAt: undefined,
      samples: random.chance(0.2) ? [power] : [],
      registerWh: random.chance(odd) ? random.pick([undefined, 0, wh - 5, wh - 2000, wh + 50_000]) : wh
    }
  })
}

interface Outcome {
  readonly isPlain: boolean
  readonly isSettled: boolean
}

const tried = (random: Random): Outcome => {
  const from = random.pick([0, 1, 5000, random.between(0, 2_000_000)])
  const start = startOf(random, from)
  const readings = readingsOf(random, from)
  const heardAt = minute(600)
  let session: KnownSession = startedSession(start)
  let course = courseBegun(start)
  for (const reading of readings) {
    const registerAt = reading.registerWh === undefined ? undefined : (reading.at ?? heardAt)
    const body: MeterRead["body"] = { ...place, readings: [reading], registerWh: reading.registerWh, registerAt }
    session = withRegister(session, body)
    course = courseWith(course, { body, heardAt })
  }
  const last = readings.reduce((most, { at = 0 }) => Math.max(most, at), minute(0))
  const most = readings.reduce((wh, { registerWh = 0 }) => Math.max(wh, registerWh), from)
  const figures = {
    at: last + random.pick([0, 60, 3600, -30, 70 * 86_400]) * second,
    rawAt: undefined,
    tokenUid: "ANNA",
    meterStopWh: random.pick([most, most + 1, most + random.between(0, 4000), most + 900_000, from, 0, undefined]),
    reason: undefined
  }
  const { at, body } = ending(session, figures, session.registerWh)
  const plain = plainEnd(session, course, { at, body })
  const stopped = random.pick([from, from - 5, from + 5, from - 4000, from + 4000])
  const before = random.chance(0.5) ? { meterStartWh: stopped - 3000, meterStopWh: stopped } : undefined
  const maxPowerW = random.pick([undefined, undefined, 3700, 22_000, 350_000])
  const observed: Observed = {
    session: {
      organisationId: "o",
      chargerId: "c",
      evseId: 1,
      connectorId: 1,
      startedAt: start.at,
      endedAt: at,
      meterStartWh: body.meterStartWh ?? from,
      meterStopWh: body.meterStopWh,
      energyWh: body.energyWh ?? 0,
      authorization: { status: start.body.authorization.status }
    } as ChargingSession,
    timeZone: "UTC",
    // An implausible time is replaced by the time of receipt, as in storage.
    readings: readings
      .flatMap(({ at: time, registerWh, samples }) =>
        registerWh === undefined ? [] : [{ at: isBelievable(time, heardAt) ? time : heardAt, registerWh, samples }]
      )
      .toSorted((a, b) => a.at - b.at),
    surroundings: { maxPowerW, before }
  }
  if (plain === undefined) return { isPlain: false, isSettled: false }
  const shown = connectorMeterOf(observed)
  const meter = shown && { stepWh: shown.stepWh, reportsPower: shown.reportsPower }
  expect(plain.meter).toEqual(meter)
  const kept = random.pick([meter, meter, undefined, { stepWh: 10, reportsPower: false }])
  const settled = isSettled({
    sessionId: "s",
    plain,
    meterStartWh: from,
    maxPowerW,
    before: before && { isSuperseded: false, meterStopWh: before.meterStopWh },
    meter: kept
  })
  if (settled) {
    expect(doubtOf(observed)).toBeUndefined()
    if (meter !== undefined) expect(kept).toEqual(meter)
  }
  return { isPlain: true, isSettled: settled }
}

it("a session that is not looked at again would have shown no doubt, and many ordinary sessions are not looked at again", () => {
  const outcomes: Array<Outcome> = []
  forSeeds(3000, (random) => void outcomes.push(tried(random)))
  if (outcomes.length < 1000) return
  const share = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length / outcomes.length
  expect(share(({ isPlain }) => isPlain)).toBeGreaterThan(0.15)
  expect(share(({ isSettled: settled }) => settled)).toBeGreaterThan(0.05)
})
