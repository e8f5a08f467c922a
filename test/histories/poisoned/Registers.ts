/** Registers that are impossible, or that only look impossible. The price is 0.30 a kWh with 21 % VAT unless stated otherwise. */
import {
  type Billed,
  day,
  type Held,
  kWh,
  meter,
  sampled,
  start,
  stop,
  type Story,
  thirtyCents,
  value
} from "../Story.ts"

const at = day("2026-05-20")

/** 10 × 0.30 = 3.00, × 1.21. */
const tenKwh: Billed = { energyWh: 10_000, minutes: 60, total: [3, 3.63], energy: [3, 3.63] }
const held = (reason: string): Held => ({ held: reason })

const historyOf = (name: string, outcome: Billed | Held, ...steps: Story["steps"]): Story => ({
  name,
  tariff: thirtyCents,
  steps: steps,
  expected: { ANNA: outcome },
  mayFall: "the register is poisoned"
})

const begin = start(at("10:00"), 1_000_000)
const end = stop(at("11:00"), 1_010_000)
const half = at("10:30")

/** Only the registers of start and stop are usable; the readings in between say nothing. */
const ignored = (name: string, ...samples: ReadonlyArray<unknown>): Story =>
  historyOf(name, tenKwh, begin, meter(half, samples), end)

const falls: ReadonlyArray<Story> = [
  historyOf("a negative register among the readings", held("RegisterFell"), begin, meter(half, -5), end),
  historyOf(
    "a register that falls between two readings",
    held("RegisterFell"),
    begin,
    meter(half, 1_008_000),
    meter(at("10:40"), 1_005_000),
    end
  ),
  historyOf(
    "a register that jumps up in the middle and comes back",
    held("RegisterFell"),
    begin,
    meter(half, 9_999_999),
    end
  ),
  historyOf(
    "a register that jumps up just before the stop",
    held("RegisterFell"),
    begin,
    meter(half, 1_005_000),
    meter(at("10:59"), 1_500_000),
    end
  ),
  historyOf("a register that drops to 0 for one reading", held("RegisterFell"), begin, meter(half, 0), end),
  historyOf(
    "a register that is lower at the stop than at the start",
    held("MeterStopBelowStart"),
    begin,
    stop(at("11:00"), 999_000)
  ),
  historyOf("a stop with register 0", held("MeterStopBelowStart"), begin, meter(half, 1_005_000), stop(at("11:00"), 0)),
  historyOf(
    "a meter that is replaced while a vehicle charges",
    held("MeterStopBelowStart"),
    begin,
    meter(half, 1_005_000),
    meter(at("10:40"), 100),
    stop(at("11:00"), 4000)
  ),
  historyOf(
    "a meter that rolls over, of a make without that tolerance",
    held("MeterStopBelowStart"),
    start(at("10:00"), 99_999_000),
    stop(at("11:00"), 9000)
  ),
  {
    ...historyOf(
      "a meter that rolls over, of a make with that tolerance",
      tenKwh,
      start(at("10:00"), 99_999_000),
      meter(half, 4000),
      stop(at("11:00"), 9000)
    ),
    quirks: [{ name: "rolls over", vendor: "Voltbau", tolerances: { registerRollsOverAtWh: 100_000_000 } }]
  },
  historyOf(
    "a fall of a few watt-hours, as between two registers that are read one after the other",
    // The vehicle took no energy in that minute, as far as the readings show.
    { ...tenKwh, parkingMinutes: 1 },
    begin,
    meter(half, 1_005_004),
    meter(at("10:31"), 1_005_000),
    end
  )
]

