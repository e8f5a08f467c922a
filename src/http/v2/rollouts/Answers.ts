/** What both kinds of rollouts share: reading requests and making answers. */
import { Effect } from "effect"
import { rolloutCountsOf } from "../../../domain/rollout/Counts.ts"
import { InvalidInput } from "../../../domain/Errors.ts"
import type { RolloutKind, RolloutState, TargetState } from "../../../domain/rollout/Rollout.ts"
import { type Rollout, Rollouts, type RolloutTarget, type RolloutTargets } from "../../../domain/rollout/Rollouts.ts"
import type { RolloutDecision } from "../../../domain/rollout/Decisions.ts"
import { audit, organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { CommandBatch, TargetFields } from "./RolloutSchema.ts"

/** Chargers that are commanded per minute if the caller gives no number: half of the maximum. */
export const defaultPerMinute = 30

/** The chargers of a rollout: exactly one of the two ways to name them. */
export const targetsOf = ({ chargerIds, filter }: TargetFields): Effect.Effect<RolloutTargets, InvalidInput> => {
  if (chargerIds !== undefined && filter !== undefined) {
    return Effect.fail(new InvalidInput({ pointer: "/filter", detail: "Must not be given together with chargerIds" }))
  }
  if (chargerIds !== undefined) return Effect.succeed({ chargerIds })
  if (filter === undefined) {
    return Effect.fail(new InvalidInput({ pointer: "/chargerIds", detail: "Is required, or filter instead" }))
  }
  const { connected, firmware, q, siteId, state } = filter
  return Effect.succeed({ filter: { connected, firmwareVersion: firmware, siteId, states: state, text: q } })
}

export const toBatch = (rollout: Rollout): typeof CommandBatch.Type => ({
  id: rollout.id,
  name: rollout.name,
  state: rollout.state,
  pauseReason: rollout.pauseReason ?? null,
  type: rollout.type,
  parameters: rollout.parameters,
  targets: rollout.targets,
  counts: rolloutCountsOf(rollout.counts),
  perMinute: rollout.plan.perMinute,
  pauseAfterFailures: rollout.plan.pauseAfterFailures ?? null,
  createdAt: rollout.createdAt,
  createdBy: rollout.by,
  lastIssuedAt: rollout.lastIssuedAt ?? null,
  endsAt: rollout.endsAt,
  endedAt: rollout.endedAt ?? null
})

const toTarget = ({ chargerId, commandId, detail, endedAt, issuedAt, state }: RolloutTarget) => ({
  chargerId,
  state,
  detail: detail ?? null,
  commandId: commandId ?? null,
  issuedAt: issuedAt ?? null,
  endedAt: endedAt ?? null
})

interface ListQuery<State> {
  readonly limit?: number
  readonly cursor?: string
  readonly state?: State
}

/** What operators read and decide, the same for both kinds. */
export const answering = <A>(kind: RolloutKind, wire: (rollout: Rollout) => A) =>
  Effect.gen(function* () {
    const rollouts = yield* Rollouts
    const publicUrl = yield* PublicUrl
    return {
      list: Effect.fnUntraced(function* (query: ListQuery<RolloutState>, url: string) {
        const request = { ...pageRequest(query), kind, state: query.state }
        return yield* listed(publicUrl, url, yield* rollouts.list(yield* organisationId, request), wire)
      }),
      get: Effect.fnUntraced(function* (id: string) {
        return wire(yield* rollouts.get(yield* organisationId, kind, id))
      }),
      targets: Effect.fnUntraced(function* (id: string, query: ListQuery<TargetState>, url: string) {
        const organisation = yield* organisationId
        yield* rollouts.get(organisation, kind, id)
        const request = { ...pageRequest(query), rolloutId: id, state: query.state }
        return yield* listed(publicUrl, url, yield* rollouts.targets(organisation, request), toTarget)
      }),
      decide: Effect.fnUntraced(function* (id: string, decision: RolloutDecision) {
        return wire(yield* rollouts.decide(kind, id, decision, yield* audit))
      })
    }
  })
