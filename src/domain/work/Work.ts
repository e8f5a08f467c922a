/**
 * What waits for a decision of an operator, counted by queue. The counts that every reader of events may see are published when they change; a webhook's
 * parked events are left out of them, since a webhook that refuses what it is sent would then be sent more for each refusal.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import { missing, type Permission } from "../operator/Permission.ts"

/** The queues, with the permission that each takes; in the order in which they are shown. */
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

/** Counted to here: a queue that is longer is "1,000 or more". */
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

/** The queues that a caller may read. Unknown chargers belong to none where the service holds several organisations. */
export const queuesFor = (
  permissions: ReadonlyArray<string>,
  { isOnly }: { readonly isOnly: boolean }
): ReadonlyArray<WorkQueue> =>
  everyQueue.filter(
    (queue) =>
      missing(permissions, [workQueues[queue]]).length === 0 &&
      (queue !== "unknownChargers" || isOnly || permissions.includes("platform:admin"))
  )

/** Facts after which sessions, deliveries or unknown chargers may wait that did not, or wait no more. */
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

/** Facts after which cards may be in conflict: looked for apart, since that reads all cards of partners. */
const conflictsAfter = [
  "RoamingTokenChanged",
  "PartnerChanged",
  "PartnerRegistered",
  "PartnerUnregistered",
  "PartnerRemoved"
] as const

export const countedFacts: ReadonlyArray<string> = [...countedAfter, ...conflictsAfter]

/** What is counted anew after facts of these types. Drifts are counted by the loop that compares configurations. */
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
    /** Each of the queues up to `countedMost`. */
    readonly counts: <Q extends WorkQueue>(
      organisationId: string,
      queues: ReadonlyArray<Q>
    ) => Effect.Effect<Readonly<Record<Q, number>>, StorageUnavailable>
    /** Facts of `types` in the next `limit` of the journal, by organisation; `upTo` is undefined where there are none of any type. */
    readonly stirred: (
      types: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<
      { readonly organisations: ReadonlyArray<Stirred>; readonly upTo: number | undefined },
      StorageUnavailable
    >
    /** Organisations whose corrections are not as many as were published: a price that differs from its record is stored without a fact. */
    readonly corrected: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Counts these queues and publishes all counts where one differs from what was published last. */
    readonly publish: (
      organisationId: string,
      queues: ReadonlyArray<keyof PublishedCounts>,
      now: number
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Notes how far the journal was read. */
    readonly readTo: (position: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Work") {}
