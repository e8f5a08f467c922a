/** Clocks that were never set, that jump, or that show another time zone; impossible powers, states of charge and durations. */
import {
  allThree,
  type Billed,
  day,
  element,
  type Held,
  meter,
  power,
  reconnect,
  soc,
  start,
  stop,
  type Story,
  tariff,
  thirtyCents
} from "../Story.ts"

const at = day("2026-05-20")
const spring = day("2026-03-29")

/** 10 × 0.30 = 3.00, × 1.21. */
const tenKwh: Billed = { energyWh: 10_000, minutes: 60, total: [3, 3.63], energy: [3, 3.63] }
const held = (reason: string): Held => ({ held: reason })

const historyOf = (name: string, outcome: Billed | Held, ...steps: Story["steps"]): Story => ({
  name,
  tariff: thirtyCents,
  steps: steps,
  expected: { ANNA: outcome }
})

const begin = start(at("10:00"), 1_000_000)
const end = stop(at("11:00"), 1_010_000)

/** 10 kWh until 10:30, then parked: 10 × 0.40; 0.5 h × 1.20; 0.5 h × 6; 20 %. */
const parked: Billed = {
  energyWh: 10_000,
  minutes: 60,
  parkingMinutes: 30,
  total: [7.6, 9.12],
  energy: [4, 4.8],
  time: [0.6, 0.72],
  parking: [3, 3.6]
}

/** A session whose messages are received immediately, from a clock that is wrong. */
const byClock = (name: string, clock: (time: number) => string | null): Story => ({
  name,
  tariff: allThree,
  steps: [
    start(at("10:00"), 1_000_000, { clock: clock(at("10:00")), heard: at("10:00") }),
    meter(at("10:30"), 1_010_000, { clock: clock(at("10:30")), heard: at("10:30") }),
    stop(at("11:00"), 1_010_000, { clock: clock(at("11:00")), heard: at("11:00") })
  ],
  expected: { ANNA: parked },
  needsOrder: "its times are those at which it was heard"
})

const off = (millis: number) => (time: number) => new Date(time + millis).toISOString()
const hour = 3_600_000

const unset: ReadonlyArray<Story> = [
  byClock("a clock that began to run in 1970", off(-at("9:59"))),
  byClock("a clock that has stopped at the beginning of 1970", () => "1970-01-01T00:00:00Z"),
  byClock("a clock in 2000", off(Date.UTC(2000, 0, 1) - at("10:00"))),
  byClock("a clock in 2038", off(Date.UTC(2038, 0, 19, 3, 14, 7) - at("10:00"))),
  byClock("a clock in the year 1", () => "0001-01-01T00:00:00Z"),
  byClock("an invalid time", () => "yesterday"),
  byClock("no times at all", () => null),
  byClock("a clock that is two days ahead", off(48 * hour)),
  {
    ...byClock("local time that is labelled as UTC", off(2 * hour)),
    expected: { ANNA: parked }
  },
  {
    ...byClock("a clock that runs from 1970 and is set in the middle", off(0)),
    steps: [
      start(at("10:00"), 1_000_000, { clock: "1970-01-01T00:01:00Z", heard: at("10:00") }),
      meter(at("10:30"), 1_010_000, { heard: at("10:30") }),
      stop(at("11:00"), 1_010_000, { heard: at("11:00") })
    ]
  },
  {
    ...byClock("a clock that is right at the start and in 2038 at the stop", off(0)),
    steps: [
      start(at("10:00"), 1_000_000, { heard: at("10:00") }),
      meter(at("10:30"), 1_010_000, { heard: at("10:30") }),
      stop(at("11:00"), 1_010_000, { clock: "2038-01-19T03:14:07Z", heard: at("11:00") })
    ]
  },
  {
    ...historyOf(
      "a session with an unset clock whose messages come together after the charger was offline",
      held("EnergyImplausible"),
      start(at("10:00"), 1_000_000, { clock: "1970-01-01T00:01:00Z", heard: at("10:00") }),
      stop(at("11:00"), 1_010_000, { clock: "1970-01-01T01:01:00Z", heard: at("10:00:01") })
    ),
    needsOrder: "its times are those at which it was heard"
  }
]

