/** How a tariff's components, steps and limits price a session. All sessions are on one Wednesday, in UTC. */
import { allThree, day, element, meter, start, stop, type Story, tariff, thirtyCents } from "../Story.ts"

const at = day("2026-05-20")

/** A session of `kWh` from 10:00 to 11:00, without readings in between. */
const hourOf = (kwh: number) => [start(at("10:00"), 1000), stop(at("11:00"), 1000 + kwh * 1000)]

const components: ReadonlyArray<Story> = [
  {
    name: "energy is billed by the kilowatt hour",
    tariff: thirtyCents,
    steps: hourOf(10),
    // 10 × 0.30 = 3.00; plus 21 %.
    expected: { ANNA: { energyWh: 10_000, minutes: 60, total: [3, 3.63], energy: [3, 3.63] } }
  },
  {
    name: "a flat fee is paid once, however many readings there are",
    tariff: tariff([element([["FLAT", 1.5, 20]])]),
    steps: [
      start(at("10:00"), 1000),
      meter(at("10:15"), 2000),
      meter(at("10:30"), 3000),
      meter(at("11:45"), 4000),
      stop(at("12:00"), 4000)
    ],
    expected: { ANNA: { energyWh: 3000, minutes: 120, parkingMinutes: 15, total: [1.5, 1.8], fixed: [1.5, 1.8] } }
  },
  {
    name: "charging and parking are distinguished by the register",
    tariff: allThree,
    steps: [start(at("10:00"), 5000), meter(at("11:00"), 12_500), stop(at("11:30"), 12_500)],
    // 7.5 × 0.40 = 3.00; 1 h × 1.20; 0.5 h × 6 = 3.00; 20 % on each.
    expected: {
      ANNA: {
        energyWh: 7500,
        minutes: 90,
        parkingMinutes: 30,
        total: [7.2, 8.64],
        energy: [3, 3.6],
        time: [1.2, 1.44],
        parking: [3, 3.6],
        periods: [
          [at("10:00"), at("11:00"), 7500, "charging"],
          [at("11:00"), at("11:30"), 0, "parking"]
        ]
      }
    }
  },
  {
    name: "parking ends when the vehicle charges again after a pause",
    tariff: allThree,
    steps: [start(at("10:00"), 2000), meter(at("10:30"), 4000), meter(at("11:00"), 4000), stop(at("11:15"), 5000)],
    // 3 × 0.40 = 1.20; 45 min × 1.20 = 0.90; 30 min × 6 = 3.00.
    expected: {
      ANNA: {
        energyWh: 3000,
        minutes: 75,
        parkingMinutes: 30,
        total: [5.1, 6.12],
        energy: [1.2, 1.44],
        time: [0.9, 1.08],
        parking: [3, 3.6]
      }
    }
  },
  {
    name: "each component has a VAT of its own",
    tariff: tariff([
      element([
        ["ENERGY", 0.25, 9],
        ["TIME", 2, 21],
        ["FLAT", 0.5]
      ])
    ]),
    steps: [start(at("08:00"), 100), stop(at("09:30"), 12_100)],
    // 12 × 0.25 = 3.00, × 1.09 = 3.27; 1.5 h × 2 = 3.00, × 1.21 = 3.63; 0.50 without.
    expected: {
      ANNA: {
        energyWh: 12_000,
        minutes: 90,
        total: [6.5, 7.4],
        fixed: [0.5, 0.5],
        energy: [3, 3.27],
        time: [3, 3.63]
      }
    }
  },
  {
    name: "a missing VAT and a VAT of zero per cent add nothing",
    tariff: tariff([
      element([
        ["ENERGY", 0.2, 0],
        ["FLAT", 1]
      ])
    ]),
    steps: hourOf(5),
    expected: { ANNA: { energyWh: 5000, minutes: 60, total: [2, 2], fixed: [1, 1], energy: [1, 1] } }
  },
  {
    name: "half of the last decimal is rounded up",
    tariff: tariff([element([["ENERGY", 0.0333, 19]])]),
    steps: hourOf(1.5),
    // 1.5 × 0.0333 = 0.04995, that is 0.0500; × 1.19 = 0.0594405 is rounded by itself, not from the rounded one (0.0595).
    expected: { ANNA: { energyWh: 1500, minutes: 60, total: [0.05, 0.0594], energy: [0.05, 0.0594] } }
  },
  {
    name: "a third of an hour is not rounded before it is priced",
    tariff: tariff([element([["TIME", 1, 21]])]),
    steps: [start(at("10:00"), 1000), stop(at("10:20"), 2000)],
    // 1/3 = 0.3333; 1/3 × 1.21 = 0.40333.
    expected: { ANNA: { energyWh: 1000, minutes: 20, total: [0.3333, 0.4033], time: [0.3333, 0.4033] } }
  },
  {
    name: "prices have four decimals, and no decimal of the energy is lost",
    tariff: tariff([element([["ENERGY", 0.2875, 22.5]])]),
    steps: [start(at("10:00"), 7_654_321), stop(at("11:00"), 7_697_538)],
    // 43.217 × 0.2875 = 12.4248875; × 1.225 = 15.2204871875.
    expected: { ANNA: { energyWh: 43_217, minutes: 60, total: [12.4249, 15.2205], energy: [12.4249, 15.2205] } }
  },
  {
    name: "a dimension without a price is free",
    tariff: thirtyCents,
    steps: [start(at("10:00"), 1000), meter(at("11:00"), 3000), stop(at("15:00"), 3000)],
    // 2 × 0.30; four hours of parking cost nothing.
    expected: {
      ANNA: { energyWh: 2000, minutes: 300, parkingMinutes: 240, total: [0.6, 0.726], energy: [0.6, 0.726] }
    }
  },
  {
    name: "a free element makes the first kilowatt hours free",
    tariff: tariff([element([["ENERGY", 0]], { maxKwh: 2 }), element([["ENERGY", 0.5]])]),
    steps: hourOf(6),
    // 2 × 0 + 4 × 0.50.
    expected: { ANNA: { energyWh: 6000, minutes: 60, total: [2, 2], energy: [2, 2] } }
  },
  {
    name: "a price of zero is a price, and hides the elements behind it",
    tariff: tariff([element([["PARKING_TIME", 0, 20]], { maxDuration: 3600 }), element([["PARKING_TIME", 12, 20]])]),
    steps: [start(at("10:00"), 1000), meter(at("10:30"), 6000), stop(at("12:30"), 6000)],
    // Parked from 10:30: free until 11:00, then 1.5 h × 12 = 18.
    expected: {
      ANNA: { energyWh: 5000, minutes: 150, parkingMinutes: 120, total: [18, 21.6], parking: [18, 21.6] }
    }
  },
  {
    name: "the flat fee is that of the element that applied when the session began",
    tariff: tariff([element([["FLAT", 2]], { startTime: "22:00", endTime: "06:00" }), element([["FLAT", 1]])]),
    steps: [start(at("21:50"), 1000), meter(at("22:30"), 2000), stop(at("23:00"), 3000)],
    expected: { ANNA: { energyWh: 2000, minutes: 70, total: [1, 1], fixed: [1, 1] } }
  },
  {
    name: "a flat fee with a restriction is charged once the restriction is met",
    tariff: tariff([element([["FLAT", 3, 10]], { minKwh: 10 })]),
    steps: [start(at("10:00"), 1000), meter(at("11:00"), 9000), stop(at("12:00"), 13_000)],
    expected: { ANNA: { energyWh: 12_000, minutes: 120, total: [3, 3.3], fixed: [3, 3.3] } }
  },
  {
    name: "a flat fee with a restriction that is never met is not charged",
    tariff: tariff([element([["FLAT", 3, 10]], { minKwh: 10 })]),
    steps: hourOf(9),
    expected: { ANNA: { energyWh: 9000, minutes: 60, total: [0, 0] } }
  }
]

