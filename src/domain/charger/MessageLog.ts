/**
 * The log of raw frames in both directions: written behind in batches, bounded, searchable by charger and time, gone after its retention.
 * Losing its last second in a crash is allowed; a fact never is. Long frames are cut, and a charger that says very much is logged up to its budget of the day.
 */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** `Malformed` is what is no OCPP frame. */
export const frameKinds = ["CALL", "CALLRESULT", "CALLERROR", "Malformed"] as const
export type FrameKind = (typeof frameKinds)[number]

export interface LoggedFrame {
  readonly organisationId: string
  readonly chargerId: string
  /** ms epoch. */
  readonly at: number
  /** `in` is from the charger. */
  readonly direction: "in" | "out"
  readonly kind: FrameKind
  readonly action: string
  readonly messageId: string
  /** The frame's text, secrets masked. */
  readonly frame: string
}

/** A frame as the log has it. */
export interface KeptFrame extends LoggedFrame {
  readonly id: string
  /** Bytes of the whole frame where `frame` is only its beginning; null where it is all of it. */
  readonly cutFrom: number | null
}

export interface MessageSearch extends PageRequest {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly action?: string | undefined
}

export class MessageLog extends Context.Service<
  MessageLog,
  {
    /** Never waits and never fails: over its bound, or a budget of the day, the frame is dropped and counted. */
    readonly append: (frame: LoggedFrame) => void
    /** Newest first. Includes what has not been written yet. */
    readonly search: (
      organisationId: string,
      chargerId: string,
      search: MessageSearch
    ) => Effect.Effect<Page<KeptFrame>, StorageUnavailable | InvalidInput>
  }
>()("voltlane/MessageLog") {}
