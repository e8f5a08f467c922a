/** Pages of the console that a person keeps with their filters, for oneself or for all operators of the organisation. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** Of one person in one organisation. */
export const viewsMost = 50

export const viewNameMax = 60
export const viewPathMax = 500

/** A path on this service with its query: no other host, and nothing that a page keeps to itself. */
export const isViewPath = (path: string): boolean => /^\/(?![/\\])[^\s#\\]*$/.test(path)

export interface SavedView {
  readonly id: string
  readonly operatorId: string
  readonly name: string
  readonly path: string
  readonly shared: boolean
  readonly createdAt: number
}

export type NewSavedView = Pick<SavedView, "name" | "path" | "shared">

export class SavedViews extends Context.Service<
  SavedViews,
  {
    /** The caller's own, and those that others share, by name; at most a thousand. */
    readonly list: (
      organisationId: string,
      operatorId: string
    ) => Effect.Effect<ReadonlyArray<SavedView>, StorageUnavailable>
    /** `Conflict` `view_exists` for a name that one has, `too_many_views` beyond the most. */
    readonly create: (
      view: NewSavedView,
      operatorId: string,
      audit: AuditContext
    ) => Effect.Effect<SavedView, Conflict | InvalidInput | StorageUnavailable>
    /** One's own. */
    readonly remove: (
      organisationId: string,
      operatorId: string,
      id: string
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/SavedViews") {}
