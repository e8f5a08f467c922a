/** Rollouts in memory, by the domain's rules: who created which, and the decisions about it. */
import { Clock, Effect } from "effect"
import { Conflict, InvalidInput, NotFound } from "../../src/domain/Errors.ts"
import { afterDecision } from "../../src/domain/rollout/Decisions.ts"
import { isOver, noTargets, waveEnds } from "../../src/domain/rollout/Rollout.ts"
import type { FakeWorld } from "./fakeRecords.ts"
import { type Rollout, Rollouts } from "../../src/domain/rollout/Rollouts.ts"

interface Kept extends Rollout {
  readonly organisationId: string
  readonly byPerson: string
}

export const rollouts = (world: FakeWorld): Rollouts["Service"] => {
  const kept = new Map<string, Kept>()
  const find = (organisationId: string, kind: Rollout["kind"], id: string) => {
    const known = kept.get(id)
    return known === undefined || known.organisationId !== organisationId || known.kind !== kind
      ? Effect.fail(new NotFound({ kind: "rollout", id }))
      : Effect.succeed(known)
  }
  return Rollouts.of({
    create: (given, { by, now }) =>
      Effect.gen(function* () {
        const chargerIds = "chargerIds" in given.targets ? given.targets.chargerIds : []
        const others = chargerIds.findIndex((id) => world.chargers.get(id)?.organisationId !== by.organisationId)
        if (others >= 0) {
          return yield* new InvalidInput({ pointer: `/chargerIds/${others}`, detail: "Is not one of your chargers" })
        }
        const targets = Math.max(1, chargerIds.length)
        const rollout: Kept = {
          id: `01940000-0000-7000-8000-${String(kept.size).padStart(12, "0")}`,
          kind: given.kind,
          name: given.name,
          state: given.needsApproval ? "AwaitingApproval" : "Running",
          pauseReason: undefined,
          type: given.order.type,
          parameters: given.order.parameters,
          plan: { ...given.plan, waves: waveEnds(given.waves, targets) },
          targets,
          counts: { ...noTargets, Waiting: targets },
          by: by.actor,
          byPerson: by.operatorId ?? by.actor,
          createdAt: now,
          approvedBy: undefined,
          approvedAt: undefined,
          lastIssuedAt: undefined,
          endsAt: given.endsAt,
          endedAt: undefined,
          organisationId: by.organisationId
        }
        kept.set(rollout.id, rollout)
        return rollout
      }),
    get: find,
    list: (organisationId, { kind, state }) =>
      Effect.sync(() => ({
        items: [...kept.values()].filter(
          (one) =>
            one.organisationId === organisationId && one.kind === kind && (state === undefined || one.state === state)
        ),
        nextCursor: null
      })),
    targets: () => Effect.succeed({ items: [], nextCursor: null }),
    decide: (kind, id, decision, { by }) =>
      Effect.gen(function* () {
        const known = yield* find(by.organisationId, kind, id)
        const person = by.operatorId ?? by.actor
        const change = afterDecision({ ...known, createdByPerson: known.byPerson }, decision, person)
        if (change === undefined) return known
        if (change instanceof Conflict) return yield* change
        const endedAt = isOver(change.state) ? yield* Clock.currentTimeMillis : undefined
        const after = { ...known, state: change.state, pauseReason: change.pauseReason, endedAt }
        kept.set(id, after)
        return after
      })
  })
}
