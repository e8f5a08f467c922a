/** Storage of rollouts: `Rollouts` for operators, `RolloutQueue` for the background loop that carries them out. */
import { Context, type Effect } from "effect"
import type { CommandType } from "../command/Command.ts"
import type { SummaryFilter } from "../charger/Chargers.ts"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable, TooMany } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { RolloutDecision } from "./Decisions.ts"
import type {
  IssuedTarget,
  PauseReason,
  RolloutKind,
  RolloutPlan,
  RolloutProgress,
  RolloutState,
  TargetCounts,
  TargetOutcome,
  TargetState,
  WaveSize
} from "./Rollout.ts"

/** The command of a rollout. */
export interface RolloutOrder {
  readonly type: CommandType
  /** In the form of `POST /v2/chargers/{id}/commands`; stored encrypted, because locations can contain passwords. */
  readonly body: Readonly<Record<string, unknown>>
  /** The parameters that may be shown. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type RolloutTargets =
  | { readonly chargerIds: ReadonlyArray<string> }
  /** All chargers that match now. */
  | { readonly filter: SummaryFilter }

export interface NewRollout {
  readonly kind: RolloutKind
  readonly name: string
  readonly order: RolloutOrder
  readonly targets: RolloutTargets
  /** How many chargers the caller expects the targets to be; undefined: any number. */
  readonly expectedTargets: number | undefined
  readonly waves: ReadonlyArray<WaveSize>
  readonly plan: Omit<RolloutPlan, "waves">
  readonly needsApproval: boolean
  /** ms epoch. */
  readonly endsAt: number
}

export interface Rollout {
  readonly id: string
  readonly kind: RolloutKind
  readonly name: string
  readonly state: RolloutState
  readonly pauseReason: PauseReason | undefined
  readonly type: CommandType
  readonly parameters: Readonly<Record<string, unknown>>
  readonly plan: RolloutPlan
  readonly targets: number
  readonly counts: TargetCounts
  /** `Principal.actor`. */
  readonly by: string
  /** ms epoch, as all times. */
  readonly createdAt: number
  readonly approvedBy: string | undefined
  readonly approvedAt: number | undefined
  readonly lastIssuedAt: number | undefined
  readonly endsAt: number
  readonly endedAt: number | undefined
}

export interface RolloutTarget {
  readonly chargerId: string
  readonly state: TargetState
  readonly detail: string | undefined
  readonly commandId: string | undefined
  readonly issuedAt: number | undefined
  readonly endedAt: number | undefined
}

/** A running rollout. */
export interface RunningRollout {
  readonly id: string
  readonly kind: RolloutKind
  readonly organisationId: string
  readonly by: string
  readonly order: Pick<RolloutOrder, "body" | "type">
  readonly plan: RolloutPlan
  readonly progress: RolloutProgress
}

/** A charger whose turn it is, with the id reserved for its command. */
export interface ClaimedTarget {
  readonly chargerId: string
  readonly commandId: string
  readonly firmwareVersion: string
}

/** A charger whose turn has come. */
export type OpenTarget = { readonly chargerId: string; readonly commandId: string } & (
  | { readonly isIssued: true; readonly target: IssuedTarget }
  /** The process ended after it claimed the turn and before it issued the command. */
  | { readonly isIssued: false }
)

export interface Claim {
  readonly atMost: number
  /** Only chargers at sites in these time zones; undefined: all. */
  readonly timeZones: ReadonlyArray<string> | undefined
  readonly onlyConnected: boolean
}

export class Rollouts extends Context.Service<
  Rollouts,
  {
    /**
     * `InvalidInput` for a charger of another organisation, no charger at all or too many. `Conflict` `targets_changed` if their number differs from
     * the expected one. `TooMany` when too many rollouts of the organisation are open.
     */
    readonly create: (
      rollout: NewRollout,
      audit: AuditContext
    ) => Effect.Effect<Rollout, Conflict | InvalidInput | TooMany | StorageUnavailable>
    readonly get: (
      organisationId: string,
      kind: RolloutKind,
      id: string
    ) => Effect.Effect<Rollout, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly kind: RolloutKind; readonly state: RolloutState | undefined }
    ) => Effect.Effect<Page<Rollout>, InvalidInput | StorageUnavailable>
    /** In the order of their turns. */
    readonly targets: (
      organisationId: string,
      page: PageRequest & { readonly rolloutId: string; readonly state: TargetState | undefined }
    ) => Effect.Effect<Page<RolloutTarget>, InvalidInput | StorageUnavailable>
    readonly decide: (
      kind: RolloutKind,
      id: string,
      decision: RolloutDecision,
      audit: AuditContext
    ) => Effect.Effect<Rollout, NotFound | Conflict | StorageUnavailable>
  }
>()("voltlane/Rollouts") {}

export class RolloutQueue extends Context.Service<
  RolloutQueue,
  {
    /** The running rollouts of all organisations. */
    readonly running: Effect.Effect<ReadonlyArray<RunningRollout>, StorageUnavailable>
    /** Chargers whose turn has come and whose command may have an outcome now, for `outcomeOf`. */
    readonly open: (
      rollout: RunningRollout,
      now: number
    ) => Effect.Effect<ReadonlyArray<OpenTarget>, StorageUnavailable>
    /** The time zones of the sites that have waiting chargers. */
    readonly timeZones: (rollout: RunningRollout) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Claims the next chargers; no two callers get the same one. */
    readonly claim: (
      rollout: RunningRollout,
      claim: Claim,
      now: number
    ) => Effect.Effect<ReadonlyArray<ClaimedTarget>, StorageUnavailable>
    /** Stores outcomes. `Waiting` makes a charger wait for another turn. */
    readonly end: (
      rollout: RunningRollout,
      outcomes: ReadonlyArray<TargetOutcome & { readonly chargerId: string }>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Completes or pauses a running rollout on the service's own decision. */
    readonly conclude: (
      rollout: RunningRollout,
      state: "Completed" | "Paused",
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Deletes rollouts that ended before `before` (ms epoch). */
    readonly forget: (before: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/RolloutQueue") {}
