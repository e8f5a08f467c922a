/**
 * Counts what waits for an operator's decision, by queue. The counts that every reader of events may see are published when they change. A webhook's
 * parked events are left out: a webhook that refuses events would otherwise get another event for each refusal.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import { ifShared, missing, type Permission } from "../operator/Permission.ts"

/** The queues with the permission needed for each, in the order in which they are shown. */
export const workQueues = {
  heldSessions: "sessions:read",
  corrections: "sessions:read",
  parkedDeliveries: "partners:read",
  parkedEvents: "webhooks:read",
  tokenConflicts: "tokens:read",
  unknownChargers: "chargers:read",
  configurationDrifts: "chargers:read"
} as const satisfies Readonly<Record<string, Permission>>

export type WorkQueue = keyof typeof workQueues

/** The highest count; a longer queue is shown as "1,000 or more". */
export const countedMost = 1_000

/** The queues that are published as `work.changed`. */
export const publishedQueues = [
  "heldSessions",
  "corrections",
  "parkedDeliveries",
  "tokenConflicts",
  "unknownChargers",
  "configurationDrifts"
] as const satisfies ReadonlyArray<WorkQueue>

export type WorkCounts = Readonly<Record<WorkQueue, number>>
export type PublishedCounts = Readonly<Record<(typeof publishedQueues)[number], number>>

const everyQueue = Object.keys(workQueues) as ReadonlyArray<WorkQueue>

/**
 * The queues that a caller may read. If the service has several organisations, unknown chargers belong to none of them; then only the platform's own
 * operator may read them.
 */
export const queuesFor = (
  permissions: ReadonlyArray<string>,
  { isOnly }: { readonly isOnly: boolean }
): ReadonlyArray<WorkQueue> =>
  everyQueue.filter(
    (queue) =>
      missing(permissions, [workQueues[queue]]).length === 0 &&
      (queue !== "unknownChargers" || isOnly || missing(permissions, ifShared).length === 0)
  )

/** Facts after which the number of waiting sessions, deliveries or unknown chargers may have changed. */
const countedAfter = [
  "SessionStarted",
  "SessionEnded",
  "SessionClosed",
  "SessionHeld",
  "SessionReleased",
  "SessionCorrected",
  "CdrIssued",
  "DeliveryParked",
  "DeliveryReplayed",
  "DeliveryDiscarded",
  "PartnerHealthChanged",
  "ChargerRefused",
  "UnknownChargerForgotten",
  "ChargerRegistered",
  "OrganisationCreated"
] as const

/** Facts after which cards may be in conflict. Conflicts are counted separately, because that reads all cards of partners. */
const conflictsAfter = [
  "RoamingTokenChanged",
  "PartnerChanged",
  "PartnerRegistered",
  "PartnerUnregistered",
  "PartnerRemoved"
] as const

export const countedFacts: ReadonlyArray<string> = [...countedAfter, ...conflictsAfter]

/** The queues to count again after facts of these types. Drifts are counted by the loop that compares configurations. */
export const queuesAfter = (types: ReadonlyArray<string>): ReadonlyArray<keyof PublishedCounts> => {
  const isOfTokens = types.some((type) => (conflictsAfter as ReadonlyArray<string>).includes(type))
  return publishedQueues.filter(
    (queue) => queue !== "configurationDrifts" && (queue !== "tokenConflicts" || isOfTokens)
  )
}

/** An organisation with facts that may have changed its counts. */
export interface Stirred {
  readonly organisationId: string
  readonly types: ReadonlyArray<string>
}

export class Work extends Context.Service<
  Work,
  {
    /** The count of each of these queues, at most `countedMost`. */
    readonly counts: <Q extends WorkQueue>(
      organisationId: string,
      queues: ReadonlyArray<Q>
    ) => Effect.Effect<Readonly<Record<Q, number>>, StorageUnavailable>
    /**
     * The organisations with facts of `types` among the next `limit` facts of the journal. `upTo` is undefined if there are no further facts of any
     * type; `facts` is how many were read.
     */
    readonly stirred: (
      types: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<
      { readonly organisations: ReadonlyArray<Stirred>; readonly upTo: number | undefined; readonly facts: number },
      StorageUnavailable
    >
    /**
     * Organisations whose number of corrections differs from the published one. A price that differs from its CDR is stored without a fact, so these
     * are not in `stirred`.
     */
    readonly corrected: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Counts these queues and publishes all counts if one differs from the last published. Returns whether it published. */
    readonly publish: (
      organisationId: string,
      queues: ReadonlyArray<keyof PublishedCounts>,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Stores the journal position up to which facts were read. */
    readonly readTo: (position: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Work") {}
