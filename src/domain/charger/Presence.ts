/**
 * What this process holds in memory of its chargers: that they are there or since when they are not, when they were last heard and the
 * last raw frame. It is shown over what is stored, so that nothing is behind and an end has one time before and after it is stored.
 * What was heard is flushed for all chargers in one statement a second.
 */
import { Context } from "effect"

/** The end of a connection. Its time is read once, when the end is noticed; storage, events and readers all use it. */
export interface ConnectionEnd {
  /** ms epoch. */
  readonly at: number
  readonly reason: string
}

export interface Seen {
  /** The newest connection that this process has had of the charger; a higher one in the database is another's, and newer. */
  readonly epoch: number
  /** ms epoch; undefined where it has said nothing yet that the database may not have. */
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
    /** Undefined where this process knows nothing fresher than the database. */
    readonly peek: (chargerId: string) => Seen | undefined
  }
>()("voltlane/Presence") {}
