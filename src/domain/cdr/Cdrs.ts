/** Storage of charge detail records, scoped by organisation. None is ever changed. */
import { Context, type Effect } from "effect"
import type { Cdr, NewCdr } from "./Cdr.ts"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface CdrFilter {
  readonly chargerId?: string | undefined
  readonly siteId?: string | undefined
  readonly sessionId?: string | undefined
  /** Case-insensitive. */
  readonly tokenUid?: string | undefined
  /** CDRs of this roaming partner's drivers. */
  readonly partnerId?: string | undefined
  /** Sessions that started at or after this time, ms epoch. */
  readonly from?: number | undefined
  /** Sessions that started before this time, ms epoch. */
  readonly to?: number | undefined
  /** Records issued at or after this time, ms epoch. */
  readonly issuedFrom?: number | undefined
  /** Records issued before this time, ms epoch. */
  readonly issuedTo?: number | undefined
  /** The lowest and the highest number, both included. */
  readonly numberFrom?: number | undefined
  readonly numberTo?: number | undefined
}

export class Cdrs extends Context.Service<
  Cdrs,
  {
    /** Issues CDRs for the sessions that have none. Sessions that have one are left unchanged. */
    readonly issue: (records: ReadonlyArray<NewCdr>, now: number) => Effect.Effect<void, StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Cdr, NotFound | StorageUnavailable>
    /** Newest first: by start if `from`, `to` or a token is given, else by issue if one of its times is, else by number. */
    readonly list: (
      organisationId: string,
      page: PageRequest & CdrFilter
    ) => Effect.Effect<Page<Cdr>, InvalidInput | StorageUnavailable>
    /** Issues the credit record of a CDR. `Conflict` `already_credited`, or `is_credit` if it is a credit record itself. */
    readonly credit: (
      id: string,
      audit: AuditContext
    ) => Effect.Effect<Cdr, NotFound | Conflict | InvalidInput | StorageUnavailable>
  }
>()("voltlane/Cdrs") {}
