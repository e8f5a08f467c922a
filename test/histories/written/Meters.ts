/** Registers in all the ways in which chargers send them: units, phases, in the stop, without a transaction id, or not at all. */
import {
  allThree,
  type Billed,
  day,
  kWh,
  meter,
  sampled,
  soc,
  start,
  stop,
  type Story,
  thirtyCents,
  unnamed,
  value
} from "../Story.ts"

const at = day("2026-05-20")

/** 3 kWh until 10:30, parked until 11:00. 3 × 0.40 = 1.20; 0.5 h × 1.20 = 0.60; 0.5 h × 6 = 3.00; 20 % on each. */
const parkedFromHalfPast: Billed = {
  energyWh: 3000,
  minutes: 60,
  parkingMinutes: 30,
  total: [4.8, 5.76],
  energy: [1.2, 1.44],
  time: [0.6, 0.72],
  parking: [3, 3.6],
  periods: [
    [at("10:00"), at("10:30"), 3000, "charging"],
    [at("10:30"), at("11:00"), 0, "parking"]
  ]
}

/** The same session, with its reading of 10:30 sent in different ways. */
const sessionWith = (name: string, ...steps: Story["steps"]): Story => ({
  name,
  tariff: allThree,
  steps: [start(at("10:00"), 5000), ...steps],
  expected: { ANNA: parkedFromHalfPast }
})

const end = stop(at("11:00"), 8000)

const ways: ReadonlyArray<Story> = [
  sessionWith("a register in kilowatt hours is one in watt hours", meter(at("10:30"), kWh(8)), end),
  sessionWith("a register without its unit is in watt hours", meter(at("10:30"), value(8000)), end),
  sessionWith(
    "registers of the phases are added up if there is no overall register",
    meter(at("10:30"), [value(2000, { phase: "L1" }), value(2000, { phase: "L2" }), kWh("4.000", { phase: "L3" })]),
    end
  ),
  sessionWith(
    "registers of the phases are ignored if there is an overall register",
    meter(at("10:30"), [value(90_000, { phase: "L1" }), value(8000), value(90_000, { phase: "L2" })]),
    end
  ),
  sessionWith(
    "readings within the stop count like others",
    stop(at("11:00"), 8000, {
      with: { transactionData: [sampled(at("10:30"), [8000]), sampled(at("11:00"), [8000])] }
    })
  ),
  sessionWith(
    "readings that are repeated within the stop count once",
    meter(at("10:30"), 8000),
    stop(at("11:00"), 8000, {
      with: { transactionData: [sampled(at("10:00"), [5000]), sampled(at("10:30"), [8000])] }
    })
  ),
  sessionWith(
    "several readings in one message are ordered by their times",
    meter(at("10:45"), 8000, {
      with: { meterValue: [sampled(at("10:45"), [8000]), sampled(at("10:30"), [8000]), sampled(at("10:15"), [6500])] }
    }),
    end
  ),
  sessionWith(
    "a reading without a transaction belongs to the session on its connector",
    meter(at("10:30"), 8000, { with: unnamed }),
    end
  ),
  sessionWith(
    "a reading with transaction 0 has no transaction",
    meter(at("10:30"), 8000, { with: { transactionId: 0 } }),
    end
  ),
  sessionWith(
    "a reading with a transaction belongs to it, whatever connector it names",
    meter(at("10:30"), 8000, { with: { connectorId: 0 } }),
    end
  ),
  sessionWith(
    "readings from before the start do not belong to the session",
    meter(at("9:30"), 4000),
    meter(at("10:30"), 8000),
    end
  ),
  sessionWith(
    "readings at the exact times of start and stop change nothing",
    meter(at("10:00"), [value(5000, { context: "Transaction.Begin" })]),
    meter(at("10:30"), 8000),
    meter(at("11:00"), [value(8000, { context: "Transaction.End" })]),
    end
  ),
  sessionWith(
    "a time with an offset is the same moment as in UTC",
    meter(at("10:30"), 8000, { clock: "2026-05-20T12:30:00+02:00" }),
    end
  ),
  sessionWith("a time without a zone is taken as UTC", meter(at("10:30"), 8000, { clock: "2026-05-20T10:30:00" }), end),
  {
    ...sessionWith(
      "a reading without a time has the time when it was received",
      meter(at("10:30"), 8000, { clock: null, heard: at("10:30") }),
      end
    ),
    needsOrder: "its time is that at which it was heard"
  }
]

const others: ReadonlyArray<Story> = [
  {
    name: "measurands other than the import register are not energy",
    tariff: allThree,
    steps: [
      start(at("10:00"), 5000),
      meter(at("10:30"), [
        soc(55),
        value(400, { measurand: "Voltage", unit: "V" }),
        value(999_999, { measurand: "Energy.Active.Export.Register" }),
        value(1500, { measurand: "Energy.Active.Import.Interval" }),
        value(7777, { measurand: "Energy.Reactive.Import.Register", unit: "varh" })
      ]),
      end
    ],
    // 3 × 0.40; the whole hour × 1.20, since no register shows when charging ended.
    expected: {
      ANNA: { energyWh: 3000, minutes: 60, total: [2.4, 2.88], energy: [1.2, 1.44], time: [1.2, 1.44] }
    }
  },
  {
    name: "registers with decimals or written as text are rounded to watt-hours",
    tariff: thirtyCents,
    steps: [start(at("10:00"), 1000.4), stop(at("11:00"), "4000.6")],
    // 4001 - 1000 = 3001: 3.001 × 0.30 = 0.9003; × 1.21 = 1.089363.
    expected: { ANNA: { energyWh: 3001, minutes: 60, total: [0.9003, 1.0894], energy: [0.9003, 1.0894] } }
  },
  {
    name: "a session whose stop has no register is held with the energy of its newest reading",
    tariff: thirtyCents,
    steps: [start(at("10:00"), 5000), meter(at("10:30"), 8000), stop(at("11:00"), null)],
    expected: { ANNA: { held: "MeterStopMissing", energyWh: 3000 } }
  },
  {
    name: "a session whose start has no register is held, since the meter's whole total would be billed",
    tariff: thirtyCents,
    steps: [start(at("10:00"), null), meter(at("10:30"), 1_208_000), stop(at("11:00"), 1_210_000)],
    expected: { ANNA: { held: "MeterStartMissing" } }
  },
  {
    name: "a running session costs the price up to its newest reading",
    tariff: allThree,
    steps: [start(at("10:00"), 5000), meter(at("10:30"), 8000), meter(at("10:45"), 8000)],
    // 1.20 + 0.60 + 0.25 h × 6.
    expected: { ANNA: { runs: [3.3, 3.96], energyWh: 3000 } }
  },
  {
    name: "the price of a running session does not fall when its register jitters",
    tariff: thirtyCents,
    steps: [start(at("10:00"), 5000), meter(at("10:30"), 8004), meter(at("10:31"), 8000)],
    // 3.004 × 0.30 = 0.9012; × 1.21 = 1.090452.
    expected: { ANNA: { runs: [0.9012, 1.0905], energyWh: 3000 } }
  },
  {
    name: "a session that has only begun costs its flat fee",
    tariff: { ...thirtyCents, elements: [{ priceComponents: [{ type: "FLAT", price: 0.35, vat: 21, stepSize: 1 }] }] },
    steps: [start(at("10:00"), 5000)],
    // 0.35 × 1.21 = 0.4235.
    expected: { ANNA: { runs: [0.35, 0.4235], energyWh: 0 } }
  }
]

export const meters: ReadonlyArray<Story> = [...ways, ...others]
