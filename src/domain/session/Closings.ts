/** Sessions that have not ended, and the closing of those whose stop will not come. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { CloseReason, OpenSession } from "./Closing.ts"

/** A session to be closed, as it was when that was decided. */
export interface Closing extends Pick<OpenSession, "sessionId" | "organisationId" | "quietSince"> {
  readonly reason: CloseReason
  /** True if it ends as one that never took place (`Refused.neverWas`); such a session is not held. */
  readonly neverWas: boolean
}

export class Closings extends Context.Service<
  Closings,
  {
    /**
     * Sessions of all organisations that have not ended nor been closed, of which nothing was stored since `before` (ms epoch), in order of
     * their ids; `after` is the last id of the page before.
     */
    readonly quiet: (request: {
      readonly before: number
      readonly after: string | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<OpenSession>, StorageUnavailable>
    /** Closes those that have not changed since that was decided. Answers the ids of the closed ones. */
    readonly close: (
      closings: ReadonlyArray<Closing>,
      now: number
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  }
>()("voltlane/Closings") {}
