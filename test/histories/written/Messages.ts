/** Messages that are repeated, late, without the answer to their start, or missing. */
import {
  allThree,
  type Billed,
  billing,
  day,
  element,
  meter,
  offline,
  reconnect,
  restart,
  start,
  stop,
  type Story,
  tariff,
  thirtyCents,
  unnamed
} from "../Story.ts"

const at = day("2026-05-20")

/** 10 kWh in an hour at 0.30, with 21 % VAT. */
const tenKwh: Billed = { energyWh: 10_000, minutes: 60, total: [3, 3.63], energy: [3, 3.63] }

const historyOf = (name: string, ...steps: Story["steps"]): Story => ({
  name,
  tariff: thirtyCents,
  steps: steps,
  expected: { ANNA: tenKwh }
})

const begin = start(at("10:00"), 1000)
const end = stop(at("11:00"), 11_000)
const half = meter(at("10:30"), 6000)

const repeated: ReadonlyArray<Story> = [
  historyOf("a start that is sent twice begins one session", begin, begin, half, end),
  historyOf("a start that is sent again after its session has ended begins none", begin, half, end, billing, begin),
  historyOf("a reading that is sent three times counts once", begin, half, half, half, end),
  historyOf("a stop that is sent again is billed once", begin, half, end, billing, end, reconnect, end),
  historyOf(
    "the first of several stops with different figures counts",
    begin,
    half,
    end,
    stop(at("11:30"), 15_000),
    stop(at("11:00"), 9000)
  ),
  historyOf(
    "a connection that is lost between messages changes nothing",
    begin,
    reconnect,
    half,
    reconnect,
    end,
    reconnect
  ),
  historyOf("a service that restarts between messages changes nothing", begin, restart, half, restart, end, restart),
  historyOf(
    "a record is issued once, however often the billing loop runs",
    begin,
    half,
    end,
    billing,
    billing,
    billing
  ),
  historyOf("a card is the same in lower case", begin, half, stop(at("11:00"), 11_000, { with: { idTag: "anna" } })),
  historyOf("a stop may have no card", begin, half, stop(at("11:00"), 11_000, { with: { idTag: null } })),
  historyOf("a stop may have another card", begin, half, stop(at("11:00"), 11_000, { with: { idTag: "BERT" } }))
]

const threeDays = 3 * 86_400_000

const delayed: ReadonlyArray<Story> = [
  {
    ...historyOf(
      "a session that is reported three days later is billed by the charger's times",
      start(at("10:00"), 1000, { heard: at("10:00") + threeDays }),
      meter(at("10:30"), 6000),
      stop(at("11:00"), 11_000)
    ),
    tariff: tariff([element([["ENERGY", 0.3, 21]], { endDate: "2026-05-21" }), element([["ENERGY", 9, 21]])])
  },
  historyOf(
    "a stop without a transaction id ends the only open session that it can belong to",
    begin,
    half,
    stop(at("11:00"), 11_000, { with: offline })
  ),
  historyOf(
    "a stop with transaction 0 has no transaction id",
    begin,
    half,
    stop(at("11:00"), 11_000, { with: { transactionId: 0 } })
  ),
  historyOf(
    "a stop without a transaction id is billed once, however often it comes",
    begin,
    stop(at("11:00"), 11_000, { with: offline }),
    billing,
    stop(at("11:00"), 11_000, { with: offline }),
    reconnect,
    stop(at("11:00"), 11_000, { with: offline })
  ),
  historyOf(
    "a start that comes after its stop is ended by that stop",
    stop(at("11:00"), 11_000, { with: offline }),
    billing,
    start(at("10:00"), 1000)
  ),
  {
    name: "a stop that could belong to two sessions ends neither",
    tariff: thirtyCents,
    steps: [
      start(at("10:00"), 1000),
      start(at("10:10"), 1000, { of: "second", with: { idTag: "ANNA", connectorId: 2 } }),
      stop(at("11:00"), 11_000, { with: offline })
    ],
    expected: { ANNA: { runs: [0, 0], energyWh: 0 }, second: { runs: [0, 0], energyWh: 0 } }
  },
  {
    name: "a stop with an unknown transaction id bills nothing",
    tariff: thirtyCents,
    steps: [stop(at("11:00"), 11_000, { with: { transactionId: 4711 } })],
    expected: { ANNA: "none" }
  },
  {
    name: "a session whose stop is lost is held when the next one starts",
    tariff: thirtyCents,
    steps: [begin, half, start(at("12:00"), 6500, { of: "BERT" }), stop(at("13:00"), 9500, { of: "BERT" })],
    // BERT: 3 × 0.30.
    expected: {
      ANNA: { held: "StopMissing", energyWh: 5000 },
      BERT: { energyWh: 3000, minutes: 60, total: [0.9, 1.089], energy: [0.9, 1.089] }
    }
  },
  {
    name: "a session whose stop comes after the next start is billed by its stop",
    tariff: thirtyCents,
    steps: [begin, half, start(at("12:00"), 11_000, { of: "BERT" }), end, stop(at("13:00"), 14_000, { of: "BERT" })],
    expected: {
      ANNA: tenKwh,
      BERT: { energyWh: 3000, minutes: 60, total: [0.9, 1.089], energy: [0.9, 1.089] }
    }
  },
  {
    name: "an older session that is reported after a newer one is billed by its messages",
    tariff: thirtyCents,
    steps: [start(at("12:00"), 11_000, { of: "BERT" }), stop(at("13:00"), 14_000, { of: "BERT" }), begin, half, end],
    expected: {
      ANNA: tenKwh,
      BERT: { energyWh: 3000, minutes: 60, total: [0.9, 1.089], energy: [0.9, 1.089] }
    }
  }
]

