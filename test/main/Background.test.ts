/** The intervals of background work, which all follow from one setting. */
import { describe, expect, it } from "vitest"
import { defaultSubscriptionOptions } from "../../src/actors/background/SubscriptionRunner.ts"
import { limits } from "../../src/Config.ts"
import { backgroundOf } from "../../src/main/Background.ts"
import { defaultPosterOptions } from "../../src/ocpi/client/ResultPoster.ts"
import { defaultPullOptions } from "../../src/ocpi/client/TokenPull.ts"

describe("work in the background", () => {
  it("has its usual intervals with the default setting", () => {
    const usual = backgroundOf(limits.background.intervalMillis)
    expect(usual.subscriptions).toEqual(defaultSubscriptionOptions)
    expect(usual.results).toEqual(defaultPosterOptions)
    expect(usual.tokenPull).toEqual(defaultPullOptions)
    expect(usual.prices).toMatchObject({ everyMillis: 1_000, quietMillis: 30_000 })
    expect(usual.locations).toMatchObject({ everyMillis: 1_000, quietMillis: 30_000 })
    expect(usual.localLists).toMatchObject({ everyMillis: 5_000, quietMillis: 60_000, settleMillis: 10_000 })
  })

  it("runs as often as the setting says, and retries correspondingly sooner", () => {
    const fast = backgroundOf(50)
    expect(fast.prices).toMatchObject({ everyMillis: 50, quietMillis: 1_500 })
    expect(fast.subscriptions).toMatchObject({ pollMillis: 50, firstDelayMillis: 50, probeEveryMillis: 3_000 })
    expect(fast.results.pausesMillis).toEqual([50, 200, 750, 3_000, 12_000])
    expect(fast.tokenPull).toMatchObject({ settleMillis: 50, pausesMillis: [3_000, 15_000, 45_000, 180_000] })
  })

  it("keeps leases and deadlines unchanged, which depend on how long a call may take", () => {
    for (const intervalMillis of [10, 60_000]) {
      const { results, subscriptions, tokenPull } = backgroundOf(intervalMillis)
      expect(results.leaseMillis).toBe(defaultPosterOptions.leaseMillis)
      expect(tokenPull.leaseMillis).toBe(defaultPullOptions.leaseMillis)
      for (const name of ["waitMillis", "deliveryMillis", "leaseMillis", "maxAgeMillis", "maxDelayMillis"] as const) {
        expect(subscriptions[name]).toBe(defaultSubscriptionOptions[name])
      }
    }
  })
})