const jumps: ReadonlyArray<Story> = [
  {
    name: "a clock in local time, in the night of the change to summer time",
    zone: "Europe/Amsterdam",
    tariff: allThree,
    steps: [
      // 01:50 in winter and 03:10 in summer, sent as UTC: twenty minutes that look like eighty.
      start(spring("00:50"), 1_000_000, { clock: "2026-03-29T01:50:00Z", heard: spring("00:50") }),
      stop(spring("01:10"), 1_003_000, { clock: "2026-03-29T03:10:00Z", heard: spring("01:10") })
    ],
    expected: { ANNA: held("ClockImplausible") },
    needsOrder: "it shows by when it was heard"
  },
  {
    name: "a clock three hours ahead that is corrected while a vehicle charges",
    tariff: allThree,
    steps: [
      start(at("10:00"), 1_000_000, { clock: "2026-05-20T13:00:00Z", heard: at("10:00") }),
      stop(at("15:00"), 1_010_000, { heard: at("15:00") })
    ],
    expected: { ANNA: held("ClockImplausible") },
    needsOrder: "it shows by when it was heard"
  },
  {
    name: "a clock in local time that is labelled as UTC, with different prices by day and by night",
    tariff: tariff([element([["ENERGY", 0.2]], { startTime: "22:00", endTime: "06:00" }), element([["ENERGY", 0.4]])]),
    steps: [
      // 20:30 to 21:30, sent as 22:30 to 23:30.
      start(at("20:30"), 1_000_000, { clock: "2026-05-20T22:30:00Z", heard: at("20:30") }),
      stop(at("21:30"), 1_010_000, { clock: "2026-05-20T23:30:00Z", heard: at("21:30") })
    ],
    expected: { ANNA: held("ClockImplausible") },
    needsOrder: "it shows by when it was heard"
  },
  {
    name: "a clock in local time that is labelled as UTC, at a time when that makes no difference",
    tariff: tariff([element([["ENERGY", 0.2]], { startTime: "22:00", endTime: "06:00" }), element([["ENERGY", 0.4]])]),
    steps: [
      start(at("10:30"), 1_000_000, { clock: "2026-05-20T12:30:00Z", heard: at("10:30") }),
      stop(at("11:30"), 1_010_000, { clock: "2026-05-20T13:30:00Z", heard: at("11:30") })
    ],
    // 10 × 0.40.
    expected: { ANNA: { energyWh: 10_000, minutes: 60, total: [4, 4], energy: [4, 4] } },
    needsOrder: "it shows by when it was heard"
  },
  {
    name: "a stop that lost its time and is sent when the charger reconnects days later",
    tariff: allThree,
    steps: [
      start(at("10:00"), 1_000_000, { heard: at("10:00") }),
      meter(at("10:30"), 1_010_000, { heard: at("10:30") }),
      reconnect,
      stop(at("10:40"), 1_010_000, {
        clock: "1970-01-01T00:10:00Z",
        heard: at("82:00"),
        with: { reason: "PowerLoss" }
      })
    ],
    expected: { ANNA: held("ClockImplausible") },
    needsOrder: "it shows by when it was heard"
  },
  historyOf(
    "a clock that is set back between start and stop",
    held("ClockImplausible"),
    start(at("12:00"), 1_000_000),
    end
  ),
  historyOf(
    "a clock that is set back by two seconds in a session without duration",
    held("ClockImplausible"),
    begin,
    stop(at("9:59:58"), 1_000_100)
  ),
  {
    name: "a clock in local time, in the night of the change to winter time",
    zone: "Europe/Amsterdam",
    tariff: allThree,
    steps: [
      // 02:50 in summer and 02:10 in winter, sent as UTC.
      start(day("2026-10-25")("00:50"), 1_000_000, {
        clock: "2026-10-25T02:50:00Z",
        heard: day("2026-10-25")("00:50")
      }),
      stop(day("2026-10-25")("01:10"), 1_003_000, { clock: "2026-10-25T02:10:00Z", heard: day("2026-10-25")("01:10") })
    ],
    expected: { ANNA: held("ClockImplausible") }
  },
  historyOf(
    "a start ten years ago",
    held("DurationImplausible"),
    start(at("10:00"), 1_000_000, { clock: "2016-01-01T00:00:00Z" }),
    end
  ),
  historyOf(
    "a stop sixty-one days later",
    held("DurationImplausible"),
    start(day("2026-03-20")("11:00"), 1_000_000),
    stop(at("12:00"), 1_010_000)
  ),
  historyOf(
    "a reading whose time is three hours ahead",
    tenKwh,
    begin,
    meter(at("13:30"), 1_005_000, { heard: at("10:30") }),
    end
  ),
  historyOf(
    "a reading with a time before the start",
    tenKwh,
    begin,
    meter(at("9:00"), 1_005_000, { heard: at("10:30") }),
    end
  ),
  historyOf(
    "a reading from 1970 in a session whose other times are right",
    tenKwh,
    begin,
    meter(at("10:30"), 1_005_000, { clock: "1970-01-01T00:30:00Z" }),
    end
  )
]

const powers: ReadonlyArray<Story> = [
  historyOf("fifty kilowatt-hours in a second", held("EnergyImplausible"), begin, stop(at("10:00:01"), 1_050_000)),
  historyOf("fifty kilowatt-hours without duration", held("EnergyImplausible"), begin, stop(at("10:00"), 1_050_000)),
  {
    ...historyOf("64.8 kW on a connector of 11 kW", held("EnergyImplausible"), begin, stop(at("11:00"), 1_064_800)),
    maxPowerW: 11_000
  },
  {
    ...historyOf(
      "a vehicle that takes a little more than its connector's configured maximum",
      // 12 × 0.30.
      { energyWh: 12_000, minutes: 60, total: [3.6, 4.356], energy: [3.6, 4.356] },
      begin,
      stop(at("11:00"), 1_012_000)
    ),
    maxPowerW: 11_000
  },
  historyOf(
    "a jump of the register between two readings that exceeds any connector's power",
    held("EnergyImplausible"),
    begin,
    meter(at("10:30"), 1_005_000),
    meter(at("10:31"), 1_105_000),
    stop(at("12:00"), 1_110_000)
  ),
  historyOf(
    "an impossible power that the register does not confirm",
    tenKwh,
    begin,
    meter(at("10:30"), [1_005_000, power(64_800), power(-20)]),
    end
  ),
  {
    name: "an impossible power with a tariff that depends on power",
    tariff: tariff([element([["ENERGY", 0.9]], { minPower: 50 }), element([["ENERGY", 0.3]])]),
    steps: [begin, meter(at("10:30"), [1_005_000, power(64.8)]), end],
    maxPowerW: 11_000,
    expected: { ANNA: held("PowerImplausible") }
  },
  historyOf(
    "a state of charge of 250 per cent, and a negative one",
    tenKwh,
    begin,
    meter(at("10:30"), [1_005_000, soc(250), soc(-3), soc("full")]),
    end
  )
]

export const clocks: ReadonlyArray<Story> = [...unset, ...jumps, ...powers]