/** Six sessions of ten minutes and 1 kWh, one after another. */
const six = [0, 1, 2, 3, 4, 5].map((n) => ({
  of: `CARD${n}`,
  begins: start(at(`1${n}:00`), 1000 + n * 1000, { of: `CARD${n}` }),
  reads: meter(at(`1${n}:05`), 1500 + n * 1000, { of: `CARD${n}` }),
  ends: stop(at(`1${n}:10`), 2000 + n * 1000, { of: `CARD${n}` })
}))
/** 1 × 0.30. */
const oneKwh: Billed = { energyWh: 1000, minutes: 10, total: [0.3, 0.363], energy: [0.3, 0.363] }

const besideOthers: ReadonlyArray<Story> = [
  {
    name: "a session that is sent again after many others remains the same session",
    tariff: thirtyCents,
    steps: [
      ...six.flatMap(({ begins, ends, reads }) => [begins, reads, ends]),
      billing,
      ...six.flatMap(({ begins, ends, reads }) => [begins, reads, ends])
    ],
    expected: Object.fromEntries(six.map(({ of }) => [of, oneKwh]))
  },
  {
    name: "simultaneous sessions on two connectors each have their own energy",
    tariff: allThree,
    steps: [
      begin,
      start(at("10:10"), 500_000, { of: "BERT", with: { connectorId: 2 } }),
      meter(at("10:20"), 502_000, { of: "BERT", with: { connectorId: 2, ...unnamed } }),
      meter(at("10:30"), 6000, { with: unnamed }),
      meter(at("10:40"), 502_000, { of: "BERT", with: { connectorId: 2, ...unnamed } }),
      stop(at("10:40"), 502_000, { of: "BERT" }),
      end
    ],
    expected: {
      // 10 × 0.40; 1 h × 1.20.
      ANNA: { energyWh: 10_000, minutes: 60, total: [5.2, 6.24], energy: [4, 4.8], time: [1.2, 1.44] },
      // 2 × 0.40; 10 min × 1.20 = 0.20; 20 min × 6 = 2.00.
      BERT: {
        energyWh: 2000,
        minutes: 30,
        parkingMinutes: 20,
        total: [3, 3.6],
        energy: [0.8, 0.96],
        time: [0.2, 0.24],
        parking: [2, 2.4]
      }
    }
  },
  {
    name: "two successive sessions of one card have two records",
    tariff: thirtyCents,
    steps: [
      begin,
      end,
      start(at("11:05"), 11_000, { of: "second", with: { idTag: "ANNA" } }),
      stop(at("11:35"), 12_000, { of: "second", with: { idTag: "ANNA" } })
    ],
    expected: {
      ANNA: tenKwh,
      second: { energyWh: 1000, minutes: 30, total: [0.3, 0.363], energy: [0.3, 0.363] }
    }
  },
  {
    name: "a tariff that is changed during a session does not change its price",
    tariff: thirtyCents,
    steps: [begin, half, { happens: "tariff", tariff: tariff([element([["ENERGY", 7, 21]])]) }, end],
    expected: { ANNA: tenKwh }
  },
  {
    name: "a refused card is not billed, even if its vehicle charged",
    tariff: thirtyCents,
    blocked: ["ANNA"],
    steps: [begin, half, end],
    expected: { ANNA: { unbilled: "a refused card" } }
  },
  {
    name: "a refused card whose vehicle took no energy is not billed",
    tariff: tariff([element([["FLAT", 1, 20]])]),
    blocked: ["ANNA"],
    steps: [begin, stop(at("10:00:05"), 1000, { with: { reason: "DeAuthorized" } })],
    expected: { ANNA: { unbilled: "a refused card" } }
  }
]

export const messages: ReadonlyArray<Story> = [...repeated, ...delayed, ...besideOthers]
