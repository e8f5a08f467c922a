/** Reads reservations, scoped by organisation. Command results and starts change them. */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Reservation, ReservationStatus } from "./Reservation.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export interface ReservationFilter {
  readonly chargerId?: string | undefined
  readonly status?: ReservationStatus | undefined
}

export class Reservations extends Context.Service<
  Reservations,
  {
    /** Newest first; statuses at `now`. */
    readonly list: (
      organisationId: string,
      page: PageRequest & ReservationFilter,
      now: number
    ) => Effect.Effect<Page<Reservation>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/Reservations") {}
