/**
 * Sessions of partners' drivers, each for the one partner whose token began it. A query for a partner returns only that partner's sessions. Sessions
 * of the organisation's own cards have no partner.
 */
import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { ChargingPreferences } from "./ChargingPreferences.ts"
import type { RoamingSession } from "./RoamingSession.ts"
import type { Window, Windowed } from "../values/Window.ts"

/** The partner whose sessions or records are queried. */
export interface PartnerScope {
  readonly organisationId: string
  readonly partnerId: string
}

export class RoamingSessions extends Context.Service<
  RoamingSessions,
  {
    /** In order of creation, filtered by their last change. */
    readonly window: (
      scope: PartnerScope,
      window: Window
    ) => Effect.Effect<Windowed<RoamingSession>, StorageUnavailable>
    /** `NotFound` also for a session of another partner. */
    readonly get: (scope: PartnerScope, id: string) => Effect.Effect<RoamingSession, NotFound | StorageUnavailable>
    /** Stores the driver's preferences in place of earlier ones. */
    readonly prefer: (
      scope: PartnerScope,
      id: string,
      preferences: ChargingPreferences
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** True if the session's charger supports smart charging (OCPP 1.6 §3.3 SmartCharging). */
    readonly isSteerable: (scope: PartnerScope, id: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/RoamingSessions") {}
