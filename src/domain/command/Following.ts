/**
 * Finds the RemoteStart that a session follows. In OCPP 1.6 the command and its transaction have only the token and the connector in common, so the
 * first start that fits within a quarter of an hour is matched.
 */
import { tokenKey } from "../token/Token.ts"
import type { CommandStatus } from "./Command.ts"
import { mayHaveObeyed } from "./CommandEnd.ts"

/** A sent RemoteStart that no session follows yet. */
export interface UnfollowedStart {
  readonly commandId: string
  /** ms epoch. */
  readonly sentAt: number
  readonly status: CommandStatus
  readonly errorCode: string | undefined
  readonly tokenUid: string
  /** Undefined or 0 if the charger chooses the connector. */
  readonly evseId: number | undefined
}

/** The part of a start that matters to commands. */
export interface HeardStart {
  readonly tokenUid: string
  readonly evseId: number
  /** When the service received it, ms epoch: by the service's clock, like the time of the command. */
  readonly heardAt: number
  /**
   * When it happened, ms epoch by the charger's clock, if that was before the current connection: it has waited in the charger's queue. Undefined
   * otherwise: a start on the connection has just happened, whatever the charger's clock says.
   */
  readonly queuedAt: number | undefined
}

/** The time of a start that happened before the connection on which it was received; undefined for any other. */
export const queuedAt = (startedAt: number, connectedAt: number): number | undefined =>
  startedAt < connectedAt ? startedAt : undefined

/** How long after a RemoteStart its session may begin: drivers need time to plug in. */
export const followedWithinMillis = 15 * 60_000

/** How far the clocks of two nodes of the service may differ. */
const clocksApartMillis = 1000

/** How far a charger's clock may be behind ours. Grants of partners' starts have the same tolerance. */
const clockBehindMillis = 15 * 60_000

/** False if a start had happened long before a command was sent at `sentAt`, and so cannot follow it. */
export const mayFollow = (start: Pick<HeardStart, "queuedAt">, sentAt: number): boolean =>
  start.queuedAt === undefined || sentAt <= start.queuedAt + clockBehindMillis

export const follows = (start: HeardStart, command: UnfollowedStart): boolean => {
  const { evseId = 0, sentAt, tokenUid } = command
  const isInTime = sentAt >= start.heardAt - followedWithinMillis && sentAt <= start.heardAt + clocksApartMillis
  return (
    isInTime &&
    mayFollow(start, sentAt) &&
    // A charger that refused the command started for another reason.
    mayHaveObeyed(command) &&
    tokenKey(tokenUid) === tokenKey(start.tokenUid) &&
    (evseId === 0 || evseId === start.evseId)
  )
}

/** The command that a start follows: the one that was sent first, since two drivers with the same token start in the order of their commands. */
export const followed = (start: HeardStart, commands: ReadonlyArray<UnfollowedStart>): UnfollowedStart | undefined => {
  const [first] = commands
    .filter((command) => follows(start, command))
    .toSorted((one, other) => one.sentAt - other.sentAt || (one.commandId < other.commandId ? -1 : 1))
  return first
}