const zeroBegins: ReadonlyArray<Story> = [
  {
    name: "a start with register 0 on a meter whose register is known",
    tariff: thirtyCents,
    steps: [
      begin,
      end,
      start(at("12:00"), 0, { of: "BERT" }),
      meter(at("12:30"), 1_015_000, { of: "BERT" }),
      stop(at("13:00"), 1_020_000, { of: "BERT" })
    ],
    expected: { ANNA: tenKwh, BERT: held("MeterStartImplausible") }
  },
  {
    name: "a start that repeats the previous start's register, while the readings count on",
    tariff: thirtyCents,
    steps: [
      begin,
      end,
      start(at("12:00"), 1_000_000, { of: "BERT" }),
      meter(at("12:30"), 1_015_000, { of: "BERT" }),
      stop(at("13:00"), 1_020_000, { of: "BERT" })
    ],
    // 10 of the 20 kWh are ANNA's.
    expected: { ANNA: tenKwh, BERT: held("MeterStartImplausible") }
  },
  historyOf(
    "the meter's whole total as the energy of its first session",
    held("EnergyImplausible"),
    start(at("10:00"), 0),
    stop(at("11:00"), 1_208_000_000)
  ),
  historyOf(
    "the meter's whole total, as the first reading shows",
    held("EnergyImplausible"),
    start(at("10:00"), 0),
    meter(at("10:05"), 400_500),
    stop(at("11:00"), 410_000)
  ),
  {
    ...historyOf(
      "the meter's whole total on a connector of known power",
      held("EnergyImplausible"),
      start(at("10:00"), 0),
      stop(at("11:00"), 90_000)
    ),
    maxPowerW: 22_000
  },
  historyOf(
    "a counter per session whose stop has the meter's whole total",
    held("EnergyImplausible"),
    start(at("10:00"), 0),
    meter(half, 5000),
    stop(at("11:00"), 1_208_000_000)
  ),
  historyOf("a start whose register is missing", held("MeterStartMissing"), start(at("10:00"), null), end),
  historyOf("a start whose register is text", held("MeterStartMissing"), start(at("10:00"), "unknown"), end),
  historyOf("a negative start", held("MeterStartImplausible"), start(at("10:00"), -1), stop(at("11:00"), 10_000)),
  historyOf("a negative stop", held("MeterStopBelowStart"), begin, stop(at("11:00"), -1)),
  {
    name: "a meter that counts each session from 0 is billed by its count",
    tariff: thirtyCents,
    steps: [
      start(at("10:00"), 0),
      meter(half, 5000),
      stop(at("11:00"), 10_000),
      start(at("12:00"), 0, { of: "BERT" }),
      stop(at("13:00"), 7000, { of: "BERT" }),
      start(at("14:00"), 0, { of: "CARLA" }),
      stop(at("15:00"), 12_000, { of: "CARLA" })
    ],
    expected: {
      ANNA: tenKwh,
      // 7 × 0.30; 12 × 0.30.
      BERT: { energyWh: 7000, minutes: 60, total: [2.1, 2.541], energy: [2.1, 2.541] },
      CARLA: { energyWh: 12_000, minutes: 60, total: [3.6, 4.356], energy: [3.6, 4.356] }
    }
  },
  {
    name: "a start within the energy that was billed for the previous session",
    tariff: thirtyCents,
    steps: [begin, end, start(at("12:00"), 1_005_000, { of: "BERT" }), stop(at("13:00"), 1_020_000, { of: "BERT" })],
    // 5 of the 15 kWh are ANNA's.
    expected: { ANNA: tenKwh, BERT: held("MeterStartImplausible") }
  },
  {
    name: "a meter that counts each session from the same register is billed by its count",
    tariff: thirtyCents,
    steps: [
      start(at("10:00"), 1000),
      stop(at("11:00"), 11_000),
      start(at("12:00"), 1000, { of: "BERT" }),
      meter(at("12:30"), 8000, { of: "BERT" }),
      stop(at("13:00"), 13_000, { of: "BERT" })
    ],
    expected: {
      ANNA: tenKwh,
      // 12 × 0.30.
      BERT: { energyWh: 12_000, minutes: 60, total: [3.6, 4.356], energy: [3.6, 4.356] }
    }
  },
  {
    name: "a new meter that begins low is billed by its count",
    tariff: thirtyCents,
    steps: [begin, end, start(at("12:00"), 12, { of: "BERT" }), stop(at("13:00"), 10_012, { of: "BERT" })],
    expected: { ANNA: tenKwh, BERT: tenKwh }
  }
]

