/**
 * Keeps the list of chargers whose configuration differs from what is expected. A charger is compared after it has
 * reported, and all chargers of an organisation after the organisation changed its expectations. Then the length of the
 * list is published as a work queue. If a round is cut short, the next one repeats it, since the journal counts as read
 * only at the end of a round.
 */
import { Clock, Effect, Layer } from "effect"
import { type Compared, Drifts, type Reported } from "../../domain/charger/Drifts.ts"
import { Expectations } from "../../domain/charger/Expectations.ts"
import { driftOf, type expectedOf } from "../../domain/decide/Templating.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Events } from "../../domain/event/Events.ts"
import { Access } from "../../domain/operator/Access.ts"
import { Work } from "../../domain/work/Work.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface DriftWatchingOptions {
  readonly everyMillis: number
  /** The time between rounds while there are no notifications of new facts. */
  readonly quietMillis: number
  /** Maximum number of journal facts that one round reads. */
  readonly factsPerRound: number
  /** Number of chargers that are compared at once. Each has up to about a hundred keys. */
  readonly chargersAtOnce: number
}

export const defaultDriftOptions: DriftWatchingOptions = {
  everyMillis: 2_000,
  quietMillis: 30_000,
  factsPerRound: 10_000,
  chargersAtOnce: 100
}

type Policy = Parameters<typeof expectedOf>[1]

/** What an organisation expects of its chargers; undefined if the organisation is gone. */
const policyOf = (organisationId: string) =>
  Effect.gen(function* () {
    const access = yield* Access
    const expectations = yield* Expectations
    const { policy } = yield* access.organisation(organisationId)
    const { keys } = yield* expectations.template(organisationId)
    return { ...policy, template: keys, quirks: yield* expectations.quirks(organisationId) } satisfies Policy
  }).pipe(Effect.catchTag("NotFound", () => Effect.undefined))

const chunked = (ids: ReadonlyArray<string>, size: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, i) => ids.slice(i * size, (i + 1) * size))

const compare = ({ all, chargerIds, organisationId }: Compared, atOnce: number, now: number) =>
  Effect.gen(function* () {
    const drifts = yield* Drifts
    const policy = yield* policyOf(organisationId)
    if (policy === undefined) return
    const put = (reported: ReadonlyArray<Reported>): Effect.Effect<void, StorageUnavailable> =>
      drifts.put(
        organisationId,
        reported.map((one) => ({ chargerId: one.chargerId, keys: driftOf(one, policy) })),
        now
      )
    if (!all) {
      for (const ids of chunked(chargerIds, atOnce)) yield* put(yield* drifts.named(organisationId, ids))
      return
    }
    let after: string | undefined
    do {
      const reported: ReadonlyArray<Reported> = yield* drifts.after(organisationId, after, atOnce)
      yield* put(reported)
      after = reported.length < atOnce ? undefined : reported.at(-1)?.chargerId
    } while (after !== undefined)
  })

/** One round over at most `factsPerRound` facts. Returns true if it read that many: there may be more. */
export const driftWatching = ({ chargersAtOnce, factsPerRound }: DriftWatchingOptions) =>
  Effect.gen(function* () {
    const drifts = yield* Drifts
    const work = yield* Work
    const now = yield* Clock.currentTimeMillis
    const { facts, organisations, upTo } = yield* drifts.stirred(factsPerRound)
    for (const one of organisations) {
      yield* compare(one, chargersAtOnce, now)
      yield* work.publish(one.organisationId, ["configurationDrifts"], now)
    }
    if (upTo !== undefined) yield* drifts.readTo(upTo)
    return facts >= factsPerRound
  })

type Ports = Access | Drifts | Events | Expectations | Work

/** Runs the loop until the scope closes. */
export const layer = (options: DriftWatchingOptions = defaultDriftOptions): Layer.Layer<never, never, Ports> =>
  Layer.effectDiscard(
    Effect.flatMap(Events, ({ committed }) =>
      rounds({
        name: "configuration drifts",
        everyMillis: options.everyMillis,
        wakeups: { notifications: committed, otherwiseEveryMillis: options.quietMillis },
        round: driftWatching(options)
      })
    )
  )
