/** Reading of who did what: the facts of the journal that have an author, scoped by organisation. They are written with what they tell of. */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

type Document = Readonly<Record<string, unknown>>

export interface AuditEntry {
  /** The fact's position in the journal. */
  readonly id: string
  /** ms epoch. */
  readonly at: number
  /** `Principal.actor`, or `platform` for what the service does by itself. */
  readonly actor: string
  /** The fact's type, e.g. `SiteChanged`. */
  readonly action: string
  /** What it was done to, e.g. `site:<id>`, `charger:<id>`. */
  readonly subject: string
  /** The record as it was; undefined where nothing was. */
  readonly before: Document | undefined
  /** The record as it is since then, or what was asked for; undefined where nothing is left. */
  readonly after: Document | undefined
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly subject?: string | undefined }
    ) => Effect.Effect<Page<AuditEntry>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/AuditLog") {}
