/** Storage of tariffs and their assignments, scoped by organisation. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Assignment, Tariff, TariffBody } from "./Tariff.ts"
import type { AssignedTariff } from "./Choice.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Window, Windowed } from "../values/Window.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** Undefined leaves a field unchanged, null clears it. */
export type TariffPatch = { readonly [K in keyof TariffBody]?: TariffBody[K] | null | undefined }

/** A meter whose register step is at least one hour of standby energy, and that reports neither power nor current. */
export interface CoarseMeter {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
  readonly stepWh: number
  /** The organisation's setting. */
  readonly standbyPowerW: number
}

/** The running sessions and reservations of one version; they keep it whatever is changed. */
export interface RunningUnder {
  readonly version: number
  readonly sessions: number
  /** Reservations that cost something. */
  readonly reservations: number
}

/** An assignment in force, with the version that new sessions get. */
export interface AssignedVersion extends AssignedTariff {
  readonly version: number
}

/** An assignment with its site. An assignment to a charger or connector has the site of the charger. */
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
     * The tariffs that partners see: those with an assignment, the default included, in their present version and in order of creation. A tariff that
     * was assigned after its last change counts as changed when it was assigned.
     */
    readonly offered: (organisationId: string, window: Window) => Effect.Effect<Windowed<Tariff>, StorageUnavailable>
    /** One of the tariffs that partners see. `NotFound` for a tariff without an assignment. */
    readonly offer: (organisationId: string, id: string) => Effect.Effect<Tariff, NotFound | StorageUnavailable>
    /** Makes another version. Sessions that have begun keep theirs. `InvalidInput` if the result is not a valid tariff. */
    readonly update: (
      id: string,
      patch: TariffPatch,
      audit: AuditContext
    ) => Effect.Effect<Tariff, NotFound | InvalidInput | StorageUnavailable>
    /** `Conflict` `tariff_assigned` while it has an assignment. */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | Conflict | StorageUnavailable>
    /** Replaces the tariff that was assigned there. `NotFound` for a site, charger or tariff of another organisation. */
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
    /** The tariff's assignments, at most 500. */
    readonly assignments: (
      organisationId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<Assignment>, NotFound | StorageUnavailable>
    /**
     * The assignments of all tariffs or of one, from wide to narrow: the organisation's, then each site's with those of its chargers and their
     * connectors.
     */
    readonly placed: (
      organisationId: string,
      tariffId: string | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<PlacedAssignment>, InvalidInput | StorageUnavailable>
    /**
     * The assignments that concern a charger: its own, and those of its connectors, its site and the organisation. Empty for a charger of another
     * organisation.
     */
    readonly around: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<ReadonlyArray<AssignedVersion>, StorageUnavailable>
    /** By version, newest first, at most 500; versions without running sessions or reservations are left out. */
    readonly runningSessions: (
      organisationId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<RunningUnder>, NotFound | StorageUnavailable>
    /** The meters under this tariff that cannot show parking of less than an hour, at most 20, coarsest first. */
    readonly coarseMeters: (
      organisationId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<CoarseMeter>, StorageUnavailable>
    /** The tariff version that was in force when the session began; undefined if none was assigned. */
    readonly ofSession: (
      organisationId: string,
      sessionId: string
    ) => Effect.Effect<Tariff | undefined, StorageUnavailable>
  }
>()("voltlane/Tariffs") {}
