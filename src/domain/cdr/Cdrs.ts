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
  /** Whatever the case of its letters. */
  readonly tokenUid?: string | undefined
  /** Of drivers of this roaming partner. */
  readonly partnerId?: string | undefined
  /** Of sessions that started at or after, ms epoch. */
  readonly from?: number | undefined
  /** Of sessions that started before, ms epoch. */
  readonly to?: number | undefined
}

export class Cdrs extends Context.Service<
  Cdrs,
  {
    /** Issues the records of sessions that have none; the others stay as they are, however often they are given. */
    readonly issue: (records: ReadonlyArray<NewCdr>, now: number) => Effect.Effect<void, StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Cdr, NotFound | StorageUnavailable>
    /** Newest first: by number, and by start where times or a card are asked for. */
    readonly list: (
      organisationId: string,
      page: PageRequest & CdrFilter
    ) => Effect.Effect<Page<Cdr>, InvalidInput | StorageUnavailable>
    /** Issues the record that takes this one back. `Conflict` `already_credited`, or `is_credit` for one that is such a record. */
    readonly credit: (
      id: string,
      audit: AuditContext
    ) => Effect.Effect<Cdr, NotFound | Conflict | InvalidInput | StorageUnavailable>
  }
>()("voltlane/Cdrs") {}
