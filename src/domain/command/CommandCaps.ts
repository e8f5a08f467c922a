/** Limits of commands: how many may wait for one charger, and how many chargers one caller may command in a minute (T26). */
import { Conflict, TooMany } from "../Errors.ts"
import type { ChargerCommand } from "./ChargerCommand.ts"
import { isDisruptive } from "./Kinds.ts"

export interface CommandCaps {
  /** How many commands may wait for one charger. */
  readonly maxWaiting: number
  /**
   * How many chargers an organisation with all its keys, or one of its partners, may command in a minute. Commands that only read do not count.
   */
  readonly chargersPerMinute: number
}

/** The period of `chargersPerMinute`, in ms. */
export const capMillis = 60_000

/** Whether a command counts for `chargersPerMinute`. */
export const isCapped = (command: ChargerCommand, by: string): boolean => isDisruptive(command) && by !== "platform"

/**
 * The issuers whose commands count together with those of this issuer, as LIKE patterns for `Command.by`. Each partner counts on its own. All other
 * issuers of the organisation count together, whichever key they use.
 */
export const cappedWith = (by: string): { readonly like: string; readonly unlike: string } =>
  by.startsWith("partner:") ? { like: by, unlike: "" } : { like: "%", unlike: "partner:%" }

/**
 * The error for a command that exceeds a limit of the charger or the caller; undefined if it exceeds none. `fullAt` is when the caller reached
 * `chargersPerMinute` (ms epoch), or null if it has not.
 */
export const beyondCaps = (
  { chargersPerMinute, maxWaiting }: CommandCaps,
  { fullAt, waiting }: { readonly fullAt: number | null; readonly waiting: number },
  now: number
): Conflict | TooMany | undefined => {
  if (waiting >= maxWaiting) {
    return new Conflict({
      code: "too_many_commands",
      message: `${maxWaiting} commands are already waiting for this charger. Wait until some have ended.`
    })
  }
  if (fullAt === null) return undefined
  const retryAfterSeconds = Math.max(1, Math.ceil((fullAt + capMillis - now) / 1000))
  return new TooMany({
    code: "command_rate",
    message:
      `All keys of an organisation together can send commands to at most ${chargersPerMinute} chargers a minute, and this limit is reached. Commands to those ` +
      `chargers, and commands that only query, are still accepted; commands to another charger are possible in ${retryAfterSeconds} s.`,
    retryAfterSeconds
  })
}
