/** Registers with a partner and unregisters from our side, over the partner's interface. */
import { Context, type Effect } from "effect"
import type { Conflict, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Partner } from "./Partner.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** What the partner gave us for registering with it. */
export interface Handover {
  readonly versionsUrl: string
  /** Its registration token. */
  readonly token: string
  /** The OCPI version to use; undefined: the newest that both sides support. */
  readonly version?: string | undefined
}

export class PartnerRegistrar extends Context.Service<
  PartnerRegistrar,
  {
    /**
     * Runs the handshake (OCPI 2.2.1 §7.2.2) and stores the result. `Conflict` `registered`, `partner_unusable` (with the partner's answer),
     * `no_common_version` or `endpoints_missing`.
     */
    readonly register: (
      id: string,
      handover: Handover,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /**
     * Exchanges new tokens for both sides, in the registered version (OCPI 2.2.1 §7.2.3). If the partner's answer is lost, both our old and our new
     * token are accepted for a day, because it is not known which one the partner has. `Conflict` `not_registered`, or as above.
     */
    readonly renew: (
      id: string,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /**
     * Removes a partner. One that was registered is informed afterwards, once (OCPI 2.2.1 §7.2.4). Its answer is not awaited, because its token is
     * invalid already.
     */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/PartnerRegistrar") {}
