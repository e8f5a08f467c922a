/** What F01 and F02 share: a fleet charges, the service is killed at a random instant and started again, and nothing acknowledged is missing. */
import { expect } from "vitest"
import { brokenRecords, readStored, type Query } from "./Database.ts"
import { between, chosen, quantile, report } from "./Choice.ts"
import { Fleet } from "./Fleet.ts"
import { withService, type Service } from "./Process.ts"
import { sleepMillis } from "./Wait.ts"

export interface KillCyclesSettings {
  /** The fault's name in the plan; the prefix of ids and random sequences. */
  readonly fault: string
  readonly databaseUrl?: string
  readonly chargers: number
  /** Cycles of the full run, and how many of them a tenth has. */
  readonly cycles: number
  readonly part: number
  /** Opens the stored data after the service has ended. */
  readonly truth: (service: Service, read: (query: Query) => Promise<void>) => Promise<void>
}

/** When the kill comes, in ms after all chargers were back: under full traffic. */
const inFlow = { from: 50, to: 2_500 }

/** When a second kill comes, in ms after the service was ready again: during the reconnects and the first repeats. */
const inReconnects = { from: 0, to: 600 }

/** Runs the cycles; throws on the first broken promise. */
export const killCycles = async (settings: KillCyclesSettings): Promise<void> => {
  const { chargers, cycles, databaseUrl, fault, part, truth } = settings
  const kills = chosen(`${fault} kills`, cycles, part, (random) => ({
    afterMillis: between(random, inFlow.from, inFlow.to),
    againAfterMillis: random() < 0.25 ? between(random, inReconnects.from, inReconnects.to) : undefined
  }))
  await withService({ databaseUrl }, async (service) => {
    const fleet = await Fleet.register(service, fault, { chargers })
    fleet.start()
    await fleet.allOnline()
    fleet.beginTraffic()
    const [readyAfter, onlineAfter]: [Array<number>, Array<number>] = [[], []]
    let since = 0
    const killAndRestart = async () => {
      const { signal } = await service.kill("SIGKILL")
      expect(signal).toBe("SIGKILL")
      readyAfter.push(await service.restart())
    }
    for (const { afterMillis, againAfterMillis } of kills) {
      const began = Date.now()
      await sleepMillis(afterMillis)
      await killAndRestart()
      if (againAfterMillis !== undefined) {
        await sleepMillis(againAfterMillis)
        await killAndRestart()
      }
      onlineAfter.push(await fleet.allOnline())
      expect(await fleet.brokenOverRest(since), "over REST after a kill").toEqual([])
      // Sessions of the cycle before are checked again, since their stops come in this one.
      since = began - 5_000
    }
    await fleet.settle()
    expect(await fleet.brokenOverRest(since), "over REST in the end").toEqual([])
    await fleet.stop()
    const { code } = await service.kill("SIGTERM")
    expect(code).toBe(0)
    await truth(service, async (query) => {
      expect(await fleet.broken(() => readStored(query)), "by SQL in the end").toEqual([])
      expect(await brokenRecords(query)).toEqual([])
    })
    report(fault, {
      kills: readyAfter.length,
      chargers,
      ...fleet.figures,
      "lost or doubled": 0,
      "ready p50 ms": Math.round(quantile(readyAfter, 0.5)),
      "ready p95 ms": Math.round(quantile(readyAfter, 0.95)),
      "all back p95 ms": Math.round(quantile(onlineAfter, 0.95)),
      met: fleet.tally.toString()
    })
    expect(fleet.figures.acknowledged, "a run without traffic proves nothing").toBeGreaterThan(kills.length * 10)
  })
}
