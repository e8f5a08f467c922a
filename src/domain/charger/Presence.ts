/**
 * The presence of this process's chargers, in memory: whether they are connected or since when they are not, when they were last heard, and the last
 * raw frame. It takes precedence over what is stored, so that readers see no old state, and the end of a connection has the same time before and after
 * it is stored. The times are written for all chargers in one statement a second.
 */
import { Context } from "effect"

/** The end of a connection. Its time is read once, when the end is noticed; storage, events and readers all use it. */
export interface ConnectionEnd {
  /** ms epoch. */
  readonly at: number
  readonly reason: string
}

export interface Seen {
  /** The charger's newest connection to this process; a higher one in the database is to another process, and newer. */
  readonly epoch: number
  /** ms epoch; undefined if all that was heard may be stored already. */
  readonly lastSeen: number | undefined
  readonly lastMessage: string
  /** Undefined while it is connected. */
  readonly ended: ConnectionEnd | undefined
}

export class Presence extends Context.Service<
  Presence,
  {
    readonly opened: (chargerId: string, epoch: number) => void
    /** Every frame, heartbeats included. On the hot path: no allocation beyond the entry. */
    readonly heard: (chargerId: string, at: number, frame: string) => void
    readonly closed: (chargerId: string, epoch: number, end: ConnectionEnd) => void
    /** The database has the end, which may be forgotten once no reader can still see the state before it. */
    readonly stored: (chargerId: string, epoch: number) => void
    /** Undefined if this process knows nothing newer than the database. */
    readonly peek: (chargerId: string) => Seen | undefined
  }
>()("voltlane/Presence") {}
