/**
 * Decides whether a vehicle charged or was parked in a stretch of a session. PARKING_TIME is time in which the vehicle requests no power (OCPI 2.2.1
 * `mod_cdrs` `CdrDimensionType`), and no single value from a charger shows that in all cases. So the best available evidence decides: the reported
 * status, then the register if it is fine enough for the stretch, then the measured power or current. Without any evidence the vehicle counts as
 * charging.
 */

/** What a decision is based on. `Assumed`: there was no evidence. */
export const evidences = ["Status", "Register", "Power", "Current", "Assumed"] as const
export type Evidence = (typeof evidences)[number]

/** What a connector's status says about the vehicle. `Parked`: it requests no power. `Paused`: the charger gives none. Undefined: not certain. */
export type Claim = "Parked" | "Paused" | undefined

/** What a status proves (OCPP 1.6 §4.9). `Charging` proves nothing: many chargers never report that the vehicle suspended charging. */
export const claimOf = (status: string): Claim =>
  status === "SuspendedEV" || status === "Finishing" ? "Parked" : status === "SuspendedEVSE" ? "Paused" : undefined

/** The step size in which a register counts. */
export interface Resolution {
  readonly wh: number
  /** False if few values were seen, so that all of them may be round by chance. */
  readonly isProven: boolean
}

export const finest: Resolution = { wh: 1, isProven: true }

/** Step sizes in Wh of registers that are reported in kWh with no, one or two decimals; coarsest first. */
export const resolutionSteps = [1000, 100, 10]

/** This many different values that are all round are not round by chance. */
export const stepProvedBy = 4

/** The step size that a session's register values show. A value of 0 shows nothing. */
export const resolutionOf = (registersWh: ReadonlyArray<number>): Resolution => {
  const figures = new Set(registersWh.filter((wh) => wh !== 0))
  const grid =
    figures.size === 0 ? undefined : resolutionSteps.find((wh) => [...figures].every((figure) => figure % wh === 0))
  return grid === undefined ? finest : { wh: grid, isProven: figures.size >= stepProvedBy }
}

/** How many hours a vehicle must be parked for the register to show it. */
export const conclusiveHours = ({ wh }: Resolution, standbyW: number): number => wh / standbyW

/** The time from one reading or change of status to the next. */
export interface Sampled {
  readonly from: number
  readonly to: number
  /** The growth of the register, Wh. */
  readonly growthWh: number
  /** From the reading that ends the sample. */
  readonly powerW?: number | undefined
  readonly currentA?: number | undefined
  readonly claim: Claim
}

export interface Judged {
  readonly charging: boolean
  readonly evidence: Evidence
  /** Mean power, W. If a coarse register was judged from step to step, the mean over the step. */
  readonly averageW: number
}

export interface Rules {
  readonly resolution: Resolution
  /** W: a vehicle that takes less is parked. */
  readonly standbyW: number
}

/**
 * The standby power that an operator may set, W. Full vehicles take a few tens of watts for their electronics, and up to the usual value for battery
 * heating and cooling.
 */
export const standbyW = { least: 1, usual: 100, most: 10_000 }

const hourMillis = 3_600_000

/** Volts between a phase and neutral, used if only current was measured. */
export const volts = 230

const millisOf = ({ from, to }: Sampled): number => to - from
const meanW = (wh: number, millis: number): number => (millis === 0 ? 0 : (wh * hourMillis) / millis)
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, n) => all + n, 0)

/** Samples without growth, and the sample with growth that ends them, if any. */
interface Run {
  readonly still: ReadonlyArray<Sampled>
  readonly grown: Sampled | undefined
}

class Judge {
  private readonly stepWh: number
  private readonly standbyW: number

  constructor(stepWh: number, standbyW: number) {
    this.stepWh = stepWh
    this.standbyW = standbyW
  }

