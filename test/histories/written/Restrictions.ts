/**
 * Elements that apply at certain times, after a duration, above an amount of energy, at a power; and sessions that change from one element to the
 * next.
 */
import { amps, day, element, meter, power, start, stop, type Story, tariff, value } from "../Story.ts"

const at = day("2026-05-20")

const bands = tariff([
  element([["ENERGY", 0.6]], { minPower: 50 }),
  element([["ENERGY", 0.4]], { minPower: 22 }),
  element([["ENERGY", 0.2]])
])

const nightly = tariff([
  element([["ENERGY", 0.2]], { startTime: "23:00", endTime: "07:00" }),
  element([["ENERGY", 0.4]])
])

const amounts: ReadonlyArray<Story> = [
  {
    name: "energy gets cheaper above an amount that is reached between two readings",
    tariff: tariff([element([["ENERGY", 0.5]], { maxKwh: 10 }), element([["ENERGY", 0.3]], { minKwh: 10 })]),
    steps: [start(at("10:00"), 1000), stop(at("11:00"), 26_000)],
    // 10 × 0.50 + 15 × 0.30; of 25 kWh in 60 minutes, the first ten take 24 minutes.
    expected: {
      ANNA: {
        energyWh: 25_000,
        minutes: 60,
        total: [9.5, 9.5],
        energy: [9.5, 9.5],
        periods: [
          [at("10:00"), at("10:24"), 10_000, "charging"],
          [at("10:24"), at("11:00"), 15_000, "charging"]
        ]
      }
    }
  },
  {
    name: "charging time has a price from the third hour on",
    tariff: tariff([element([["TIME", 2, 20]], { minDuration: 7200 })]),
    steps: [start(at("10:00"), 1000), stop(at("13:30"), 8000)],
    // 1.5 h × 2.
    expected: { ANNA: { energyWh: 7000, minutes: 210, total: [3, 3.6], time: [3, 3.6] } }
  },
  {
    name: "the measured power selects the price",
    tariff: bands,
    steps: [
      start(at("10:00"), 1000),
      meter(at("10:20"), [21_000, power(60)]),
      meter(at("10:50"), [36_000, power(30)]),
      meter(at("11:20"), [39_000, power(6)]),
      stop(at("11:20"), 39_000)
    ],
    // 20 × 0.60 + 15 × 0.40 + 3 × 0.20.
    expected: { ANNA: { energyWh: 38_000, minutes: 80, total: [18.6, 18.6], energy: [18.6, 18.6] } }
  },
  {
    name: "without measured power, the power is calculated from the register",
    tariff: bands,
    steps: [
      start(at("10:00"), 1000),
      meter(at("10:20"), 21_000),
      meter(at("10:50"), 36_000),
      stop(at("11:20"), 39_000)
    ],
    // 20 kWh in 20 min are 60 kW, 15 in 30 are 30, 3 in 30 are 6.
    expected: { ANNA: { energyWh: 38_000, minutes: 80, total: [18.6, 18.6], energy: [18.6, 18.6] } }
  },
  {
    name: "a power of all phases takes precedence over those of each phase",
    tariff: tariff([element([["ENERGY", 0.5]], { minPower: 22 }), element([["ENERGY", 0.3]])]),
    steps: [
      start(at("10:00"), 1000),
      meter(at("10:30"), [
        11_000,
        power(7.3, { phase: "L1" }),
        power(7.3, { phase: "L2" }),
        power(7.3, { phase: "L3" }),
        value(22_000, { measurand: "Power.Active.Import", unit: "W" })
      ]),
      stop(at("10:30"), 11_000)
    ],
    // 22 kW, and not 21.9.
    expected: { ANNA: { energyWh: 10_000, minutes: 30, total: [5, 5], energy: [5, 5] } }
  },
  {
    name: "the current of all phases selects the price of time",
    tariff: tariff([element([["TIME", 3]], { minCurrent: 32 }), element([["TIME", 1]])]),
    steps: [
      start(at("10:00"), 1000),
      meter(at("11:00"), [
        12_000,
        amps(16, { phase: "L1" }),
        amps(16, { phase: "L2" }),
        amps(16, { phase: "L3" }),
        amps(1, { phase: "N" })
      ]),
      meter(at("12:00"), [14_300, amps(10, { phase: "L1" })]),
      stop(at("12:00"), 14_300)
    ],
    // 48 A for an hour, then 10.
    expected: { ANNA: { energyWh: 13_300, minutes: 120, total: [4, 4], time: [4, 4] } }
  }
]

