/** The components that limits are built from. */
import { describe, expect, it } from "vitest"
import { Buckets } from "../../../src/domain/values/Buckets.ts"
import { FrameRate, FrameRates } from "../../../src/ocpp/server/FrameRate.ts"
import { LargeFrames } from "../../../src/ocpp/server/LargeFrames.ts"
import { defaultLimits } from "../../../src/ocpp/server/Limits.ts"
import { freshSigns, judge, livenessRules } from "../../../src/ocpp/server/Liveness.ts"
import { LoopLag } from "../../../src/ocpp/server/LoopLag.ts"
import { AdmissionQueue } from "../../../src/ocpp/server/AdmissionQueue.ts"
import { UpgradeGuard } from "../../../src/ocpp/server/UpgradeGuard.ts"
import { Random, seeds } from "../../support/random.ts"

describe("a bucket", () => {
  it.each(seeds(20))("allows at most twice its capacity in any one period, PROPERTY_SEED=%i", (seed) => {
    const random = new Random(seed)
    const buckets = new Buckets(10, 60_000, 100)
    const taken: Array<number> = []
    for (let i = 0, now = 0; i < 5_000; i++) {
      now += random.chance(0.01) ? random.between(0, 120_000) : random.between(0, 200)
      const may = buckets.has("a", now)
      expect(buckets.take("a", now)).toBe(may)
      if (may) taken.push(now)
    }
    for (const [i, start] of taken.entries()) {
      expect(taken.slice(i).filter((time) => time - start < 60_000).length).toBeLessThanOrEqual(20)
    }
  })

  it("says correctly how long to wait", () => {
    const buckets = new Buckets(2, 10_000, 100)
    expect([buckets.take("a", 0), buckets.take("a", 0), buckets.take("a", 0)]).toEqual([true, true, false])
    expect(buckets.waitSeconds("a", 0)).toBe(5)
    expect(buckets.has("a", 4_999)).toBe(false)
    expect(buckets.has("a", 5_000)).toBe(true)
  })

  it("is not refilled by a clock that goes backwards", () => {
    const buckets = new Buckets(1, 1_000, 100)
    buckets.take("a", 10_000)
    expect(buckets.take("a", 0)).toBe(false)
    expect(buckets.has("a", 0)).toBe(false)
  })

  it("is forgotten when it is full again or there are too many", () => {
    const buckets = new Buckets(1, 1_000, 3)
    for (const name of ["a", "b", "c", "d"]) buckets.take(name, 0)
    expect(buckets.size).toBe(3)
    buckets.sweep(500)
    expect(buckets.size).toBe(3)
    buckets.sweep(1_000)
    expect(buckets.size).toBe(0)
  })
})

describe("the upgrade guard", () => {
  it.each(seeds(20))(
    "reveals at most twenty wrong passwords of a charger in any one minute, PROPERTY_SEED=%i",
    (seed) => {
      const random = new Random(seed)
      const guard = new UpgradeGuard(defaultLimits)
      const guesses: Array<number> = []
      for (let i = 0, now = 0; i < 3_000; i++) {
        now += random.between(0, 150)
        if (guard.guessedWrong("CP1", now)) guesses.push(now)
      }
      expect(guesses.length).toBeGreaterThan(20)
      for (const [i, start] of guesses.entries()) {
        expect(guesses.slice(i).filter((time) => time - start < 60_000).length).toBeLessThanOrEqual(20)
      }
    }
  )

  it("remembers only a limited number of networks and ids", () => {
    const guard = new UpgradeGuard(defaultLimits)
    // Twenty thousand of each are remembered.
    for (let i = 0; i < 24_000; i++) {
      guard.refused(`network ${i}`, 0)
      guard.unknown(`id ${i}`, 0)
      guard.guessedWrong(`id ${i}`, 0)
    }
    expect(guard.isOverLimit("network 23999", 0)).toBe(false)
    guard.sweep(10 * 60_000)
  })
})

