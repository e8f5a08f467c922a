/** Storage of sites, scoped by organisation. Another organisation's site is `NotFound`. */
import type { AuditContext } from "../values/AuditContext.ts"
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Site, SiteInput, SitePatch } from "./Site.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export class Sites extends Context.Service<
  Sites,
  {
    readonly create: (input: SiteInput, audit: AuditContext) => Effect.Effect<Site, InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Site, NotFound | StorageUnavailable>
    /** Those of these sites that exist, read with one query. */
    readonly byIds: (
      organisationId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Site>, StorageUnavailable>
    /** By REST v1's integer id. */
    readonly byGroupId: (organisationId: string, groupId: number) => Effect.Effect<Site, NotFound | StorageUnavailable>
    readonly list: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Site>, InvalidInput | StorageUnavailable>
    readonly update: (
      id: string,
      patch: SitePatch,
      audit: AuditContext
    ) => Effect.Effect<Site, NotFound | InvalidInput | StorageUnavailable>
    /** `Conflict` `site_not_empty` while it has chargers. */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | Conflict | StorageUnavailable>
  }
>()("voltlane/Sites") {}
