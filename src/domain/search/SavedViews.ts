/** Pages of the console that a person saves with their filters, privately or for all operators of the organisation. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** The most views of one person in one organisation. */
export const viewsMost = 50

export const viewNameMax = 60
export const viewPathMax = 500

/** Whether a text is a path on this service, with a query but without a fragment, and not a link to another host. */
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
    /** The caller's own views and those that others share, by name; at most a thousand. */
    readonly list: (
      organisationId: string,
      operatorId: string
    ) => Effect.Effect<ReadonlyArray<SavedView>, StorageUnavailable>
    /** `Conflict` `view_exists` if the caller has a view with this name, `too_many_views` if the caller has `viewsMost`. */
    readonly create: (
      view: NewSavedView,
      operatorId: string,
      audit: AuditContext
    ) => Effect.Effect<SavedView, Conflict | InvalidInput | StorageUnavailable>
    /** Only the caller's own views can be removed. */
    readonly remove: (
      organisationId: string,
      operatorId: string,
      id: string
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/SavedViews") {}
