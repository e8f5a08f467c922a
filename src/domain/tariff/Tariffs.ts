/** Storage of tariffs and of what each is for, scoped by organisation. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Assignment, Tariff, TariffBody } from "./Tariff.ts"
import type { AssignedTariff } from "./Choice.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Window, Windowed } from "../values/Window.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** Undefined leaves a field, null clears it. */
export type TariffPatch = { readonly [K in keyof TariffBody]?: TariffBody[K] | null | undefined }

/** A meter that counts in steps of an hour's standby or more, and reports neither power nor current. */
export interface CoarseMeter {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
  readonly stepWh: number
  /** Of its organisation. */
  readonly standbyPowerW: number
}

/** What began under a version and has not ended: whatever is changed, it keeps that version. */
export interface RunningUnder {
  readonly version: number
  readonly sessions: number
  /** Those that cost something. */
  readonly reservations: number
}

/** An assignment as it is in force, with the version that sessions get under it. */
export interface AssignedVersion extends AssignedTariff {
  readonly version: number
}

/** An assignment where it is: what is narrower than a site has the site of its charger. */
export interface PlacedAssignment {
  readonly tariffId: string
  readonly assignment: Assignment
  readonly siteId: string | undefined
  readonly assignedAt: number
}

export class Tariffs extends Context.Service<
  Tariffs,
  {
    readonly create: (body: TariffBody, audit: AuditContext) => Effect.Effect<Tariff, InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Tariff, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Tariff>, InvalidInput | StorageUnavailable>
    /**
     * What partners see: tariffs that are assigned to anything or are the default, each as it is now, in order of creation. One that was
     * assigned after its last change counts as changed then.
     */
    readonly offered: (organisationId: string, window: Window) => Effect.Effect<Windowed<Tariff>, StorageUnavailable>
    /** One of them. `NotFound` for one that is for nothing. */
    readonly offer: (organisationId: string, id: string) => Effect.Effect<Tariff, NotFound | StorageUnavailable>
    /** Makes another version. Sessions that have begun keep theirs. `InvalidInput` where what comes of it is no sound tariff. */
    readonly update: (
      id: string,
      patch: TariffPatch,
      audit: AuditContext
    ) => Effect.Effect<Tariff, NotFound | InvalidInput | StorageUnavailable>
    /** `Conflict` `tariff_assigned` while it is for anything. */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | Conflict | StorageUnavailable>
    /** In the place of whatever tariff was for it. `NotFound` for a site, charger or tariff that is not the caller's. */
    readonly assign: (
      id: string,
      assignment: Assignment,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
    readonly unassign: (
      id: string,
      assignment: Assignment,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** What it is for, at most 500. */
    readonly assignments: (
      organisationId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<Assignment>, NotFound | StorageUnavailable>
    /** Of all tariffs or of one, from wide to narrow: the organisation's, then each site's with those of its chargers and their connectors. */
    readonly placed: (
      organisationId: string,
      tariffId: string | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<PlacedAssignment>, InvalidInput | StorageUnavailable>
    /** What is assigned around a charger: to it, its connectors, its site and the organisation. Empty for a charger that is not the caller's. */
    readonly around: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<ReadonlyArray<AssignedVersion>, StorageUnavailable>
    /** By version, the newest first, at most 500; versions under which nothing runs are left out. */
    readonly runningSessions: (
      organisationId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<RunningUnder>, NotFound | StorageUnavailable>
    /** Meters where it is assigned that tell no parking of less than an hour, at most 20, the coarsest first. */
    readonly coarseMeters: (
      organisationId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<CoarseMeter>, StorageUnavailable>
    /** The tariff of a session as it stood when the session began; undefined where none was assigned. */
    readonly ofSession: (
      organisationId: string,
      sessionId: string
    ) => Effect.Effect<Tariff | undefined, StorageUnavailable>
  }
>()("voltlane/Tariffs") {}
