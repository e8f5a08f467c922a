/** What a session after a reservation costs, and what an unused reservation costs. */
import { describe, expect, it } from "vitest"
import type { ChargingSession, SessionReservation, SessionStatus } from "../../../src/domain/session/ChargingSession.ts"
import { cdrOf } from "../../../src/domain/cdr/Cdr.ts"
import { type Ledger, priceOf } from "../../../src/domain/session/Ledger.ts"
import type { TariffBody } from "../../../src/domain/tariff/Tariff.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const minute = 60_000

const per = (type: "FLAT" | "TIME" | "ENERGY", price: number) => ({ type, price, stepSize: 1 })

const body: TariffBody = {
  currency: "EUR",
  minPrice: { exclVat: 5 },
  elements: [
    { priceComponents: [per("FLAT", 2), per("TIME", 6)], restrictions: { reservation: "RESERVATION" } },
    { priceComponents: [per("TIME", 12)], restrictions: { reservation: "RESERVATION_EXPIRES" } },
    { priceComponents: [per("ENERGY", 0.5)] }
  ]
}

const reservation: SessionReservation = {
  reservationId: 7,
  acceptedAt: noon - 20 * minute,
  expiresAt: noon + 10 * minute,
  used: true
}

const ledger = (status: SessionStatus, given: Partial<SessionReservation> | undefined, more = {}): Ledger => {
  const session = {
    id: "s",
    status,
    authorization: { status: "Accepted", source: "Reservation", decidedAt: noon, expiresAt: undefined, parentUid: "F" },
    startedAt: noon,
    endedAt: noon + 60 * minute,
    meterStartWh: 0,
    meterStopWh: 10_000,
    energyWh: 10_000,
    ...(given === undefined ? {} : { reservation: { ...reservation, ...given } }),
    ...more
  } as ChargingSession
  const tariff = { id: "t", organisationId: "o", version: 1, body, createdAt: 0, updatedAt: 0 }
  const surroundings = { maxPowerW: undefined, before: undefined }
  return { session, timeZone: "UTC", tariff, readings: [], surroundings }
}

const costs = (...given: Parameters<typeof ledger>) => {
  const { costs: parts, total } = priceOf(ledger(...given))
  return [parts.reservation.exclVat, total.exclVat]
}

describe("a session that used a reservation", () => {
  it("is charged the flat fee also when it starts at the moment of acceptance, as one without a length", () => {
    const { periods } = priceOf(ledger("COMPLETED", { acceptedAt: noon }))
    expect(costs("COMPLETED", { acceptedAt: noon })).toEqual([2, 7])
    expect(periods[0]).toEqual({
      startedAt: noon,
      endedAt: noon,
      energyWh: 0,
      charging: false,
      reserved: true,
      elements: { FLAT: 0 }
    })
  })

  it("is charged for the time from acceptance to its start, in addition to what it used", () => {
    const { costs: parts, durationMillis, parkingMillis, periods, total } = priceOf(ledger("COMPLETED", {}))
    expect([parts.reservation.exclVat, parts.energy.exclVat, total.exclVat]).toEqual([4, 5, 9])
    expect(
      periods.map(({ elements, endedAt, reserved, startedAt }) => [startedAt, endedAt, reserved, elements])
    ).toEqual([
      [noon - 20 * minute, noon, true, { FLAT: 0, TIME: 0 }],
      [noon, noon + 60 * minute, undefined, { ENERGY: 2 }]
    ])
    // Reserved time is part of neither.
    expect([durationMillis, parkingMillis]).toEqual([60 * minute, 0])
  })

  it("is charged for the reservation already while it is running", () =>
    expect(costs("ACTIVE", {}, { endedAt: undefined, energyWh: 0 })).toEqual([4, 5]))

  it("is not charged for time after the reservation expired", () =>
    expect(costs("COMPLETED", { expiresAt: noon - 10 * minute })).toEqual([3, 8]))

  it("is not charged for it when the time of acceptance is unknown or after its start", () => {
    expect(costs("COMPLETED", { acceptedAt: undefined })).toEqual([0, 5])
    expect(costs("COMPLETED", { acceptedAt: noon + minute })).toEqual([0, 5])
    expect(costs("COMPLETED", undefined)).toEqual([0, 5])
  })

  it("has the reservation and the decision on its card in its record", () => {
    const one = ledger("COMPLETED", {})
    expect(cdrOf(one, priceOf(one)).body).toMatchObject({
      reservationId: 7,
      authorizationSource: "Reservation",
      authorization: { status: "Accepted", source: "Reservation", decidedAt: noon }
    })
    const other = ledger("COMPLETED", undefined)
    expect(cdrOf(other, priceOf(other)).body).not.toHaveProperty("reservationId")
  })
})

