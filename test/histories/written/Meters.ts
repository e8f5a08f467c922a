/** Registers in all the ways in which chargers send them: units, phases, in the stop, without a transaction, or not at all. */
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

/** The same session, whose reading of 10:30 is told in some way. */
const toldSo = (name: string, ...told: Story["told"]): Story => ({
  name,
  tariff: allThree,
  told: [start(at("10:00"), 5000), ...told],
  expected: { ANNA: parkedFromHalfPast }
})

const end = stop(at("11:00"), 8000)

const ways: ReadonlyArray<Story> = [
  toldSo("a register in kilowatt hours is one in watt hours", meter(at("10:30"), kWh(8)), end),
  toldSo("a register without its unit is in watt hours", meter(at("10:30"), value(8000)), end),
  toldSo(
    "registers of the phases are added up where there is none of all",
    meter(at("10:30"), [value(2000, { phase: "L1" }), value(2000, { phase: "L2" }), kWh("4.000", { phase: "L3" })]),
    end
  ),
  toldSo(
    "registers of the phases count for nothing beside that of all",
    meter(at("10:30"), [value(90_000, { phase: "L1" }), value(8000), value(90_000, { phase: "L2" })]),
    end
  ),
  toldSo(
    "readings that come within the stop shape the session",
    stop(at("11:00"), 8000, {
      with: { transactionData: [sampled(at("10:30"), [8000]), sampled(at("11:00"), [8000])] }
    })
  ),
  toldSo(
    "readings that come again within the stop count once",
    meter(at("10:30"), 8000),
    stop(at("11:00"), 8000, {
      with: { transactionData: [sampled(at("10:00"), [5000]), sampled(at("10:30"), [8000])] }
    })
  ),
  toldSo(
    "several readings in one message are in the order of their times",
    meter(at("10:45"), 8000, {
      with: { meterValue: [sampled(at("10:45"), [8000]), sampled(at("10:30"), [8000]), sampled(at("10:15"), [6500])] }
    }),
    end
  ),
  toldSo(
    "a reading that names no transaction is that of the session on its connector",
    meter(at("10:30"), 8000, { with: unnamed }),
    end
  ),
  toldSo("a reading whose transaction is 0 names none", meter(at("10:30"), 8000, { with: { transactionId: 0 } }), end),
  toldSo(
    "a reading that names its transaction is its own, whatever connector it says",
    meter(at("10:30"), 8000, { with: { connectorId: 0 } }),
    end
  ),
  toldSo(
    "readings of an older time than the start's are not the session's",
    meter(at("9:30"), 4000),
    meter(at("10:30"), 8000),
    end
  ),
  toldSo(
    "the reading at the very moment of start and stop changes nothing",
    meter(at("10:00"), [value(5000, { context: "Transaction.Begin" })]),
    meter(at("10:30"), 8000),
    meter(at("11:00"), [value(8000, { context: "Transaction.End" })]),
    end
  ),
  toldSo(
    "a time with an offset is the same moment",
    meter(at("10:30"), 8000, { clock: "2026-05-20T12:30:00+02:00" }),
    end
  ),
  toldSo("a time without a zone is taken as UTC", meter(at("10:30"), 8000, { clock: "2026-05-20T10:30:00" }), end),
  {
    ...toldSo(
      "a reading without a time is of when it was heard",
      meter(at("10:30"), 8000, { clock: null, heard: at("10:30") }),
      end
    ),
    toldOnlySo: "its time is that at which it was heard"
  }
]

const others: ReadonlyArray<Story> = [
  {
    name: "what is no import register is no energy",
    tariff: allThree,
    told: [
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
    // 3 × 0.40; the whole hour × 1.20, since no register tells when it was over.
    expected: {
      ANNA: { energyWh: 3000, minutes: 60, total: [2.4, 2.88], energy: [1.2, 1.44], time: [1.2, 1.44] }
    }
  },
  {
    name: "registers with decimals, and written as text, are rounded to watt hours",
    tariff: thirtyCents,
    told: [start(at("10:00"), 1000.4), stop(at("11:00"), "4000.6")],
    // 4001 - 1000 = 3001: 3.001 × 0.30 = 0.9003; × 1.21 = 1.089363.
    expected: { ANNA: { energyWh: 3001, minutes: 60, total: [0.9003, 1.0894], energy: [0.9003, 1.0894] } }
  },
  {
    name: "a stop without a register is held, and the newest reading stands in for it",
    tariff: thirtyCents,
    told: [start(at("10:00"), 5000), meter(at("10:30"), 8000), stop(at("11:00"), null)],
    expected: { ANNA: { held: "MeterStopMissing", energyWh: 3000 } }
  },
  {
    name: "a start without a register is held, since a lifetime would be billed",
    tariff: thirtyCents,
    told: [start(at("10:00"), null), meter(at("10:30"), 1_208_000), stop(at("11:00"), 1_210_000)],
    expected: { ANNA: { held: "MeterStartMissing" } }
  },
  {
    name: "a running session costs what its newest reading says",
    tariff: allThree,
    told: [start(at("10:00"), 5000), meter(at("10:30"), 8000), meter(at("10:45"), 8000)],
    // 1.20 + 0.60 + 0.25 h × 6.
    expected: { ANNA: { runs: [3.3, 3.96], energyWh: 3000 } }
  },
  {
    name: "a session whose register jitters costs no less than before",
    tariff: thirtyCents,
    told: [start(at("10:00"), 5000), meter(at("10:30"), 8004), meter(at("10:31"), 8000)],
    // 3.004 × 0.30 = 0.9012; × 1.21 = 1.090452.
    expected: { ANNA: { runs: [0.9012, 1.0905], energyWh: 3000 } }
  },
  {
    name: "a session that has only begun costs its flat fee",
    tariff: { ...thirtyCents, elements: [{ priceComponents: [{ type: "FLAT", price: 0.35, vat: 21, stepSize: 1 }] }] },
    told: [start(at("10:00"), 5000)],
    // 0.35 × 1.21 = 0.4235.
    expected: { ANNA: { runs: [0.35, 0.4235], energyWh: 0 } }
  }
]

export const meters: ReadonlyArray<Story> = [...ways, ...others]