const mixed: ReadonlyArray<Story> = [
  {
    ...historyOf(
      "readings per session that agree with the difference of start and stop",
      tenKwh,
      begin,
      meter(half, 5000),
      meter(at("10:45"), 8000),
      end
    ),
    needsReadings: "one of the readings alone bears nothing out"
  },
  historyOf(
    "readings of something else between a consistent start and stop",
    held("RegisterFell"),
    begin,
    meter(half, 50),
    meter(at("10:55"), 60),
    end
  ),
  historyOf(
    "readings of the charger's main meter with the transaction's id",
    held("RegisterFell"),
    begin,
    meter(half, 88_000_000, { with: { connectorId: 0 } }),
    end
  ),
  ignored(
    "the register of the inlet beside that of the outlet",
    value(88_000_000, { location: "Inlet" }),
    value(1_005_000, { location: "Outlet" })
  ),
  historyOf(
    "kilowatt-hours that are labelled as watt-hours",
    held("RegisterFell"),
    begin,
    meter(half, value(1005, { unit: "Wh" })),
    end
  ),
  {
    ...ignored(
      "kilowatt-hours that are labelled as watt-hours, of a make with that tolerance",
      value(1005, { unit: "Wh" })
    ),
    quirks: [{ name: "means kWh", vendor: "Voltbau", tolerances: { registerUnit: "kWh" } }]
  },
  historyOf(
    "watt-hours and kilowatt-hours in turn",
    tenKwh,
    begin,
    meter(at("10:15"), kWh("1002.500")),
    meter(half, 1_005_000),
    meter(at("10:45"), kWh(1007.5)),
    end
  ),
  ignored("both units in one reading", value(1_005_000), kWh(1005)),
  ignored(
    "signed data beside the register",
    value('OCMF|{"RD":[{"RV":99999.9,"RU":"kWh"}]}|{"SD":"30"}', { format: "SignedData" }),
    value(1_005_000)
  ),
  ignored("signed data that is not labelled as such", value('OCMF|{"RD":[{"RV":1}]}|{"SD":"30"}')),
  ignored("signed data that consists of digits only", value("9999999999", { format: "SignedData" })),
  ignored("values that are not numbers", value("NaN"), value(""), value("null"), value("undefined"), value("Infinity")),
  ignored("a number in hexadecimal digits", value("0xFFFFFFFF")),
  ignored("a number with a comma", value("1,005")),
  ignored("a number that is too large for any type", value("1e999"), value("9".repeat(5000))),
  ignored("a unit that is not one of energy", value(9_999_999, { unit: "V" })),
  historyOf("a register of a petawatt-hour among the readings", held("RegisterFell"), begin, meter(half, 1e15), end),
  historyOf(
    "a stop with a register that no number can hold",
    held("MeterStopMissing"),
    begin,
    stop(at("11:00"), 1e300)
  ),
  historyOf(
    "a stop whose register is text",
    held("MeterStopMissing"),
    begin,
    meter(half, 1_005_000),
    stop(at("11:00"), "full")
  ),
  historyOf("a stop with a register of a petawatt-hour", held("EnergyImplausible"), begin, stop(at("11:00"), 1e15)),
  historyOf(
    "readings of another transaction",
    tenKwh,
    begin,
    meter(half, 88_000_000, { with: { transactionId: 999_999 } }),
    end
  ),
  historyOf(
    "readings of another connector without a transaction",
    tenKwh,
    begin,
    meter(half, 88_000_000, { with: { connectorId: 2, transactionId: null } }),
    end
  )
]

const orders: ReadonlyArray<Story> = [
  historyOf(
    "readings in the wrong order",
    tenKwh,
    begin,
    meter(at("10:45"), 1_007_500),
    meter(at("10:15"), 1_002_500),
    meter(half, 1_005_000),
    end
  ),
  historyOf(
    "each reading twice, with different message ids",
    tenKwh,
    begin,
    meter(half, 1_005_000),
    meter(half, 1_005_000),
    end,
    meter(half, 1_005_000)
  ),
  historyOf(
    "a later register with an earlier time",
    held("RegisterFell"),
    begin,
    meter(half, 1_005_000),
    meter(at("10:05"), 1_009_000),
    end
  ),
  historyOf(
    "a repeated stop with the meter's whole total",
    tenKwh,
    begin,
    end,
    stop(at("11:00"), 1_208_000_000),
    stop(at("12:00"), 1_208_000_000)
  ),
  historyOf(
    "readings within the stop that contradict it",
    held("RegisterFell"),
    begin,
    stop(at("11:00"), 1_010_000, { with: { transactionData: [sampled(half, [2_000_000])] } })
  )
]

export const registers: ReadonlyArray<Story> = [...falls, ...zeroBegins, ...mixed, ...orders]
