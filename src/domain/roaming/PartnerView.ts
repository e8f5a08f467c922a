/** The objects that a partner sees, in its OCPI version, so that operators can check them first. */
import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { Partner } from "./Partner.ts"
import type { Window, Windowed } from "../values/Window.ts"

export interface Viewed extends Windowed<unknown> {
  /** The OCPI version: the one that the partner uses, or our newest before it has registered. */
  readonly version: string
}

export class PartnerView extends Context.Service<
  PartnerView,
  {
    /** A page of one of the lists that partners read. `NotFound` for a module without a list. */
    readonly page: (
      partner: Partner,
      module: string,
      window: Window
    ) => Effect.Effect<Viewed, NotFound | StorageUnavailable>
  }
>()("voltlane/PartnerView") {}
