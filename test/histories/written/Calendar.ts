/** Nights with a clock change, leap days, ends of months and years, and sessions of no duration and of a month. */
import { allThree, day, element, meter, start, stop, type Story, tariff, thirtyCents } from "../Story.ts"

const spring = day("2026-03-29")
const autumn = day("2026-10-25")

const dear = (price: number, from: string, to: string) =>
  tariff([element([["TIME", price]], { startTime: from, endTime: to }), element([["TIME", 1]])])

const clocks: ReadonlyArray<Story> = [
  {
    name: "the night of the change to summer time has an hour less",
    zone: "Europe/Amsterdam",
    tariff: dear(3, "00:00", "03:00"),
    // From 00:30 to 04:30 local time, and three hours long: 03:00 comes at 01:00 UTC.
    steps: [start(spring("-0:30"), 1000), stop(spring("02:30"), 7000)],
    // 1.5 h × 3 + 1.5 h × 1.
    expected: { ANNA: { energyWh: 6000, minutes: 180, total: [6, 6], time: [6, 6] } }
  },
  {
    name: "the night of the change to winter time has an hour more",
    zone: "Europe/Amsterdam",
    tariff: dear(3, "00:00", "03:00"),
    // From 00:30 to 04:30 local time, and five hours long: 03:00 comes at 02:00 UTC.
    steps: [start(autumn("-1:30"), 1000), stop(autumn("03:30"), 11_000)],
    // 3.5 h × 3 + 1.5 h × 1.
    expected: { ANNA: { energyWh: 10_000, minutes: 300, total: [12, 12], time: [12, 12] } }
  },
  {
    name: "the hour that clocks skip is not billed",
    zone: "Europe/Amsterdam",
    tariff: dear(10, "02:00", "03:00"),
    steps: [start(spring("00:00"), 1000), stop(spring("02:00"), 3000)],
    expected: { ANNA: { energyWh: 2000, minutes: 120, total: [2, 2], time: [2, 2] } }
  },
  {
    name: "the hour that occurs twice is billed twice",
    zone: "Europe/Amsterdam",
    tariff: dear(10, "02:00", "03:00"),
    steps: [start(autumn("-1:00"), 1000), stop(autumn("03:00"), 5000)],
    // 01:00 to 02:00, twice 02:00 to 03:00, 03:00 to 04:00: 1 + 20 + 1.
    expected: { ANNA: { energyWh: 4000, minutes: 240, total: [22, 22], time: [22, 22] } }
  },
  {
    name: "a session through the skipped hour has its energy at the times of its readings",
    zone: "Europe/Amsterdam",
    tariff: tariff([element([["ENERGY", 0.6]], { startTime: "03:00", endTime: "04:00" }), element([["ENERGY", 0.2]])]),
    steps: [
      start(spring("00:30"), 1000),
      meter(spring("01:00"), 3000),
      meter(spring("02:00"), 8000),
      stop(spring("02:30"), 9000)
    ],
    // 03:00 to 04:00 local time is 01:00 to 02:00 UTC: 5 × 0.60; 3 × 0.20 around it.
    expected: { ANNA: { energyWh: 8000, minutes: 120, total: [3.6, 3.6], energy: [3.6, 3.6] } }
  },
  {
    name: "a zone may differ from UTC by three quarters of an hour",
    zone: "Asia/Kathmandu",
    tariff: tariff([element([["ENERGY", 0.2]], { startTime: "00:00", endTime: "06:00" }), element([["ENERGY", 0.4]])]),
    // 23:30 to 00:30 at UTC+5:45.
    steps: [start(day("2026-05-20")("17:45"), 1000), stop(day("2026-05-20")("18:45"), 3000)],
    expected: { ANNA: { energyWh: 2000, minutes: 60, total: [0.6, 0.6], energy: [0.6, 0.6] } }
  }
]

/** 26 kWh in 26 hours, from 23:00 to 01:00 on the day after the next. */
const twentySixHours = (date: string) => [start(day(date)("23:00"), 1000), stop(day(date)("49:00"), 27_000)]

