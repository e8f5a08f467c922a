/**
 * Commands that no charger will answer: they waited for too long, or the connection that they were sent by, or waited for, is gone. How
 * each of them ends, with the status and texts that callers see.
 */

/** How a command ends without an answer. */
export interface Unanswered {
  readonly status: "Failed" | "Expired"
  readonly result: { readonly errorCode: string; readonly errorDescription: string }
}

/** What of a command that has not ended decides. */
export interface OpenCommand {
  readonly status: "Pending" | "Sent"
  /** Until when it may wait for the charger to be connected (ms epoch); undefined: it may not wait. */
  readonly expiresAt: number | undefined
  /** The connection that it was sent by. */
  readonly sentEpoch: number | undefined
}

export const connectionLost: Unanswered & { readonly status: "Failed" } = {
  status: "Failed",
  result: {
    errorCode: "ConnectionLost",
    errorDescription: "the connection ended before the charger answered; what came of it is not known"
  }
}

export const notConnected: Unanswered & { readonly status: "Failed" } = {
  status: "Failed",
  result: {
    errorCode: "NotConnected",
    errorDescription: "the charger is not connected; it was not sent. Give expiresIn to let it wait"
  }
}

const expired: Unanswered = {
  status: "Expired",
  result: { errorCode: "Expired", errorDescription: "the charger was not connected in time; it was not sent" }
}

/** How a command ends by the time that it has waited; undefined while it may still wait. */
export const overdue = ({ expiresAt, status }: OpenCommand, now: number): Unanswered | undefined =>
  status === "Pending" && expiresAt !== undefined && expiresAt <= now ? expired : undefined

/**
 * How a command ends by what became of its charger's connection; undefined where it may still be sent or answered. `openEpoch` is the
 * connection that the charger has now.
 */
export const abandoned = (
  { expiresAt, sentEpoch, status }: OpenCommand,
  openEpoch: number | undefined
): Unanswered | undefined => {
  if (status === "Sent") return openEpoch !== undefined && sentEpoch === openEpoch ? undefined : connectionLost
  return expiresAt === undefined && openEpoch === undefined ? notConnected : undefined
}

/** How long after the end of its lease (ms) a node's connections are taken to be gone: it may only be slow to renew it. */
export const leaseGraceMillis = 60_000
