/**
 * The log of raw frames in both directions, searchable by charger and time and deleted after its retention. It is written in batches after the
 * fact: a crash may lose its last second, unlike facts. Long frames are cut, and each charger has a daily budget.
 */
import { Context, type Effect, type Stream } from "effect"
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

export interface MessageFilter {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Any of these; undefined: all. */
  readonly actions?: ReadonlyArray<string> | undefined
  readonly kinds?: ReadonlyArray<FrameKind> | undefined
  /** True: errors, what is no frame, and answers that refuse. */
  readonly isTrouble?: boolean | undefined
  /** In the frame or its message id, whatever the case of letters; looked for in the first `searchedChars` of a frame. */
  readonly text?: string | undefined
}

/** With a filter one page looks through so many frames at most: one with few items or none is the last one only without `nextCursor`. */
export const searchedFrames = 5_000
export const searchedChars = 4_096

export interface MessageSearch extends PageRequest, MessageFilter {}

/** How far a charger's log was followed: frames are taken in the order in which they were written. */
export interface TailPosition {
  /** ms epoch: those before are not looked at. */
  readonly from: number
  /** The last frame's id; `0` before the first. */
  readonly id: string
}

const tailText = /^(\d{1,16})-(\d{1,19})$/

/** The position that an id of the tail is; undefined for other text. */
export const parseTail = (text: string): TailPosition | undefined => {
  const [, from, id = "0"] = tailText.exec(text) ?? []
  if (from === undefined || Number(from) > 8.64e15 || BigInt.asIntN(64, BigInt(id)) !== BigInt(id)) return undefined
  return { from: Number(from), id }
}

export const formatTail = ({ from, id }: TailPosition): string => `${from}-${id}`

/** Who comes back later than this reads what was missed in pages: a long way back would be read again for each hundred frames. */
export const tailBackMillis = 3_600_000

/** Frames wait in memory before they are written, so that one may be older than those that were written before it. */
const lateMillis = 60_000

/** The position behind these frames, in the order in which they were written. */
export const tailBehind = (position: TailPosition, frames: ReadonlyArray<KeptFrame>): TailPosition => ({
  from: frames.reduce((from, { at }) => Math.max(from, at - lateMillis), position.from),
  id: frames.at(-1)?.id ?? position.id
})

export class MessageLog extends Context.Service<
  MessageLog,
  {
    /** Never waits and never fails: a frame over a limit or a daily budget is dropped and counted. */
    readonly append: (frame: LoggedFrame) => void
    /** Chargers of which frames were written by this process, as they are. Signals may get lost. */
    readonly written: Stream.Stream<string>
    /** Frames behind a position, in the order in which they were written. */
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
