/** Messages that come twice, late, without their start's answer, or not at all. */
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

/** 10 kWh in an hour at 0.30, with 21 % of VAT. */
const tenKwh: Billed = { energyWh: 10_000, minutes: 60, total: [3, 3.63], energy: [3, 3.63] }

const told = (name: string, ...steps: Story["told"]): Story => ({
  name,
  tariff: thirtyCents,
  told: steps,
  expected: { ANNA: tenKwh }
})

const begin = start(at("10:00"), 1000)
const end = stop(at("11:00"), 11_000)
const half = meter(at("10:30"), 6000)

const repeated: ReadonlyArray<Story> = [
  told("a start that is sent twice begins one session", begin, begin, half, end),
  told("a start that is sent again after its session has ended begins none", begin, half, end, billing, begin),
  told("a reading that is sent thrice counts once", begin, half, half, half, end),
  told("a stop that is sent again is billed once", begin, half, end, billing, end, reconnect, end),
  told(
    "of two stops with different figures the first stands",
    begin,
    half,
    end,
    stop(at("11:30"), 15_000),
    stop(at("11:00"), 9000)
  ),
  told("a line that drops between messages changes nothing", begin, reconnect, half, reconnect, end, reconnect),
  told("a service that starts anew between messages changes nothing", begin, restart, half, restart, end, restart),
  told(
    "a record is issued once, however often the keeper of prices looks",
    begin,
    half,
    end,
    billing,
    billing,
    billing
  ),
  told("a card is the same in capital letters", begin, half, stop(at("11:00"), 11_000, { with: { idTag: "anna" } })),
  told("a stop may be without a card", begin, half, stop(at("11:00"), 11_000, { with: { idTag: null } })),
  told("a stop may be by another card", begin, half, stop(at("11:00"), 11_000, { with: { idTag: "BERT" } }))
]

const threeDays = 3 * 86_400_000

const delayed: ReadonlyArray<Story> = [
  {
    ...told(
      "a session that is told three days later is billed by the charger's times",
      start(at("10:00"), 1000, { heard: at("10:00") + threeDays }),
      meter(at("10:30"), 6000),
      stop(at("11:00"), 11_000)
    ),
    tariff: tariff([element([["ENERGY", 0.3, 21]], { endDate: "2026-05-21" }), element([["ENERGY", 9, 21]])])
  },
  told(
    "a stop of a start that had no answer ends the one session that it can be of",
    begin,
    half,
    stop(at("11:00"), 11_000, { with: offline })
  ),
  told(
    "a stop of transaction 0 is one that names none",
    begin,
    half,
    stop(at("11:00"), 11_000, { with: { transactionId: 0 } })
  ),
  told(
    "a stop that names none is billed once, however often it comes",
    begin,
    stop(at("11:00"), 11_000, { with: offline }),
    billing,
    stop(at("11:00"), 11_000, { with: offline }),
    reconnect,
    stop(at("11:00"), 11_000, { with: offline })
  ),
  told(
    "a start that comes after its stop is ended by it",
    stop(at("11:00"), 11_000, { with: offline }),
    billing,
    start(at("10:00"), 1000)
  ),
  {
    name: "a stop that could be of two sessions ends neither",
    tariff: thirtyCents,
    told: [
      start(at("10:00"), 1000),
      start(at("10:10"), 1000, { of: "second", with: { idTag: "ANNA", connectorId: 2 } }),
      stop(at("11:00"), 11_000, { with: offline })
    ],
    expected: { ANNA: { runs: [0, 0], energyWh: 0 }, second: { runs: [0, 0], energyWh: 0 } }
  },
  {
    name: "a stop of a session that nobody has heard of bills nobody",
    tariff: thirtyCents,
    told: [stop(at("11:00"), 11_000, { with: { transactionId: 4711 } })],
    expected: { ANNA: "none" }
  },
  {
    name: "a session whose stop is lost is held as the next one starts",
    tariff: thirtyCents,
    told: [begin, half, start(at("12:00"), 6500, { of: "BERT" }), stop(at("13:00"), 9500, { of: "BERT" })],
    // BERT: 3 × 0.30.
    expected: {
      ANNA: { held: "StopMissing", energyWh: 5000 },
      BERT: { energyWh: 3000, minutes: 60, total: [0.9, 1.089], energy: [0.9, 1.089] }
    }
  },
  {
    name: "a stop that comes after the next start is billed as it says",
    tariff: thirtyCents,
    told: [begin, half, start(at("12:00"), 11_000, { of: "BERT" }), end, stop(at("13:00"), 14_000, { of: "BERT" })],
    expected: {
      ANNA: tenKwh,
      BERT: { energyWh: 3000, minutes: 60, total: [0.9, 1.089], energy: [0.9, 1.089] }
    }
  },
  {
    name: "an older session that is told after a newer one is billed as it says",
    tariff: thirtyCents,
    told: [start(at("12:00"), 11_000, { of: "BERT" }), stop(at("13:00"), 14_000, { of: "BERT" }), begin, half, end],
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
    name: "a session that is told again after many others is the same one still",
    tariff: thirtyCents,
    told: [
      ...six.flatMap(({ begins, ends, reads }) => [begins, reads, ends]),
      billing,
      ...six.flatMap(({ begins, ends, reads }) => [begins, reads, ends])
    ],
    expected: Object.fromEntries(six.map(({ of }) => [of, oneKwh]))
  },
  {
    name: "sessions of two connectors at once have each its own energy",
    tariff: allThree,
    told: [
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
    name: "two sessions of one card after one another are two records",
    tariff: thirtyCents,
    told: [
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
    name: "a tariff that is changed while the session runs leaves its price as it was",
    tariff: thirtyCents,
    told: [begin, half, { happens: "tariff", tariff: tariff([element([["ENERGY", 7, 21]])]) }, end],
    expected: { ANNA: tenKwh }
  },
  {
    name: "a card that was refused is billed for nothing, though its vehicle charged",
    tariff: thirtyCents,
    blocked: ["ANNA"],
    told: [begin, half, end],
    expected: { ANNA: { unbilled: "a refused card" } }
  },
  {
    name: "a card that was refused, and whose vehicle took nothing, is billed for nothing",
    tariff: tariff([element([["FLAT", 1, 20]])]),
    blocked: ["ANNA"],
    told: [begin, stop(at("10:00:05"), 1000, { with: { reason: "DeAuthorized" } })],
    expected: { ANNA: { unbilled: "a refused card" } }
  }
]

export const messages: ReadonlyArray<Story> = [...repeated, ...delayed, ...besideOthers]
