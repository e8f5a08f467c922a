import { describe, expect, it } from "vitest"
import type { ChargingSession } from "../../../src/domain/session/ChargingSession.ts"
import type { Surroundings } from "../../../src/domain/session/Ledger.ts"
import type { AuthorizationStatus } from "../../../src/domain/token/Authorization.ts"
import { roaming } from "../../ocpi/objects/charged.ts"
import { doubtOf } from "../../../src/domain/session/Plausibility.ts"

const start = Date.UTC(2026, 4, 20, 10)
const minute = 60_000
const day = 24 * 60 * minute

const tariff = {
  id: "t",
  organisationId: "o",
  version: 1,
  body: { currency: "EUR", elements: [] },
  createdAt: 0,
  updatedAt: 0
}

interface ReportedSession {
  readonly authorized?: AuthorizationStatus
  readonly minutes?: number
  readonly from?: number
  readonly to?: number
  /** Minute and register. */
  readonly readings?: ReadonlyArray<readonly [number, number]>
}

const doubt = (
  { authorized = "Accepted", from = 1_000_000, minutes = 60, readings = [], to = from + 10_000 }: ReportedSession,
  around: Partial<Surroundings> = {}
) => {
  const session = {
    startedAt: start,
    endedAt: start + minutes * minute,
    meterStartWh: from,
    meterStopWh: to,
    energyWh: Math.max(to - from, 0),
    authorization: { status: authorized }
  } as ChargingSession
  const ledger = {
    session,
    timeZone: "UTC",
    tariff,
    readings: readings.map(([at, registerWh]) => ({ at: start + at * minute, registerWh, samples: undefined })),
    surroundings: { maxPowerW: undefined, before: undefined, ...around }
  }
  return doubtOf(ledger)
}

describe("a session without a tariff", () => {
  const doubtWithout = (more: Partial<ChargingSession>) =>
    doubtOf({
      session: {
        startedAt: start,
        endedAt: start + 60 * minute,
        meterStartWh: 0,
        meterStopWh: 10_000,
        energyWh: 10_000,
        authorization: { status: "Accepted" },
        ...more
      } as ChargingSession,
      timeZone: "UTC",
      readings: [],
      surroundings: { maxPowerW: undefined, before: undefined }
    })

  it("is held if it is a partner's, who would otherwise never be billed", () =>
    expect(doubtWithout({ roaming })).toBe("TariffMissing"))

  it("is free if it is an own driver's", () => expect(doubtWithout({})).toBeUndefined())
})

describe("a session is plausible", () => {
  const stories: ReadonlyArray<readonly [string, ReportedSession, Partial<Surroundings>?]> = [
    ["of 10 kWh in an hour", {}],
    ["at the full power of its connector", { to: 1_022_000 }, { maxPowerW: 22_000 }],
    ["a tenth above it", { to: 1_024_200 }, { maxPowerW: 22_000 }],
    ["of 30 days on a trickle", { minutes: 30 * 24 * 60, to: 1_050_000 }],
    ["of zero length and energy", { minutes: 0, to: 1_000_000 }],
    ["of half a kWh in a second", { minutes: 1 / 60, to: 1_000_500 }],
    ["of a megawatt charger whose power is known", { to: 3_500_000 }, { maxPowerW: 3_750_000 }],
    [
      "with readings that rise and then stay the same",
      {
        readings: [
          [10, 1_002_000],
          [20, 1_002_000],
          [50, 1_010_000]
        ]
      }
    ],
    [
      "with a meter that jitters",
      {
        readings: [
          [10, 1_002_000],
          [20, 1_001_995]
        ]
      }
    ],
    [
      "whose readings count the session",
      {
        readings: [
          [20, 3300],
          [40, 6700],
          [59, 9900]
        ]
      }
    ],
    [
      "whose readings are absolute while start and stop count the session",
      {
        from: 0,
        to: 10_000,
        readings: [
          [1, 1_000_200],
          [30, 1_005_000],
          [59, 1_009_900]
        ]
      }
    ],
    [
      "with readings in tenths of a kWh",
      {
        from: 1_000_060,
        to: 1_010_040,
        readings: [
          [1, 1_000_000],
          [59, 1_010_100]
        ]
      }
    ],
    [
      "of a charger that counts each session from 0",
      { from: 0, to: 9000 },
      { before: { meterStartWh: 0, meterStopWh: 8000 } }
    ],
    [
      "of a new meter that begins at 0",
      { from: 0, to: 9000 },
      { before: { meterStartWh: 500_000, meterStopWh: 510_000 } }
    ],
    [
      "of a charger that counts each session from a few Wh",
      { from: 4, to: 9000 },
      { before: { meterStartWh: 3, meterStopWh: 8000 } }
    ],
    [
      "of a charger that counts each session from the same register",
      { from: 1000, to: 21_000, readings: [[30, 11_000]] },
      { before: { meterStartWh: 1000, meterStopWh: 11_000 } }
    ],
    [
      "that begins where the previous one ended, except for a meter's jitter",
      { from: 999_995 },
      { before: { meterStartWh: 990_000, meterStopWh: 1_000_000 } }
    ]
  ]
  for (const [name, reported, around] of stories) it(name, () => expect(doubt(reported, around)).toBeUndefined())
})

