/**
 * Which RemoteStart a session follows. OCPP 1.6 gives the command and the transaction that comes of it nothing in common but the card and
 * the place, so the first start that fits within a quarter of an hour is taken for it.
 */
import { tokenKey } from "../token/Token.ts"
import type { CommandStatus } from "./Command.ts"
import { mayHaveObeyed } from "./CommandEnd.ts"

/** A RemoteStart that was sent and that no session follows yet. */
export interface UnfollowedStart {
  readonly commandId: string
  /** ms epoch. */
  readonly sentAt: number
  readonly status: CommandStatus
  readonly errorCode: string | undefined
  readonly tokenUid: string
  /** Undefined or 0 where the charger chooses the place. */
  readonly evseId: number | undefined
}

/** What of a start matters to commands. */
export interface HeardStart {
  readonly tokenUid: string
  readonly evseId: number
  /** When the service heard of it, ms epoch: commands are sent by our clock and not by the charger's. */
  readonly heardAt: number
}

/** How long after a RemoteStart its session may begin: drivers take their time with the cable. */
export const followedWithinMillis = 15 * 60_000

/** How far the clocks of two of our nodes may be apart. */
const clocksApartMillis = 1000

export const follows = (start: HeardStart, command: UnfollowedStart): boolean => {
  const { evseId = 0, sentAt, tokenUid } = command
  const isInTime = sentAt >= start.heardAt - followedWithinMillis && sentAt <= start.heardAt + clocksApartMillis
  return (
    isInTime &&
    // A charger that said no has started for another reason.
    mayHaveObeyed(command) &&
    tokenKey(tokenUid) === tokenKey(start.tokenUid) &&
    (evseId === 0 || evseId === start.evseId)
  )
}

/** The one command that a start follows: the first of those sent, since two drivers with one card come in the order of their commands. */
export const followed = (start: HeardStart, commands: ReadonlyArray<UnfollowedStart>): UnfollowedStart | undefined => {
  const [first] = commands
    .filter((command) => follows(start, command))
    .toSorted((one, other) => one.sentAt - other.sentAt || (one.commandId < other.commandId ? -1 : 1))
  return first
}