const steps: ReadonlyArray<Story> = [
  {
    name: "billed energy is rounded up to a step, and shown as measured",
    tariff: tariff([element([["ENERGY", 0.3, undefined, 500]])]),
    steps: hourOf(4.2),
    // 4.2 is billed as 4.5.
    expected: { ANNA: { energyWh: 4200, minutes: 60, total: [1.35, 1.35], energy: [1.35, 1.35] } }
  },
  {
    name: "a whole number of steps is not rounded up further",
    tariff: tariff([element([["ENERGY", 0.3, undefined, 500]])]),
    steps: hourOf(4.5),
    expected: { ANNA: { energyWh: 4500, minutes: 60, total: [1.35, 1.35], energy: [1.35, 1.35] } }
  },
  {
    name: "charging time is rounded up to a step if there is no parking",
    tariff: tariff([element([["TIME", 3, 20, 900]])]),
    steps: [start(at("10:00"), 1000), stop(at("10:50"), 5000)],
    // 50 min are billed as 60.
    expected: { ANNA: { energyWh: 4000, minutes: 50, total: [3, 3.6], time: [3, 3.6] } }
  },
  {
    name: "only the parking time is rounded up if there is charging and parking",
    tariff: tariff([
      element([
        ["TIME", 3, undefined, 900],
        ["PARKING_TIME", 6, undefined, 900]
      ])
    ]),
    steps: [start(at("10:00"), 1000), meter(at("10:50"), 5000), stop(at("11:10"), 5000)],
    // 50 min × 3 = 2.50; 20 min are 30, × 6 = 3.00.
    expected: {
      ANNA: {
        energyWh: 4000,
        minutes: 70,
        parkingMinutes: 20,
        total: [5.5, 5.5],
        time: [2.5, 2.5],
        parking: [3, 3]
      }
    }
  },
  {
    name: "energy at two prices is rounded up once, at the last price",
    tariff: tariff([
      element([["ENERGY", 0.2, undefined, 1000]], { maxKwh: 5 }),
      element([["ENERGY", 0.4, undefined, 1000]])
    ]),
    steps: hourOf(7.3),
    // 5 × 0.20 + 2.3 × 0.40, and 0.7 up to the eighth kWh at 0.40: 1.00 + 1.20.
    expected: { ANNA: { energyWh: 7300, minutes: 60, total: [2.2, 2.2], energy: [2.2, 2.2] } }
  },
  {
    name: "a step of zero rounds nothing",
    tariff: tariff([element([["TIME", 3, undefined, 0]])]),
    steps: [start(at("10:00"), 1000), stop(at("10:50:30"), 5000)],
    // 50.5 min × 3 / 60 = 2.525.
    expected: { ANNA: { energyWh: 4000, minutes: 50.5, total: [2.525, 2.525], time: [2.525, 2.525] } }
  },
  {
    name: "nothing is rounded up while the session runs",
    tariff: tariff([element([["ENERGY", 0.3, undefined, 10_000]])]),
    steps: [start(at("10:00"), 1000), meter(at("10:30"), 3500)],
    // 2.5 × 0.30, although a step is 10 kWh.
    expected: { ANNA: { runs: [0.75, 0.75], energyWh: 2500 } }
  }
]

