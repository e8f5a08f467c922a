/** What a partner is shown, in its version of OCPI, so that operators can check it first. */
import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { Partner } from "./Partner.ts"
import type { Window, Windowed } from "../values/Window.ts"

export interface Viewed extends Windowed<unknown> {
  /** Of OCPI: the one that the partner uses, or our newest before it has registered. */
  readonly version: string
}

export class PartnerView extends Context.Service<
  PartnerView,
  {
    /** A page of one of the lists that partners read. `NotFound` for a module that has none. */
    readonly page: (
      partner: Partner,
      module: string,
      window: Window
    ) => Effect.Effect<Viewed, NotFound | StorageUnavailable>
  }
>()("voltlane/PartnerView") {}