describe("a reservation that was not used", () => {
  const unused = { used: false }
  const nothing = { meterStopWh: undefined, energyWh: 0, endedAt: reservation.expiresAt }

  it("costs what the tariff asks for expired ones, without the minimum price of a charging session", () => {
    const {
      costs: parts,
      energyWh,
      periods,
      total
    } = priceOf(ledger("COMPLETED", { ...unused, expiresAt: noon - 15 * minute }, nothing))
    // The element for expiry prices the time; the fee is the one of any reservation.
    expect([parts.reservation.exclVat, total.exclVat, energyWh]).toEqual([3, 3, 0])
    expect(periods).toMatchObject([{ reserved: true, elements: { FLAT: 0, TIME: 1 } }])
  })

  const other = { evseId: 1, startedAt: noon - 10 * minute, endedAt: (noon - 5 * minute) as number | undefined }
  const taken: ReadonlyArray<{
    name: string
    evseId?: number
    evses?: number
    sessions: Array<Partial<typeof other>>
  }> = [
    { name: "another session ran on its connector during that time", sessions: [{}] },
    { name: "another session began before it and ended during it", sessions: [{ startedAt: noon - 90 * minute }] },
    { name: "another session is still running on its connector", sessions: [{ endedAt: undefined }] },
    { name: "it was for the whole charger and the only connector was taken", evseId: 0, evses: 1, sessions: [{}] },
    {
      name: "it was for the whole charger and all connectors were taken at one time",
      evseId: 0,
      sessions: [{}, { evseId: 2, startedAt: noon - 6 * minute, endedAt: undefined }]
    }
  ]
  const withOthers = ({ evseId = 1, evses = 2, sessions }: Omit<(typeof taken)[number], "name">) => {
    const made = ledger("COMPLETED", unused, { ...nothing, evseId })
    const occupancy = { evses, sessions: sessions.map((one) => ({ ...other, ...one })) }
    return priceOf({ ...made, surroundings: { ...made.surroundings, occupancy } })
  }
  for (const { name, ...given } of taken) {
    it(`costs nothing when ${name}, and shows the time as reserved`, () => {
      const { periods, total } = withOthers(given)
      expect(total).toEqual({ exclVat: 0, inclVat: 0 })
      const { acceptedAt: startedAt, expiresAt: endedAt } = reservation
      expect(periods).toEqual([{ startedAt, endedAt, energyWh: 0, charging: false, reserved: true, elements: {} }])
    })
  }

  const free: typeof taken = [
    { name: "no other session ran", sessions: [] },
    { name: "another session ran on another connector", sessions: [{ evseId: 2 }] },
    {
      name: "another session had ended by then",
      sessions: [{ startedAt: noon - 60 * minute, endedAt: noon - 20 * minute }]
    },
    { name: "another session began after it", sessions: [{ startedAt: noon + 10 * minute, endedAt: undefined }] },
    { name: "it was for the whole charger and one connector was free", evseId: 0, sessions: [{}] },
    {
      name: "it was for the whole charger and always one of the connectors was free",
      evseId: 0,
      sessions: [{}, { evseId: 2, startedAt: noon - 5 * minute, endedAt: undefined }]
    }
  ]
  for (const { name, ...given } of free) {
    it(`costs what the tariff asks when ${name}`, () => expect(withOthers(given).total.exclVat).toBe(8))
  }

  it("costs what the corrected times say, once an operator has corrected them", () => {
    const made = { ...nothing, startedAt: noon - 10 * minute, endedAt: noon, revision: 1 }
    // 10 minutes at 12 an hour, and the fee.
    expect(costs("COMPLETED", unused, made)).toEqual([4, 4])
    expect(priceOf(ledger("COMPLETED", unused, made)).periods).toMatchObject([
      { startedAt: noon - 10 * minute, endedAt: noon, reserved: true }
    ])
  })

  it("costs nothing while it is in force, or when it was cancelled", () => {
    expect(costs("RESERVATION", unused, { ...nothing, endedAt: undefined })).toEqual([0, 0])
    expect(costs("INVALID", unused, nothing)).toEqual([0, 0])
  })
})
