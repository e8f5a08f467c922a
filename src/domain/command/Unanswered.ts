/**
 * Commands that no charger will answer, because they waited for too long or because the connection is gone. Defines how each of them ends, with the
 * status and texts that callers see.
 */

/** How a command ends without an answer. */
export interface Unanswered {
  readonly status: "Failed" | "Expired"
  readonly result: { readonly errorCode: string; readonly errorDescription: string }
}

/** The part of an open command that decides how it ends. */
export interface OpenCommand {
  readonly status: "Pending" | "Sent"
  /** Until when it may wait for the charger to connect (ms epoch); undefined if it may not wait. */
  readonly expiresAt: number | undefined
  /** The epoch of the connection by which it was sent. */
  readonly sentEpoch: number | undefined
}

export const connectionLost: Unanswered & { readonly status: "Failed" } = {
  status: "Failed",
  result: {
    errorCode: "ConnectionLost",
    errorDescription: "the connection ended before the charger answered; the outcome is unknown"
  }
}

export const notConnected: Unanswered & { readonly status: "Failed" } = {
  status: "Failed",
  result: {
    errorCode: "NotConnected",
    errorDescription:
      "the charger is not connected, so the command was not sent. Give expiresIn to let it wait for a connection"
  }
}

const expired: Unanswered = {
  status: "Expired",
  result: { errorCode: "Expired", errorDescription: "the charger did not connect in time, so the command was not sent" }
}

/** How a command ends because its waiting time has passed; undefined while it may still wait. */
export const overdue = ({ expiresAt, status }: OpenCommand, now: number): Unanswered | undefined =>
  status === "Pending" && expiresAt !== undefined && expiresAt <= now ? expired : undefined

/**
 * How a command ends because its charger's connection is gone; undefined if it may still be sent or answered. `openEpoch` is the epoch of the
 * charger's open connection, if any.
 */
export const abandoned = (
  { expiresAt, sentEpoch, status }: OpenCommand,
  openEpoch: number | undefined
): Unanswered | undefined => {
  if (status === "Sent") return openEpoch !== undefined && sentEpoch === openEpoch ? undefined : connectionLost
  return expiresAt === undefined && openEpoch === undefined ? notConnected : undefined
}

/** How long after the end of a node's lease (in ms) its connections count as gone: the node may only be slow to renew the lease. */
export const leaseGraceMillis = 60_000
