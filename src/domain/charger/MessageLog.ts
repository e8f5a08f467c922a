/**
 * The log of raw frames in both directions, searchable by charger and time. Frames are deleted after their retention. They are written in batches
 * with a delay: unlike facts, the last second may be lost in a crash. Long frames are cut, and each charger has a daily budget.
 */
import { Context, type Effect, type Stream } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** `Malformed`: the text is not an OCPP frame. */
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
  /** The frame's text, with secrets masked. */
  readonly frame: string
}

/** A frame as it is stored in the log. */
export interface KeptFrame extends LoggedFrame {
  readonly id: string
  /** The size of the whole frame in bytes if `frame` is only its beginning; otherwise null. */
  readonly cutFrom: number | null
}

export interface MessageFilter {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Any of these; undefined: all. */
  readonly actions?: ReadonlyArray<string> | undefined
  readonly kinds?: ReadonlyArray<FrameKind> | undefined
  /** True: only errors, text that is not a frame, and answers that refuse. */
  readonly isTrouble?: boolean | undefined
  /** Case-insensitive search in the message id and the first `searchedChars` characters of the frame. */
  readonly text?: string | undefined
}

/** How many frames one page of a filtered search reads at most. A page with few or no items is therefore the last only without `nextCursor`. */
export const searchedFrames = 5_000
export const searchedChars = 4_096

export interface MessageSearch extends PageRequest, MessageFilter {}

/** How far a client has followed a charger's log. Frames are read in the order in which they were written. */
export interface TailPosition {
  /** ms epoch: frames before it are not read. */
  readonly from: number
  /** The last frame's id; `0` before the first. */
  readonly id: string
}

const tailText = /^(\d{1,16})-(\d{1,19})$/

/** Parses the id of a stream's event into a position; undefined for other text. */
export const parseTail = (text: string): TailPosition | undefined => {
  const [, from, id = "0"] = tailText.exec(text) ?? []
  if (from === undefined || Number(from) > 8.64e15 || BigInt.asIntN(64, BigInt(id)) !== BigInt(id)) return undefined
  return { from: Number(from), id }
}

export const formatTail = ({ from, id }: TailPosition): string => `${from}-${id}`

/** How far back a resumed stream starts. Clients get older frames by search, since a stream reads from its start again for each hundred frames. */
export const tailBackMillis = 3_600_000

/** How much older a frame may be than those written before it, since frames wait in memory before they are written. */
const lateMillis = 60_000

/** The position after these frames, which are in the order in which they were written. */
export const tailBehind = (position: TailPosition, frames: ReadonlyArray<KeptFrame>): TailPosition => ({
  from: frames.reduce((from, { at }) => Math.max(from, at - lateMillis), position.from),
  id: frames.at(-1)?.id ?? position.id
})

export class MessageLog extends Context.Service<
  MessageLog,
  {
    /** Never waits and never fails: a frame over a limit or a daily budget is dropped and counted. */
    readonly append: (frame: LoggedFrame) => void
    /** Emits the id of a charger when this process has written frames of it. Signals may get lost. */
    readonly written: Stream.Stream<string>
    /** Frames after a position, in the order in which they were written. */
    readonly tail: (
      organisationId: string,
      chargerId: string,
      after: TailPosition,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KeptFrame>, StorageUnavailable>
    /** Newest first, including frames that are not written yet. */
    readonly search: (
      organisationId: string,
      chargerId: string,
      search: MessageSearch
    ) => Effect.Effect<Page<KeptFrame>, StorageUnavailable | InvalidInput>
  }
>()("voltlane/MessageLog") {}
