/**
 * The log of raw frames in both directions, searchable by charger and time and deleted after its retention. It is written in batches after the
 * fact: a crash may lose its last second, unlike facts. Long frames are cut, and each charger has a daily budget.
 */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** `Malformed`: the text is no OCPP frame. */
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
  /** The size of the whole frame in bytes if `frame` is only its beginning; otherwise null. */
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
    /** Never waits and never fails: a frame over a limit or a daily budget is dropped and counted. */
    readonly append: (frame: LoggedFrame) => void
    /** Newest first, including frames that are not written yet. */
    readonly search: (
      organisationId: string,
      chargerId: string,
      search: MessageSearch
    ) => Effect.Effect<Page<KeptFrame>, StorageUnavailable | InvalidInput>
  }
>()("voltlane/MessageLog") {}
