/** `ramp` and `storm`: bringing a fleet online, a bounded number of dials at a time or all at once. */
import type { Charger } from "./charger.ts"
import { Tally } from "./tally.ts"

/** A charger that was refused tries again after this time. Each refusal counts as a failure. */
const REDIAL_MS = 1_000
/** After this time the run stops waiting for the fleet; the remaining chargers count as failed. */
const ONLINE_LIMIT_MS = 120_000

/** Connects and boots every charger, at most `parallel` dials at a time; latency is from dial to accepted boot. */
export const bringOnline = (chargers: ReadonlyArray<Charger>, parallel: number, tally = new Tally()): Promise<Tally> =>
  new Promise((resolve) => {
    const giveUpAt = performance.now() + ONLINE_LIMIT_MS
    let next = 0
    let left = chargers.length
    const finish = (): void => {
      if (--left === 0) resolve(tally)
      else dialNext()
    }
    const dial = (charger: Charger): void => {
      const startedAt = performance.now()
      charger.connect((problem) => {
        const now = performance.now()
        if (problem === undefined) {
          tally.answered(now - startedAt)
          return finish()
        }
        tally.failed(`${charger.id}: ${problem}`)
        if (now > giveUpAt) return finish()
        charger.cut()
        setTimeout(() => dial(charger), REDIAL_MS)
      })
    }
    const dialNext = (): void => {
      const charger = chargers[next++]
      if (charger !== undefined) dial(charger)
    }
    for (let i = 0; i < parallel; i++) dialNext()
  })

/** Cuts all sockets at once and dials all of them again at once. The measured time begins with the cut. */
export const storm = (chargers: ReadonlyArray<Charger>): Promise<Tally> => {
  const tally = new Tally()
  for (const charger of chargers) charger.cut()
  return bringOnline(chargers, chargers.length, tally)
}
