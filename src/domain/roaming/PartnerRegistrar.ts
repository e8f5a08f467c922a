/** Registering with a partner and leaving it from our side, over its own interface. */
import { Context, type Effect } from "effect"
import type { Conflict, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Partner } from "./Partner.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** What the partner has handed over. */
export interface Handover {
  readonly versionsUrl: string
  /** Its registration token. */
  readonly token: string
  /** The newest that both sides have, if not said. */
  readonly version?: string | undefined
}

export class PartnerRegistrar extends Context.Service<
  PartnerRegistrar,
  {
    /**
     * Runs the handshake (OCPI 2.2.1 §7.2.2) and stores what both sides have then. `Conflict` `registered`, `partner_unusable` (with what it
     * answered), `no_common_version` or `endpoints_missing`.
     */
    readonly register: (
      id: string,
      handover: Handover,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /**
     * New tokens for both sides, in the version that it is registered with (OCPI 2.2.1 §7.2.3). Where the partner's answer is lost, what it has of
     * us, the old token or the new one, is taken for a day. `Conflict` `not_registered`, or as above.
     */
    readonly renew: (
      id: string,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /**
     * Removes a partner. One that was registered is informed afterwards (OCPI 2.2.1 §7.2.4), once; its answer is not waited for, since
     * what it has of us is good for nothing already.
     */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/PartnerRegistrar") {}
