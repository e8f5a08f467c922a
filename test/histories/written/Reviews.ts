/** What happens after a record: late readings, corrections, releases, and credit records. */
import {
  allThree,
  billing,
  correct,
  credit,
  day,
  element,
  meter,
  type Money,
  release,
  start,
  stop,
  type Story,
  tariff,
  thirtyCents
} from "../Story.ts"

const at = day("2026-05-20")
const begin = start(at("10:00"), 1000)
const end = stop(at("11:00"), 11_000)
const late = meter(at("10:30"), 11_000)

const back = ([exclVat, inclVat]: Money): Money => [-exclVat, -inclVat]

/** Without the reading of 10:30: 10 × 0.40 + 1 h × 1.20. */
const before: Money = [5.2, 6.24]
/** With it: 10 × 0.40 + 0.5 h × 1.20 + 0.5 h × 6. */
const after: Money = [7.6, 9.12]

const corrected = {
  energyWh: 10_000,
  minutes: 60,
  parkingMinutes: 30,
  total: after,
  energy: [4, 4.8],
  time: [0.6, 0.72],
  parking: [3, 3.6]
} as const

export const reviews: ReadonlyArray<Story> = [
  {
    name: "a reading after the record that would change it leaves it, and shows that a correction is needed",
    tariff: allThree,
    steps: [begin, end, billing, late, billing],
    expected: {
      ANNA: {
        energyWh: 10_000,
        minutes: 60,
        total: before,
        energy: [4, 4.8],
        time: [1.2, 1.44],
        needsCorrection: true
      }
    },
    needsOrder: "the reading has to come after the record"
  },
  {
    name: "a correction credits the record and issues the right one",
    tariff: allThree,
    steps: [begin, end, billing, late, billing, correct()],
    expected: { ANNA: { ...corrected, records: [before, back(before), after] } },
    needsOrder: "the reading has to come after the record"
  },
  {
    name: "a reading after the record that changes no price needs no correction",
    tariff: thirtyCents,
    steps: [begin, end, billing, late, billing],
    expected: { ANNA: { energyWh: 10_000, minutes: 60, total: [3, 3.63], energy: [3, 3.63] } }
  },
  {
    name: "a reading from after the stop does not belong to the session",
    tariff: allThree,
    steps: [begin, late, end, billing, meter(at("11:30"), 12_000), billing],
    expected: { ANNA: corrected }
  },
  {
    name: "an operator's energy is billed in place of the meter's",
    tariff: thirtyCents,
    steps: [begin, end, billing, correct({ energyWh: 6000 })],
    // 6 × 0.30.
    expected: {
      ANNA: {
        energyWh: 6000,
        minutes: 60,
        total: [1.8, 2.178],
        energy: [1.8, 2.178],
        records: [
          [3, 3.63],
          [-3, -3.63],
          [1.8, 2.178]
        ]
      }
    },
    needsOrder: "a correction's figures replace what is sent after it"
  },
  {
    name: "an operator's times are billed in place of the charger's",
    tariff: allThree,
    steps: [begin, late, end, billing, correct({ startedAt: at("10:15"), endedAt: at("10:45") })],
    // 10 × 0.40; 10:15 to 10:30 × 1.20 = 0.30; 10:30 to 10:45 × 6 = 1.50.
    expected: {
      ANNA: {
        energyWh: 10_000,
        minutes: 30,
        parkingMinutes: 15,
        total: [5.8, 6.96],
        energy: [4, 4.8],
        time: [0.3, 0.36],
        parking: [1.5, 1.8],
        records: [after, back(after), [5.8, 6.96]]
      }
    },
    needsOrder: "a correction's figures replace what is sent after it"
  },
  {
    name: "each correction credits the record of the previous one",
    tariff: thirtyCents,
    steps: [begin, end, billing, correct({ energyWh: 6000 }), correct({ energyWh: 8000 })],
    // 8 × 0.30.
    expected: {
      ANNA: {
        energyWh: 8000,
        minutes: 60,
        total: [2.4, 2.904],
        energy: [2.4, 2.904],
        records: [
          [3, 3.63],
          [-3, -3.63],
          [1.8, 2.178],
          [-1.8, -2.178],
          [2.4, 2.904]
        ]
      }
    },
    needsOrder: "a correction's figures replace what is sent after it"
  },
  {
    name: "a held session that is released is billed unchanged",
    tariff: thirtyCents,
    steps: [begin, meter(at("10:30"), 6000), stop(at("11:00"), null), release()],
    // The newest reading: 5 × 0.30.
    expected: { ANNA: { energyWh: 5000, minutes: 60, parkingMinutes: 30, total: [1.5, 1.815], energy: [1.5, 1.815] } },
    needsOrder: "what is released is what was known at that moment"
  },
  {
    name: "a corrected held session has one record, and no credit",
    tariff: thirtyCents,
    steps: [begin, stop(at("11:00"), null), correct({ energyWh: 7000 })],
    // 7 × 0.30.
    expected: { ANNA: { energyWh: 7000, minutes: 60, total: [2.1, 2.541], energy: [2.1, 2.541] } },
    needsOrder: "a correction's figures replace what is sent after it"
  },
  {
    name: "a credited record is not issued again, whatever messages follow",
    tariff: thirtyCents,
    steps: [begin, end, credit(), end, billing, late, billing],
    expected: {
      ANNA: {
        credited: [
          [3, 3.63],
          [-3, -3.63]
        ]
      }
    },
    needsOrder: "it has to be credited before it is sent again"
  },
  {
    name: "a session whose record was credited is not held for a reading that arrives after it",
    tariff: thirtyCents,
    // The register falls below that of the start.
    steps: [begin, end, billing, credit(), meter(at("10:30"), 900), billing],
    expected: {
      ANNA: {
        credited: [
          [3, 3.63],
          [-3, -3.63]
        ]
      }
    },
    needsOrder: "the reading has to come after the record"
  },
  {
    name: "a session whose record was credited is billed again when it is corrected",
    tariff: thirtyCents,
    steps: [begin, end, credit(), correct({ energyWh: 6000 })],
    // 6 × 0.30.
    expected: {
      ANNA: {
        energyWh: 6000,
        minutes: 60,
        total: [1.8, 2.178],
        energy: [1.8, 2.178],
        records: [
          [3, 3.63],
          [-3, -3.63],
          [1.8, 2.178]
        ]
      }
    },
    needsOrder: "a correction's figures replace what is sent after it"
  },
  {
    name: "a changed time zone of the site does not change the prices of earlier sessions",
    zone: "America/New_York",
    tariff: tariff([element([["TIME", 6]], { startTime: "06:00", endTime: "07:00" }), element([["TIME", 1]])]),
    steps: [
      begin,
      { happens: "zone", zone: "Europe/Amsterdam" },
      end,
      billing,
      { happens: "zone", zone: "Asia/Tokyo" },
      billing
    ],
    // From 06:00 in New York.
    expected: { ANNA: { energyWh: 10_000, minutes: 60, total: [6, 6], time: [6, 6] } }
  },
  {
    name: "a corrected energy is spread by the readings, counted back from the stop if the start was wrong",
    tariff: allThree,
    steps: [
      start(at("10:00"), 0),
      meter(at("10:05"), 400_500),
      meter(at("10:30"), 410_000),
      stop(at("11:00"), 410_000),
      correct({ energyWh: 10_000 })
    ],
    // 10 × 0.40; half an hour × 1.20; half an hour × 6.
    expected: { ANNA: { ...corrected, records: [after] } },
    needsOrder: "a correction's figures replace what is sent after it"
  },
  {
    name: "a corrected energy is spread by the readings in proportion if neither end was wrong",
    tariff: allThree,
    steps: [begin, meter(at("10:20"), 9000), late, end, correct({ energyWh: 6000 })],
    // 6 × 0.40; half an hour × 1.20; half an hour × 6.
    expected: {
      ANNA: {
        energyWh: 6000,
        minutes: 60,
        parkingMinutes: 30,
        total: [6, 7.2],
        energy: [2.4, 2.88],
        time: [0.6, 0.72],
        parking: [3, 3.6],
        periods: [
          [at("10:00"), at("10:30"), 6000, "charging"],
          [at("10:30"), at("11:00"), 0, "parking"]
        ],
        records: [after, back(after), [6, 7.2]]
      }
    },
    needsOrder: "a correction's figures replace what is sent after it"
  }
]