const days: ReadonlyArray<Story> = [
  {
    name: "the leap day is a day like any other",
    tariff: tariff([
      element([["ENERGY", 0.1]], { startDate: "2028-02-29", endDate: "2028-03-01" }),
      element([["ENERGY", 0.5]])
    ]),
    steps: twentySixHours("2028-02-28"),
    // 1 × 0.50 + 24 × 0.10 + 1 × 0.50.
    expected: { ANNA: { energyWh: 26_000, minutes: 1560, total: [3.4, 3.4], energy: [3.4, 3.4] } }
  },
  {
    name: "February has no 29th in other years",
    tariff: tariff([element([["TIME", 5]], { startDate: "2026-03-01" }), element([["TIME", 1]])]),
    steps: [start(day("2026-02-28")("23:00"), 1000), stop(day("2026-02-28")("25:00"), 3000)],
    expected: { ANNA: { energyWh: 2000, minutes: 120, total: [6, 6], time: [6, 6] } }
  },
  {
    name: "a price applies only on the first day of a month",
    tariff: tariff([
      element([["ENERGY", 0.1, 20]], { startDate: "2026-06-01", endDate: "2026-06-02" }),
      element([["ENERGY", 0.5, 20]])
    ]),
    steps: twentySixHours("2026-05-31"),
    expected: { ANNA: { energyWh: 26_000, minutes: 1560, total: [3.4, 4.08], energy: [3.4, 4.08] } }
  },
  {
    name: "a new year has new prices and a new VAT, in the middle of a session",
    tariff: tariff([element([["ENERGY", 0.3, 19]], { endDate: "2027-01-01" }), element([["ENERGY", 0.4, 21]])]),
    steps: [start(day("2026-12-31")("22:00"), 1000), stop(day("2026-12-31")("26:00"), 9000)],
    // 4 × 0.30 = 1.20, × 1.19 = 1.428; 4 × 0.40 = 1.60, × 1.21 = 1.936.
    expected: { ANNA: { energyWh: 8000, minutes: 240, total: [2.8, 3.364], energy: [2.8, 3.364] } }
  },
  {
    name: "Saturday begins at midnight",
    tariff: tariff([element([["ENERGY", 0.2]], { dayOfWeek: ["SATURDAY", "SUNDAY"] }), element([["ENERGY", 0.6]])]),
    steps: [start(day("2026-05-22")("23:00"), 1000), stop(day("2026-05-22")("25:00"), 9000)],
    // 4 × 0.60 on Friday, 4 × 0.20.
    expected: { ANNA: { energyWh: 8000, minutes: 120, total: [3.2, 3.2], energy: [3.2, 3.2] } }
  },
  {
    name: "weekdays are those of the site",
    zone: "Pacific/Auckland",
    tariff: tariff([element([["ENERGY", 0.1]], { dayOfWeek: ["SUNDAY"] }), element([["ENERGY", 0.5]])]),
    // Sunday the 24th begins at noon UTC of the 23rd.
    steps: [start(day("2026-05-23")("11:00"), 1000), stop(day("2026-05-23")("13:00"), 5000)],
    expected: { ANNA: { energyWh: 4000, minutes: 120, total: [1.2, 1.2], energy: [1.2, 1.2] } }
  },
  {
    name: "night and weekday restrict one element together",
    tariff: tariff([
      element([["TIME", 4]], { dayOfWeek: ["MONDAY"], startTime: "22:00", endTime: "02:00" }),
      element([["TIME", 1]])
    ]),
    // Sunday 23:00 to Tuesday 01:00: on Monday the restriction applies from 00:00 to 02:00 and from 22:00 to 24:00.
    steps: twentySixHours("2026-05-24"),
    // 4 h × 4 + 22 h × 1.
    expected: { ANNA: { energyWh: 26_000, minutes: 1560, total: [38, 38], time: [38, 38] } }
  }
]

const may = day("2026-05-20")
const june = day("2026-06-01")

const lengths: ReadonlyArray<Story> = [
  {
    name: "a session without duration and energy costs its flat fee",
    tariff: tariff([
      element([
        ["FLAT", 1, 20],
        ["ENERGY", 0.3, 20],
        ["TIME", 5, 20]
      ])
    ]),
    steps: [start(may("10:00"), 1000), stop(may("10:00"), 1000)],
    expected: { ANNA: { energyWh: 0, minutes: 0, total: [1, 1.2], fixed: [1, 1.2] } }
  },
  {
    name: "a little energy without duration is billed, since clocks have seconds",
    tariff: thirtyCents,
    steps: [start(may("10:00"), 1000), stop(may("10:00"), 1300)],
    // 0.3 × 0.30.
    expected: { ANNA: { energyWh: 300, minutes: 0, total: [0.09, 0.1089], energy: [0.09, 0.1089] } }
  },
  {
    name: "a vehicle that stays for thirty days is billed for all of them",
    tariff: tariff([
      element([
        ["ENERGY", 0.3],
        ["PARKING_TIME", 0.1]
      ])
    ]),
    steps: [
      start(june("00:00"), 1_000_000),
      meter(june("24:00"), 1_060_000),
      meter(june("240:00"), 1_060_000),
      stop(june("720:00"), 1_060_000)
    ],
    // 60 × 0.30 = 18; 29 days × 24 h × 0.10 = 69.60.
    expected: {
      ANNA: {
        energyWh: 60_000,
        minutes: 43_200,
        parkingMinutes: 41_760,
        total: [87.6, 87.6],
        energy: [18, 18],
        parking: [69.6, 69.6]
      }
    }
  },
  {
    name: "seconds are billed as seconds",
    tariff: allThree,
    steps: [start(may("10:00:15"), 1000), meter(may("10:00:45"), 1100), stop(may("10:01:30"), 1100)],
    // 0.1 × 0.40 = 0.04; 30 s × 1.20 / 3600 = 0.01; 45 s × 6 / 3600 = 0.075.
    expected: {
      ANNA: {
        energyWh: 100,
        minutes: 1.25,
        parkingMinutes: 0.75,
        total: [0.125, 0.15],
        energy: [0.04, 0.048],
        time: [0.01, 0.012],
        parking: [0.075, 0.09]
      }
    }
  }
]

export const calendar: ReadonlyArray<Story> = [...clocks, ...days, ...lengths]
