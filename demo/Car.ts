/** A car at a connector: how much power it draws as its battery fills. Pure, so that past sessions can be computed as well as future ones. */
import { between, pick, type Random } from "./Town.ts"

export interface Car {
  readonly batteryWh: number
  /** The most that its on-board charger takes (AC), and that its battery takes (DC), in W. */
  readonly acW: number
  readonly dcW: number
  /** The battery's state of charge when it arrives, and that at which its driver leaves, both from 0 to 1. */
  readonly from: number
  readonly to: number
  readonly cardUid: string
}

const models = [
  { batteryWh: 57_000, acW: 11_000, dcW: 120_000 },
  { batteryWh: 75_000, acW: 11_000, dcW: 190_000 },
  { batteryWh: 77_000, acW: 11_000, dcW: 135_000 },
  { batteryWh: 94_000, acW: 22_000, dcW: 205_000 },
  { batteryWh: 40_000, acW: 7_400, dcW: 46_000 },
  { batteryWh: 12_000, acW: 3_700, dcW: 20_000 }
] as const

export const carOf = (random: Random, cardUid: string): Car => {
  const from = between(random, 0.08, 0.55)
  return { ...pick(random, models), from, to: Math.min(0.97, from + between(random, 0.15, 0.5)), cardUid }
}

/** The power in W that a car draws with its battery at `full` (0 to 1), at a connector of `connectorW`. */
export const powerOf = (car: Car, connectorW: number, current: "AC" | "DC", full: number): number => {
  const most = Math.min(connectorW, current === "AC" ? car.acW : car.dcW)
  if (full >= 1) return 0
  // A battery charges more slowly above 60 %; on AC only the last tenth is slower.
  const knee = current === "AC" ? 0.9 : 0.6
  return full < knee ? most : most * Math.max(0.12, 1 - (full - knee) / (1.08 - knee))
}

export interface Progress {
  /** Energy that it has taken, in Wh. */
  readonly wh: number
  readonly full: number
  readonly powerW: number
  readonly isDone: boolean
}

/** The progress of a car after so many seconds, computed in steps of at most half a minute. */
export const after = (
  car: Car,
  connectorW: number,
  current: "AC" | "DC",
  seconds: number,
  since?: Progress
): Progress => {
  let { wh, full } = since ?? { wh: 0, full: car.from }
  for (let left = seconds; left > 0 && full < car.to; left -= 30) {
    const part = (powerOf(car, connectorW, current, full) * Math.min(left, 30)) / 3600
    wh += part
    full += part / car.batteryWh
  }
  const isDone = full >= car.to
  return { wh, full, powerW: isDone ? 0 : powerOf(car, connectorW, current, full), isDone }
}
