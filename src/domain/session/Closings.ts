/** Storage for closing sessions that have not ended and whose stop will not arrive. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { CloseReason, OpenSession } from "./Closing.ts"

/** A session to be closed, in the state in which that was decided. */
export interface Closing extends Pick<OpenSession, "sessionId" | "organisationId" | "quietSince"> {
  readonly reason: CloseReason
  /** True if it ends as a session that never took place (`Refused.neverWas`); such a session is not held. */
  readonly neverWas: boolean
}

export class Closings extends Context.Service<
  Closings,
  {
    /**
     * Sessions of all organisations that have neither ended nor been closed, and about which nothing was stored since `before` (ms epoch). Ordered by
     * id; `after` is the last id of the previous page.
     */
    readonly quiet: (request: {
      readonly before: number
      readonly after: string | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<OpenSession>, StorageUnavailable>
    /** Closes the sessions that have not changed since that was decided. Returns their ids. */
    readonly close: (
      closings: ReadonlyArray<Closing>,
      now: number
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  }
>()("voltlane/Closings") {}