describe("liveness", () => {
  it("detects a silent charger within 75 seconds, whenever it went silent", () => {
    const rules = livenessRules(defaultLimits)
    for (let silentFrom = 0; silentFrom < 20; silentFrom++) {
      const signs = { ...freshSigns(), pongs: true }
      let sweep = 0
      for (; sweep < silentFrom; sweep++) {
        signs.heard = true
        expect(["fine", "ping"]).toContain(judge(signs, rules))
      }
      // One more message just after the last sweep.
      signs.heard = true
      const verdicts: Array<string> = []
      while (verdicts.at(-1) !== "dead") verdicts.push(judge(signs, rules))
      expect(verdicts.length * 5).toBeLessThanOrEqual(75)
      expect(verdicts.slice(1).filter((verdict) => verdict === "ping")).toHaveLength(2)
    }
  })
})

describe("the rate of a charger", () => {
  const over = (n: number, what: string) => Array.from({ length: n }, (_, i) => (i < n - 1 ? undefined : what))

  it("is a burst of frames at once and then so many per second", () => {
    const rate = new FrameRate({ ...defaultLimits, frameBurst: 5, framesPerSecond: 2 }, 0)
    expect([1, 2, 3, 4, 5].map(() => rate.spend(1, 0, 0))).toEqual(over(5, "frames"))
    expect(rate.hasRoom(499)).toBe(false)
    expect(rate.hasRoom(500)).toBe(true)
    expect(rate.hasRoom(1e9)).toBe(true)
    expect([1, 2, 3, 4, 5].map(() => rate.spend(1, 0, 1e9))).toEqual(over(5, "frames"))
  })

  it("also counts bytes, and what exceeds the burst is paid back", () => {
    const rate = new FrameRate({ ...defaultLimits, bytesBurst: 100, bytesPerSecond: 10 }, 0)
    expect(rate.spend(1, 99, 0)).toBeUndefined()
    expect(rate.spend(1, 31, 0)).toBe("bytes")
    expect(rate.hasRoom(3_000)).toBe(false)
    expect(rate.hasRoom(3_100)).toBe(true)
  })

  it("also counts the processing time of frames", () => {
    const rate = new FrameRate({ ...defaultLimits, workBurstMillis: 100, workMillisPerSecond: 10 }, 0)
    expect(rate.worked(99, 0)).toBe(false)
    expect(rate.worked(11, 0)).toBe(true)
    expect(rate.hasRoom(999)).toBe(false)
    expect(rate.hasRoom(1_100)).toBe(true)
  })

  it("continues over connections, and is forgotten when the charger is gone and the debt is paid", () => {
    const rates = new FrameRates({ ...defaultLimits, bytesBurst: 100, bytesPerSecond: 10 })
    const rate = rates.begin("CP1", 0)
    rate.spend(1, 150, 0)
    rates.end(rate)
    rates.sweep(1_000)
    expect(rates.begin("CP1", 1_000)).toBe(rate)
    rates.sweep(60_000)
    expect(rates.size).toBe(1)
    rates.end(rate)
    rates.sweep(60_000)
    expect(rates.size).toBe(0)
  })
})

describe("large frames", () => {
  it("are processed one at a time in order, with pauses in which others are served", async () => {
    const frames = new LargeFrames({ largeBytesPerSecond: 1e12, largeRest: 4 })
    const taken: Array<number> = []
    const ends: Array<number> = []
    const starts: Array<number> = []
    await new Promise<void>((done) => {
      for (let n = 0; n < 4; n++) {
        frames.offer({
          bytes: 1,
          take: () => {
            starts.push(performance.now())
            taken.push(n)
            while (performance.now() - starts.at(-1)! < 5);
            ends.push(performance.now())
            if (n === 3) done()
            return true
          }
        })
      }
      expect(taken).toEqual([])
    })
    expect(taken).toEqual([0, 1, 2, 3])
    for (let n = 1; n < 4; n++) expect(starts[n]! - ends[n - 1]!).toBeGreaterThanOrEqual(19)
    expect(frames.size).toBe(0)
  })

  it("are not delayed behind one whose connection has ended", async () => {
    const frames = new LargeFrames({ largeBytesPerSecond: 1, largeRest: 1 })
    await new Promise<void>((done) => {
      frames.offer({ bytes: 1e9, take: () => false })
      frames.offer({ bytes: 1, take: () => (done(), true) })
    })
    expect(frames.size).toBe(0)
  })
})

