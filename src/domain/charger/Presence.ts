/**
 * The presence of this process's chargers, in memory: whether they are connected or when they disconnected, when they were last heard from, and the
 * last raw frame. It takes precedence over the stored state, so that readers see no old state. The end of a connection has the same time before and
 * after it is stored. Once a second, one statement writes the times of all chargers.
 */
import { Context } from "effect"

/** The end of a connection. Its time is read once, when the end is noticed; storage, events and readers all use it. */
export interface ConnectionEnd {
  /** ms epoch. */
  readonly at: number
  readonly reason: string
}

export interface Seen {
  /** The charger's newest connection to this process. A higher epoch in the database is a newer connection to another process. */
  readonly epoch: number
  /** ms epoch; undefined if the last time may be stored already. */
  readonly lastSeen: number | undefined
  readonly lastMessage: string
  /** Undefined while it is connected. */
  readonly ended: ConnectionEnd | undefined
}

export class Presence extends Context.Service<
  Presence,
  {
    readonly opened: (chargerId: string, epoch: number) => void
    /** Called for every frame, heartbeats included. It is on the hot path and allocates nothing but the entry. */
    readonly heard: (chargerId: string, at: number, frame: string) => void
    readonly closed: (chargerId: string, epoch: number, end: ConnectionEnd) => void
    /** The end is stored. It may be forgotten once no reader can still see the state before it. */
    readonly stored: (chargerId: string, epoch: number) => void
    /** Undefined if this process knows nothing newer than the database. */
    readonly peek: (chargerId: string) => Seen | undefined
  }
>()("voltlane/Presence") {}