const limits: ReadonlyArray<Story> = [
  {
    name: "a price below the minimum is raised to it",
    tariff: { ...thirtyCents, minPrice: { exclVat: 2, inclVat: 2.42 } },
    steps: hourOf(1),
    expected: { ANNA: { energyWh: 1000, minutes: 60, total: [2, 2.42], energy: [0.3, 0.363] } }
  },
  {
    name: "a price above the maximum is lowered to it",
    tariff: { ...thirtyCents, maxPrice: { exclVat: 5, inclVat: 6 } },
    steps: hourOf(30),
    expected: { ANNA: { energyWh: 30_000, minutes: 60, total: [5, 6], energy: [9, 10.89] } }
  },
  {
    name: "a limit without an amount including VAT keeps the price's proportion of VAT",
    tariff: { ...thirtyCents, maxPrice: { exclVat: 5 } },
    steps: hourOf(30),
    // 5 × 10.89 / 9 = 6.05.
    expected: { ANNA: { energyWh: 30_000, minutes: 60, total: [5, 6.05], energy: [9, 10.89] } }
  },
  {
    name: "the amounts of a limit without and with VAT apply independently",
    tariff: { ...thirtyCents, maxPrice: { exclVat: 100, inclVat: 10 } },
    steps: hourOf(30),
    expected: { ANNA: { energyWh: 30_000, minutes: 60, total: [9, 10], energy: [9, 10.89] } }
  },
  {
    name: "a session without energy costs the minimum nevertheless",
    tariff: { ...thirtyCents, minPrice: { exclVat: 1 } },
    steps: [start(at("10:00"), 1000), stop(at("10:05"), 1000)],
    // There is no VAT, so no proportion of it.
    expected: { ANNA: { energyWh: 0, minutes: 5, parkingMinutes: 5, total: [1, 1] } }
  }
]

export const prices: ReadonlyArray<Story> = [...components, ...steps, ...limits]