describe("the event loop's lag", () => {
  it("is reported every second, and counts as overload only when it lasts", () => {
    const reported: Array<number> = []
    const lag = new LoopLag(200, 0, (worst) => reported.push(worst))
    let now = 0
    const pass = (millis: number, late: number): void => {
      for (const end = now + millis; now < end;) lag.sample((now += 50 + late))
    }
    pass(1_000, 0)
    expect(reported).toEqual([0])
    for (let i = 0; i < 2; i++) pass(1_000, 250)
    expect(lag.isOverloaded).toBe(false)
    pass(1_200, 250)
    expect(lag.isOverloaded).toBe(true)
    expect(Math.max(...reported)).toBe(250)
    pass(2_000, 0)
    expect(lag.isOverloaded).toBe(false)
  })

  it("is measured once a second while the process is idle, and frequently as soon as it is busy or late", () => {
    let now = 0
    let cpu = 0
    let timer: (() => void) | undefined
    let samples = 0
    const reported: Array<number> = []
    const clock = {
      now: () => now,
      elapsed: () => now,
      every: (_: number, tick: () => void) => {
        timer = tick
        return () => void (timer = undefined)
      }
    }
    const lag = new LoopLag(
      200,
      0,
      (worst) => reported.push(worst),
      () => cpu
    )
    lag.start(clock)
    const pass = (millis: number, { late = 0, share }: { readonly late?: number; readonly share: number }): number => {
      samples = 0
      for (const end = now + millis; now < end; samples++) {
        const isOften = timer !== undefined
        const step = (isOften ? 50 : 1_000) + late
        now += step
        cpu += step * share
        if (isOften) timer?.()
        else lag.tick(now)
      }
      return samples
    }
    expect(pass(1_000, { share: 0.5 })).toBe(20)
    expect(pass(1_000, { share: 0.01 })).toBe(20)
    expect(pass(10_000, { share: 0.01 })).toBe(10)
    // Busy, so sampled frequently from the next second on.
    pass(1_000, { share: 0.5 })
    expect(pass(1_000, { share: 0.5 })).toBe(20)
    pass(2_000, { share: 0.01 })
    expect(timer).toBe(undefined)
    // Late although idle, because other processes use the processor.
    pass(1_000, { share: 0.01, late: 250 })
    expect(timer).not.toBe(undefined)
    pass(2_400, { share: 0.01, late: 250 })
    expect(lag.isOverloaded).toBe(true)
    expect(Math.max(...reported)).toBe(250)
  })
})

describe("an admission queue", () => {
  /** Runs fifty items, so many at a time; returns their order, how many ran at once, and how many iterations of the event loop it took. */
  const take = async (atATime: number, work: () => void) => {
    const started: Array<number> = []
    let running = 0
    let most = 0
    const queue = new AdmissionQueue<number>(atATime, (item) => {
      started.push(item)
      most = Math.max(most, ++running)
      work()
      setImmediate(() => {
        running--
        queue.done()
      })
    })
    for (let i = 0; i < 50; i++) queue.offer(i)
    let loops = 0
    while (started.length < 50) {
      await new Promise(setImmediate)
      loops++
    }
    return { left: queue.size, loops, most, started }
  }

  it("runs its items in order, and only so many at a time", async () => {
    const { left, most, started } = await take(3, () => {})
    expect(started).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect([most, left]).toEqual([3, 0])
  })

  it("yields to the event loop between items, however many may run", async () => {
    const { loops, most } = await take(50, () => {
      const end = performance.now() + 4
      while (performance.now() < end);
    })
    expect(loops).toBeGreaterThan(10)
    expect(most).toBeLessThanOrEqual(3)
  })
})
