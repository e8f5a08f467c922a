/**
 * Advances rollouts: records the results of commands and issues the next ones, as fast as each rollout's plan allows. A
 * charger is claimed with the id of its command before the command is issued. If the process ends in between, or a
 * second process runs, no command is issued twice.
 */
import { Clock, Effect, Layer } from "effect"
import { CommandOpening } from "../../domain/command/CommandOpening.ts"
import { Commands } from "../../domain/command/Commands.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Events } from "../../domain/event/Events.ts"
import {
  isWindowOpen,
  nextStep,
  orderAt,
  outcomeOf,
  rolloutRetentionMillis,
  type TargetOutcome
} from "../../domain/rollout/Rollout.ts"
import { type ClaimedTarget, RolloutQueue, type RunningRollout } from "../../domain/rollout/Rollouts.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface RollingOutOptions {
  readonly everyMillis: number
  /**
   * The time between rounds without new facts and without a running rollout. A rollout that another process has begun
   * is found after this time at most.
   */
  readonly quietMillis: number
}

export const defaultRollingOutOptions: RollingOutOptions = { everyMillis: 1_000, quietMillis: 30_000 }

/** How often rollouts past their retention are deleted. */
const forgetEveryMillis = 3_600_000

/** Commands are issued in the name of the operator who created the rollout. */
const auditOf = ({ by, organisationId }: RunningRollout, now: number): AuditContext => ({
  by: { organisationId, actor: by, keyId: "", operatorId: undefined, permissions: [] },
  now
})

type Ended = TargetOutcome & { readonly chargerId: string }

const failed = (chargerId: string, detail: string): Ended => ({ chargerId, state: "Failed", detail })

/** A claimed charger, with the id of its command. */
type Turn = Pick<ClaimedTarget, "chargerId" | "commandId">

interface Ports {
  readonly queue: RolloutQueue["Service"]
  readonly commands: Commands["Service"]
  readonly opening: CommandOpening["Service"]
  /** For rollouts that met the rate limit of their operator: when they may continue, ms epoch. */
  readonly notBefore: Map<string, number>
}

/** Issues a charger's command. Returns the outcome if it could not be issued. */
const issue = (
  { commands, notBefore, opening }: Ports,
  rollout: RunningRollout,
  { chargerId, commandId }: Turn,
  now: number
) =>
  Effect.gen(function* () {
    const opened = yield* opening.open(rollout.organisationId, chargerId, orderAt(rollout.order, now))
    const { password: _, ...given } = opened
    yield* commands.issue({ id: commandId, chargerId, ...given }, auditOf(rollout, now))
    return undefined
  }).pipe(
    Effect.catchTags({
      NotFound: ({ kind }) => Effect.succeed(failed(chargerId, kind === "charger" ? "ChargerRemoved" : "FileRemoved")),
      Conflict: ({ code }) => Effect.succeed(failed(chargerId, code)),
      InvalidInput: ({ detail }) => Effect.succeed(failed(chargerId, detail)),
      TooMany: ({ retryAfterSeconds }) =>
        Effect.sync((): Ended => {
          notBefore.set(rollout.id, now + retryAfterSeconds * 1000)
          return { chargerId, state: "Waiting", detail: undefined }
        })
    })
  )

/** Records outcomes, and issues commands that were claimed by a process that has ended. True if there were any outcomes. */
const settle = Effect.fnUntraced(function* (ports: Ports, rollout: RunningRollout, now: number) {
  const outcomes: Array<Ended> = []
  for (const open of yield* ports.queue.open(rollout, now)) {
    const outcome = open.isIssued
      ? outcomeOf(rollout.kind, rollout.plan, open.target, now)
      : yield* issue(ports, rollout, open, now)
    if (outcome !== undefined) outcomes.push({ ...outcome, chargerId: open.chargerId })
  }
  yield* ports.queue.end(rollout, outcomes, now)
  return outcomes.length > 0
})

const issueNext = Effect.fnUntraced(function* (ports: Ports, rollout: RunningRollout, atMost: number, now: number) {
  if (now < (ports.notBefore.get(rollout.id) ?? 0)) return
  const { queue } = ports
  const { onlyConnected, version, window } = rollout.plan
  const timeZones =
    window === undefined
      ? undefined
      : (yield* queue.timeZones(rollout)).filter((zone) => isWindowOpen(window, zone, now))
  if (timeZones?.length === 0) return
  const outcomes: Array<Ended> = []
  for (const turn of yield* queue.claim(rollout, { atMost, timeZones, onlyConnected }, now)) {
    const outcome =
      version !== undefined && turn.firmwareVersion === version
        ? ({ chargerId: turn.chargerId, state: "Skipped", detail: undefined } as const)
        : yield* issue(ports, rollout, turn, now)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  yield* queue.end(rollout, outcomes, now)
})

/** One rollout's round; true when there is more to do at once. */
const advance = Effect.fnUntraced(function* (ports: Ports, rollout: RunningRollout, now: number) {
  // Outcomes that were just recorded are not in the counts of this round, so continue with the next one.
  if (yield* settle(ports, rollout, now)) return true
  const step = nextStep(rollout.plan, rollout.progress, now)
  if (step._tag === "Issue") yield* issueNext(ports, rollout, step.atMost, now)
  if (step._tag === "Complete" || step._tag === "Pause") {
    yield* ports.queue.conclude(rollout, step._tag === "Complete" ? "Completed" : "Paused", now)
    ports.notBefore.delete(rollout.id)
  }
  return false
})

/**
 * Creates the loop's round over all rollouts. The round returns true if there is more to do at once, and sets
 * `active.isActive` to whether any rollout is running.
 */
export const rollingOut = (active: { isActive: boolean }) =>
  Effect.gen(function* () {
    const queue = yield* RolloutQueue
    const ports: Ports = {
      queue,
      commands: yield* Commands,
      opening: yield* CommandOpening,
      notBefore: new Map()
    }
    let forgotAt = Number.NEGATIVE_INFINITY
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - forgotAt >= forgetEveryMillis) {
        forgotAt = now
        yield* queue.forget(now - rolloutRetentionMillis)
      }
      const running = yield* queue.running
      active.isActive = running.length > 0
      let more = false
      for (const rollout of running) {
        // A rollout that fails does not delay the others.
        const step = Effect.catchDefect(advance(ports, rollout, now), (defect) =>
          Effect.as(Effect.logError(`rollouts: ${rollout.id} could not continue`, defect), false)
        )
        more = (yield* step) || more
      }
      return more
    }) satisfies Effect.Effect<boolean, StorageUnavailable>
  })

/** Runs rounds until the scope closes: every `everyMillis` while a rollout is running, otherwise after new facts. */
export const layer = (
  options: RollingOutOptions = defaultRollingOutOptions
): Layer.Layer<never, never, RolloutQueue | Commands | CommandOpening | Events> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { committed } = yield* Events
      const active = { isActive: false }
      yield* rounds({
        name: "rollouts",
        everyMillis: options.everyMillis,
        wakeups: {
          notifications: committed,
          otherwiseEveryMillis: options.quietMillis,
          untilDue: Effect.sync(() => (active.isActive ? options.everyMillis : undefined))
        },
        round: yield* rollingOut(active)
      })
    })
  )
