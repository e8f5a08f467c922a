/**
 * How often each background loop looks for work, and how long it waits before it tries again. All times follow from one
 * interval, a second unless `BACKGROUND_INTERVAL_MILLIS` is set. A longer interval saves power on a small machine; a
 * short one lets tests see results at once. Protocol deadlines, leases and retention do not depend on it.
 */
import { limits } from "../Config.ts"
import { defaultDomainCheckingOptions, type DomainCheckingOptions } from "../actors/background/DomainChecking.ts"
import { defaultDriftOptions, type DriftWatchingOptions } from "../actors/background/DriftWatching.ts"
import { defaultLocalListOptions, type LocalListSyncOptions } from "../actors/background/LocalListSync.ts"
import { defaultLocationOptions, type LocationUpdatesOptions } from "../actors/background/LocationUpdates.ts"
import { defaultPriceOptions, type RepricingOptions } from "../actors/background/Repricing.ts"
import { defaultRollingOutOptions, type RollingOutOptions } from "../actors/background/RollingOut.ts"
import { defaultCloserOptions, type SessionCloserOptions } from "../actors/background/SessionCloser.ts"
import { defaultSubscriptionOptions, type SubscriptionOptions } from "../actors/background/SubscriptionRunner.ts"
import { defaultTokenPullingOptions, type TokenPullingOptions } from "../actors/background/TokenPulling.ts"
import { defaultWorkOptions, type WorkCountingOptions } from "../actors/background/WorkCounting.ts"
import { defaultPosterOptions, type ResultPosterOptions } from "../ocpi/client/ResultPoster.ts"
import { defaultPullOptions, type TokenPullOptions } from "../ocpi/client/TokenPull.ts"

export interface BackgroundOptions {
  readonly domains: DomainCheckingOptions
  readonly drifts: DriftWatchingOptions
  readonly localLists: LocalListSyncOptions
  readonly locations: LocationUpdatesOptions
  readonly prices: RepricingOptions
  readonly results: ResultPosterOptions
  readonly rollouts: RollingOutOptions
  readonly sessions: SessionCloserOptions
  readonly subscriptions: SubscriptionOptions
  readonly tokenPull: TokenPullOptions
  readonly tokens: TokenPullingOptions
  readonly work: WorkCountingOptions
}

/** Scales a time (ms) that was chosen for an interval of one second to this interval. */
export const scaledBy =
  (intervalMillis: number) =>
  (millis: number): number =>
    Math.max(1, Math.round((millis * intervalMillis) / limits.background.intervalMillis))

/**
 * The interval for loops that are mostly woken by a notification. However short the configured interval, they query at
 * most five times a second, since each query is a statement.
 */
export const lookEveryMillis = (intervalMillis: number): number => Math.max(intervalMillis, 200)

export const backgroundOf = (intervalMillis: number): BackgroundOptions => {
  const scaled = scaledBy(intervalMillis)
  const { firstDelayMillis, idleMillis, pollMillis, probeEveryMillis } = defaultSubscriptionOptions
  return {
    domains: { ...defaultDomainCheckingOptions, everyMillis: scaled(defaultDomainCheckingOptions.everyMillis) },
    drifts: {
      ...defaultDriftOptions,
      everyMillis: scaled(defaultDriftOptions.everyMillis),
      quietMillis: scaled(defaultDriftOptions.quietMillis)
    },
    localLists: {
      ...defaultLocalListOptions,
      everyMillis: scaled(defaultLocalListOptions.everyMillis),
      quietMillis: scaled(defaultLocalListOptions.quietMillis),
      settleMillis: scaled(defaultLocalListOptions.settleMillis)
    },
    locations: {
      ...defaultLocationOptions,
      everyMillis: scaled(defaultLocationOptions.everyMillis),
      quietMillis: scaled(defaultLocationOptions.quietMillis)
    },
    prices: {
      ...defaultPriceOptions,
      everyMillis: scaled(defaultPriceOptions.everyMillis),
      quietMillis: scaled(defaultPriceOptions.quietMillis)
    },
    results: {
      ...defaultPosterOptions,
      everyMillis: lookEveryMillis(intervalMillis),
      quietMillis: scaled(defaultPosterOptions.quietMillis),
      pausesMillis: defaultPosterOptions.pausesMillis.map(scaled)
    },
    rollouts: {
      everyMillis: scaled(defaultRollingOutOptions.everyMillis),
      quietMillis: scaled(defaultRollingOutOptions.quietMillis)
    },
    sessions: { ...defaultCloserOptions, everyMillis: scaled(defaultCloserOptions.everyMillis) },
    subscriptions: {
      ...defaultSubscriptionOptions,
      firstDelayMillis: scaled(firstDelayMillis),
      idleMillis: scaled(idleMillis),
      pollMillis: scaled(pollMillis),
      probeEveryMillis: scaled(probeEveryMillis)
    },
    tokenPull: {
      ...defaultPullOptions,
      settleMillis: scaled(defaultPullOptions.settleMillis),
      pausesMillis: defaultPullOptions.pausesMillis.map(scaled)
    },
    tokens: {
      ...defaultTokenPullingOptions,
      everyMillis: scaled(defaultTokenPullingOptions.everyMillis),
      quietMillis: scaled(defaultTokenPullingOptions.quietMillis)
    },
    work: {
      ...defaultWorkOptions,
      everyMillis: scaled(defaultWorkOptions.everyMillis),
      quietMillis: scaled(defaultWorkOptions.quietMillis)
    }
  }
}