const times: ReadonlyArray<Story> = [
  {
    name: "the night price applies across midnight",
    tariff: nightly,
    steps: [start(at("22:00"), 1000), meter(at("23:00"), 5000), meter(at("31:00"), 25_000), stop(at("32:00"), 26_000)],
    // 4 and 1 × 0.40, 20 × 0.20.
    expected: { ANNA: { energyWh: 25_000, minutes: 600, total: [6, 6], energy: [6, 6] } }
  },
  {
    name: "energy between two readings is divided when the price changes",
    tariff: nightly,
    steps: [start(at("22:30"), 1000), stop(at("23:30"), 7000)],
    // Half of the 6 kWh before 23:00.
    expected: {
      ANNA: {
        energyWh: 6000,
        minutes: 60,
        total: [1.8, 1.8],
        energy: [1.8, 1.8],
        periods: [
          [at("22:30"), at("23:00"), 3000, "charging"],
          [at("23:00"), at("23:30"), 3000, "charging"]
        ]
      }
    }
  },
  {
    name: "times of a tariff are in the site's time zone",
    zone: "America/New_York",
    tariff: nightly,
    // 22:30 to 23:30 in New York, four hours behind.
    steps: [start(at("26:30"), 1000), stop(at("27:30"), 7000)],
    expected: { ANNA: { energyWh: 6000, minutes: 60, total: [1.8, 1.8], energy: [1.8, 1.8] } }
  },
  {
    name: "parking has a price only by day",
    tariff: tariff([element([["PARKING_TIME", 10, 20]], { startTime: "08:00", endTime: "20:00" })]),
    steps: [start(at("19:00"), 1000), meter(at("19:30"), 6000), stop(at("33:00"), 6000)],
    // 19:30 to 20:00, and 08:00 to 09:00 on the next day: 1.5 h × 10.
    expected: {
      ANNA: { energyWh: 5000, minutes: 840, parkingMinutes: 810, total: [15, 18], parking: [15, 18] }
    }
  },
  {
    name: "each of many elements in one session applies to its part",
    tariff: tariff([
      element([["ENERGY", 0.25, 20]], { startTime: "22:00", endTime: "06:00" }),
      element([["ENERGY", 0.45, 20]], { maxKwh: 10 }),
      element([
        ["ENERGY", 0.35, 20],
        ["TIME", 1.2, 20],
        ["PARKING_TIME", 3, 20],
        ["FLAT", 0.5, 20]
      ])
    ]),
    steps: [
      start(at("20:00"), 1000),
      meter(at("21:00"), 9000),
      meter(at("22:00"), 15_000),
      meter(at("23:00"), 20_000),
      meter(at("24:00"), 20_000),
      stop(at("24:30"), 20_000)
    ],
    // Energy: 10 × 0.45 + 4 × 0.35 + 5 × 0.25 = 4.50 + 1.40 + 1.25. Time: 3 h × 1.20. Parking: 1.5 h × 3.
    expected: {
      ANNA: {
        energyWh: 19_000,
        minutes: 270,
        parkingMinutes: 90,
        total: [15.75, 18.9],
        fixed: [0.5, 0.6],
        energy: [7.15, 8.58],
        time: [3.6, 4.32],
        parking: [4.5, 5.4],
        periods: [
          [at("20:00"), at("21:20"), 10_000, "charging"],
          [at("21:20"), at("22:00"), 4000, "charging"],
          [at("22:00"), at("23:00"), 5000, "charging"],
          [at("23:00"), at("24:30"), 0, "parking"]
        ]
      }
    }
  }
]

export const restrictions: ReadonlyArray<Story> = [...amounts, ...times]
