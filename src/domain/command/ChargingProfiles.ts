/** Reads what is known about a charger's charging profiles, scoped by organisation. Only answers to commands change it. */
import { Context, type Effect } from "effect"
import type { SetProfile } from "./ChargingProfile.ts"
import type { NotFound, StorageUnavailable } from "../Errors.ts"

/** What a charger answered to its last GetCompositeSchedule. */
export interface ReportedComposite {
  /** ms epoch of the answer. */
  readonly at: number
  /** The payload as received (OCPP 1.6 §6.22). */
  readonly answer: Readonly<Record<string, unknown>>
}

export class ChargingProfiles extends Context.Service<
  ChargingProfiles,
  {
    /** The profiles that the charger has accepted and that are in force, in the order in which they were set. */
    readonly inForce: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<ReadonlyArray<SetProfile>, NotFound | StorageUnavailable>
    /** The newest answer for this EVSE (0 is the whole charger); undefined if there is none. */
    readonly reported: (
      organisationId: string,
      chargerId: string,
      evseId: number
    ) => Effect.Effect<ReportedComposite | undefined, StorageUnavailable>
  }
>()("voltlane/ChargingProfiles") {}
