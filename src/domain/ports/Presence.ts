/**
 * What this process holds in memory of its chargers: that they are there, when they were last heard and the last raw frame. REST shows
 * it over what was flushed, so that `lastSeen` and `lastMessage` are never behind. Flushed for all chargers in one statement a second.
 */
import { Context } from "effect"

export interface Seen {
  /** ms epoch. */
  readonly lastSeen: number
  readonly lastMessage: string
  readonly connected: boolean
}

export class Presence extends Context.Service<
  Presence,
  {
    readonly opened: (chargerId: string, at: number) => void
    /** Every frame, heartbeats included. On the hot path: no allocation beyond the entry. */
    readonly heard: (chargerId: string, at: number, frame: string) => void
    readonly closed: (chargerId: string) => void
    /** Undefined where this process knows nothing fresher than the database. */
    readonly peek: (chargerId: string) => Seen | undefined
  }
>()("voltlane/Presence") {}
