/** How much may be commanded: commands that wait for one charger, and chargers that one caller commands in a minute (T26). */
import { Conflict, TooMany } from "../Errors.ts"
import type { ChargerCommand } from "./ChargerCommand.ts"
import { isDisruptive } from "./Kinds.ts"

export interface CommandCaps {
  /** Commands that may wait for one charger. */
  readonly maxWaiting: number
  /** Chargers that an operator by all his keys, or one of his partners, may command in a minute; commands that only ask do not count. */
  readonly chargersPerMinute: number
}

/** The minute of `chargersPerMinute`, in ms. */
export const capMillis = 60_000

/** Whether a command counts for `chargersPerMinute`. */
export const isCapped = (command: ChargerCommand, by: string): boolean => isDisruptive(command) && by !== "platform"

/**
 * Whose commands count together with those of this issuer: a partner's are its own, and all others of the organisation are the operator's, by whichever key.
 * As patterns of LIKE for `Command.by`.
 */
export const cappedWith = (by: string): { readonly like: string; readonly unlike: string } =>
  by.startsWith("partner:") ? { like: by, unlike: "" } : { like: "%", unlike: "partner:%" }

/** Refuses what is too much, for the charger and for the caller. `fullAt` is when the caller reached `chargersPerMinute` (ms epoch), null while he has not. */
export const beyondCaps = (
  { chargersPerMinute, maxWaiting }: CommandCaps,
  { fullAt, waiting }: { readonly fullAt: number | null; readonly waiting: number },
  now: number
): Conflict | TooMany | undefined => {
  if (waiting >= maxWaiting) {
    return new Conflict({
      code: "too_many_commands",
      message: `${maxWaiting} commands wait for this charger already. Wait until some have ended.`
    })
  }
  if (fullAt === null) return undefined
  const retryAfterSeconds = Math.max(1, Math.ceil((fullAt + capMillis - now) / 1000))
  return new TooMany({
    code: "command_rate",
    message:
      `At most ${chargersPerMinute} chargers are commanded a minute by all keys of an operator together, and have been. Commands to those ` +
      `chargers, and what only asks, are still taken; another charger is in ${retryAfterSeconds} s.`,
    retryAfterSeconds
  })
}