  run({ grown, still }: Run): ReadonlyArray<Judged> {
    const all = grown === undefined ? still : [...still, grown]
    if (all.every((one) => this.isConclusive(millisOf(one)))) return all.map((one) => this.byRegister(one))
    const stillMillis = sum(still.map(millisOf))
    if (grown === undefined)
      return this.isConclusive(stillMillis) ? still.map(() => parked) : still.map(this.byMeasured)
    const alone = [...still.map(() => parked), this.alone(grown)]
    if (still.length === 0) return alone
    const millis = stillMillis + millisOf(grown)
    const averageW = meanW(grown.growthWh, millis)
    const isParked = this.isConclusive(millis) && averageW < this.standbyW
    if (this.isConclusive(stillMillis))
      return isParked && !this.isSurely(grown) ? all.map(() => ({ ...parked, averageW })) : alone
    if (isParked) return all.map(() => ({ ...parked, averageW }))
    const charged: Judged = { charging: true, evidence: averageW >= this.standbyW ? "Register" : "Assumed", averageW }
    if (this.isConclusive(millis)) return all.map(() => charged)
    return all.map((one) => (isMeasured(one) ? { ...this.byMeasured(one), averageW } : charged))
  }

  /** A register is conclusive over a time in which one of its steps means less power than standby. */
  private isConclusive(millis: number): boolean {
    return millis > 0 && meanW(this.stepWh, millis) < this.standbyW
  }

  /** True if the power was above standby even with the register's rounding. */
  private isSurely(one: Sampled): boolean {
    const least = one.growthWh - this.stepWh
    return millisOf(one) === 0 ? one.growthWh > 0 : meanW(least, millisOf(one)) >= this.standbyW
  }

  private readonly byRegister = (one: Sampled): Judged => {
    const averageW = meanW(one.growthWh, millisOf(one))
    return { charging: averageW >= this.standbyW, evidence: "Register", averageW }
  }

  private readonly byMeasured = (one: Sampled): Judged => {
    const { currentA, growthWh, powerW } = one
    const averageW = meanW(growthWh, millisOf(one))
    if (powerW !== undefined) return { charging: powerW >= this.standbyW, evidence: "Power", averageW }
    if (currentA !== undefined) return { charging: currentA * volts >= this.standbyW, evidence: "Current", averageW }
    return { charging: true, evidence: "Assumed", averageW }
  }

  private alone(one: Sampled): Judged {
    if (this.isConclusive(millisOf(one))) return this.byRegister(one)
    const averageW = meanW(one.growthWh, millisOf(one))
    if (this.isSurely(one)) return { charging: true, evidence: "Register", averageW }
    return this.byMeasured(one)
  }
}

const parked: Judged = { charging: false, evidence: "Register", averageW: 0 }

const isMeasured = ({ currentA, powerW }: Sampled): boolean => powerW !== undefined || currentA !== undefined

const bySteps = (samples: ReadonlyArray<Sampled>, judge: Judge): ReadonlyArray<Judged> => {
  const judged: Array<Judged> = []
  let still: Array<Sampled> = []
  const close = (grown: Sampled | undefined): void => {
    for (const one of judge.run({ still, grown })) judged.push(one)
    still = []
  }
  for (const one of samples) {
    if (one.claim !== undefined) {
      if (still.length > 0) close(undefined)
      const averageW = meanW(one.growthWh, millisOf(one))
      judged.push({ charging: one.claim === "Paused", evidence: "Status", averageW })
    } else if (one.growthWh > 0) close(one)
    else still.push(one)
  }
  if (still.length > 0) close(undefined)
  return judged
}

const ofRegister: ReadonlySet<Evidence> = new Set<Evidence>(["Register", "Assumed"])

/**
 * One decision for each sample; samples follow one another without gaps. If the coarse step of a register is not proven, the register is treated as a
 * fine one wherever no status, power or current decides.
 */
export const judged = (samples: ReadonlyArray<Sampled>, { resolution, standbyW }: Rules): ReadonlyArray<Judged> => {
  const found = bySteps(samples, new Judge(resolution.wh, standbyW))
  if (resolution.isProven) return found
  const fine = bySteps(samples, new Judge(finest.wh, standbyW))
  return found.map((one, i) => (ofRegister.has(one.evidence) ? fine[i]! : one))
}
