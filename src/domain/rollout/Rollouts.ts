/** Storage of rollouts, as operators see them and as the background work goes through them. */
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
  /** As `POST /v2/chargers/{id}/commands` takes it; stored encrypted, since locations can hold passwords. */
  readonly body: Readonly<Record<string, unknown>>
  /** What may be shown of it. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type RolloutTargets =
  | { readonly chargerIds: ReadonlyArray<string> }
  /** All that fit now. */
  | { readonly filter: SummaryFilter }

export interface NewRollout {
  readonly kind: RolloutKind
  readonly name: string
  readonly order: RolloutOrder
  readonly targets: RolloutTargets
  /** How many chargers the caller expects it to be; undefined: any number. */
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

/** A rollout that goes on. */
export interface RunningRollout {
  readonly id: string
  readonly kind: RolloutKind
  readonly organisationId: string
  readonly by: string
  readonly order: Pick<RolloutOrder, "body" | "type">
  readonly plan: RolloutPlan
  readonly progress: RolloutProgress
}

/** A charger whose turn it is, with the id that its command has. */
export interface ClaimedTarget {
  readonly chargerId: string
  readonly commandId: string
  readonly firmwareVersion: string
}

/** A charger that has had its turn. */
export type OpenTarget = { readonly chargerId: string; readonly commandId: string } & (
  | { readonly isIssued: true; readonly target: IssuedTarget }
  /** The process ended between its turn and the command. */
  | { readonly isIssued: false }
)

export interface Claim {
  readonly atMost: number
  /** At sites in these time zones; undefined: at any. */
  readonly timeZones: ReadonlyArray<string> | undefined
  readonly onlyConnected: boolean
}

export class Rollouts extends Context.Service<
  Rollouts,
  {
    /**
     * `InvalidInput` for a charger that is not the caller's, no charger at all or too many; `Conflict` `targets_changed` for another number than
     * expected; `TooMany` when too many rollouts of the organisation are open.
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
    /** In their order. */
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
    /** Of all organisations. */
    readonly running: Effect.Effect<ReadonlyArray<RunningRollout>, StorageUnavailable>
    /** Chargers that have had their turn and may have an outcome now; the command is one that `outcomeOf` looks at. */
    readonly open: (
      rollout: RunningRollout,
      now: number
    ) => Effect.Effect<ReadonlyArray<OpenTarget>, StorageUnavailable>
    /** Time zones of the sites whose chargers wait. */
    readonly timeZones: (rollout: RunningRollout) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Chargers whose turn it is; no two callers get the same one. */
    readonly claim: (
      rollout: RunningRollout,
      claim: Claim,
      now: number
    ) => Effect.Effect<ReadonlyArray<ClaimedTarget>, StorageUnavailable>
    /** Notes outcomes; `Waiting` gives a turn back. */
    readonly end: (
      rollout: RunningRollout,
      outcomes: ReadonlyArray<TargetOutcome & { readonly chargerId: string }>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** The service's own decision about a running rollout. */
    readonly conclude: (
      rollout: RunningRollout,
      state: "Completed" | "Paused",
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Forgets rollouts that ended before `before` (ms epoch). */
    readonly forget: (before: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/RolloutQueue") {}
