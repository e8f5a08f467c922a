/**
 * Reads the audit log: the facts of the journal that have an author, scoped by organisation. Each fact is stored in the transaction of the change
 * itself.
 */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

type Document = Readonly<Record<string, unknown>>

export interface AuditEntry {
  /** The fact's position in the journal. */
  readonly id: string
  /** ms epoch. */
  readonly at: number
  /** `Principal.actor`, or `platform` for what the service does on its own. */
  readonly actor: string
  /** The fact's type, e.g. `SiteChanged`. */
  readonly action: string
  /** The changed record, e.g. `site:<id>`, `charger:<id>`. */
  readonly subject: string
  /** The record before the change; undefined if it was created. */
  readonly before: Document | undefined
  /** The record after the change, or what was requested; undefined if it was removed. */
  readonly after: Document | undefined
}

export interface AuditFilter {
  readonly subject?: string | undefined
  readonly actor?: string | undefined
  readonly action?: string | undefined
  /** ms epoch; `from` is inclusive, `to` is exclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & AuditFilter
    ) => Effect.Effect<Page<AuditEntry>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/AuditLog") {}