describe("a session is held", () => {
  const stories: ReadonlyArray<readonly [string, string, ReportedSession, Partial<Surroundings>?]> = [
    ["whose card was refused", "NotAuthorized", { authorized: "Blocked" }],
    ["whose card was refused, whatever else is doubted", "NotAuthorized", { authorized: "Invalid", to: 1_551_000 }],
    ["that took more than its connector can deliver", "EnergyImplausible", { to: 1_024_300 }, { maxPowerW: 22_000 }],
    ["that took more than any charger can deliver", "EnergyImplausible", { to: 1_551_000 }],
    ["that bills a lifetime in an hour", "EnergyImplausible", { from: 0, to: 910_031 }],
    [
      "with a jump in the middle",
      "EnergyImplausible",
      {
        minutes: 600,
        to: 2_000_000,
        readings: [
          [10, 1_000_100],
          [11, 1_999_000]
        ]
      }
    ],
    [
      "whose register fell",
      "RegisterFell",
      {
        readings: [
          [10, 1_005_000],
          [20, 1_001_000]
        ]
      }
    ],
    ["whose start is below zero", "MeterStartImplausible", { from: -1, to: 9000 }],
    ["whose stop is below a reading at the same time", "RegisterFell", { readings: [[60, 1_015_000]] }],
    [
      "whose register falls, in steps of 0.1 kWh",
      "RegisterFell",
      {
        from: 1_000_060,
        to: 1_010_040,
        readings: [
          [30, 1_005_100],
          [40, 1_005_000]
        ]
      }
    ],
    ["whose readings do not match its registers", "RegisterFell", { readings: [[30, 500]] }],
    ["whose stop is below its last reading", "RegisterFell", { to: 1_002_000, readings: [[10, 1_005_000]] }],
    ["whose readings are below its start", "RegisterFell", { readings: [[10, 5000]] }],
    [
      "whose start lost the register, so that a lifetime would be billed",
      "MeterStartImplausible",
      { from: 0, to: 910_031 },
      { before: { meterStartWh: 900_000, meterStopWh: 909_948 } }
    ],
    [
      "that begins where the previous one began, so that energy would be billed twice",
      "MeterStartImplausible",
      { from: 1_000_000, to: 1_020_000, readings: [[30, 1_015_000]] },
      { before: { meterStartWh: 1_000_000, meterStopWh: 1_010_000 } }
    ],
    [
      "that begins below the previous one's end, and ends above it",
      "MeterStartImplausible",
      { from: 1_000_001, to: 1_020_000 },
      { before: { meterStartWh: 1_000_000, meterStopWh: 1_010_000 } }
    ],
    ["that begins below 0", "MeterStartImplausible", { from: -1, to: 10_000 }],
    ["that lasted a quarter of a year", "DurationImplausible", { minutes: (90 * day) / minute }]
  ]
  for (const [name, reason, reported, around] of stories) it(name, () => expect(doubt(reported, around)).toBe(reason))
})

describe("one register that no meter can have had, between others that fit", () => {
  const sound = [
    [10, 1_001_000],
    [20, 1_003_000],
    [40, 1_006_000]
  ] as const

  it.each([
    ["a 0", 0],
    ["one beyond 2³²", 2 ** 32 + 5]
  ])("is set aside: %s", (_, wh) => {
    expect(doubt({ readings: [...sound, [30, wh]] })).toBe(undefined)
    expect(doubt({ readings: [...sound, [50, wh]] })).toBe(undefined)
  })

  it("is not set aside if there are two in a row, or too many, or if it lies between start and stop", () => {
    expect(doubt({ readings: [...sound, [30, 0], [35, 0]] })).toBe("RegisterFell")
    expect(doubt({ readings: [sound[0], [15, 0], sound[1], [30, 0]] })).toBe("RegisterFell")
    expect(doubt({ readings: [...sound, [30, 1_001_500]] })).toBe("RegisterFell")
  })
})
