/**
 * Delays after wrong codes of a second factor. A person who gives one knows the password already, so these count for the whole account, from whatever
 * network they come, and are stored. A device on which the person signed in before has a count of its own: guesses elsewhere do not delay the person
 * there. Recovery codes and passkeys cannot be guessed, so right ones are never delayed.
 */
import { delayAfter } from "./SignInDelays.ts"

/** The longest delay: at most 24 guesses a day of the million codes, three of which are right at a time. */
export const longestCodeMillis = 60 * 60_000

/** A count without failures for this long starts again from zero. */
const forgetMillis = 24 * 3_600_000

/** For how long wrong codes are reported to the person; then the count is deleted. */
export const noticeMillis = 7 * 24 * 3_600_000

/**
 * The most devices of one account with a count of their own; further ones count as unknown. Otherwise an attacker who signed in on many devices
 * before the account had a second factor could guess on all of them.
 */
const devicesMost = 10

/** The place of all devices on which the person never signed in. */
export const elsewhere = ""

/** Wrong codes of one account at one place: a known device, by a keyed hash, or `elsewhere`. */
export interface CodeCount {
  readonly place: string
  readonly failures: number
  /** Of the last one: its time, ms epoch, and its network. */
  readonly at: number
  readonly network: string
}

export interface CodeAttempt {
  readonly operatorId: string
  /** The known device from which it comes. */
  readonly device: string | undefined
  readonly network: string
  /** What the code proves; undefined for a wrong one. */
  readonly proved: "Totp" | "RecoveryCode" | undefined
}

export type CodeOutcome =
  | { readonly _tag: "Right" }
  | { readonly _tag: "Wrong"; readonly failures: number }
  | { readonly _tag: "Delayed"; readonly millis: number }

export interface CodeDecision {
  readonly outcome: CodeOutcome
  /** To be stored in place of the count of the same place. */
  readonly stored?: CodeCount
  /** Places whose counts are to be deleted. */
  readonly removed: ReadonlyArray<string>
}

const placeOf = (device: string | undefined, counts: ReadonlyArray<CodeCount>): string => {
  if (device === undefined || counts.some(({ place }) => place === device)) return device ?? elsewhere
  return counts.filter(({ place }) => place !== elsewhere).length < devicesMost ? device : elsewhere
}

/** Decides about a code. `counts` are all of the account, read while no other code of it is decided about. */
export const decideCode = (
  counts: ReadonlyArray<CodeCount>,
  { device, network, proved }: Omit<CodeAttempt, "operatorId">,
  now: number
): CodeDecision => {
  const removed = counts.flatMap(({ at, place }) => (now - at > noticeMillis ? [place] : []))
  const known = counts.filter(({ place }) => !removed.includes(place))
  const place = placeOf(device, known)
  const found = known.find((one) => one.place === place && now - one.at <= forgetMillis)
  const failures = found?.failures ?? 0
  const wait = found === undefined ? 0 : found.at + delayAfter(failures, longestCodeMillis) - now
  if (wait > 0 && proved !== "RecoveryCode") return { outcome: { _tag: "Delayed", millis: wait }, removed }
  if (proved === undefined) {
    const stored = { place, failures: failures + 1, at: now, network }
    return {
      outcome: { _tag: "Wrong", failures: failures + 1 },
      stored,
      removed: removed.filter((one) => one !== place)
    }
  }
  // The count of all other places stays: a right code elsewhere does not give those who guess there another few tries.
  return { outcome: { _tag: "Right" }, removed: place === elsewhere ? removed : [...removed, place] }
}

/** What is reported to the person: wrong codes at other places than the device in use. */
export const codeNotice = (
  counts: ReadonlyArray<CodeCount>,
  device: string | undefined,
  now: number
): { readonly failures: number; readonly at: number; readonly network: string } | undefined => {
  const others = counts.filter(({ at, place }) => place !== device && now - at <= noticeMillis)
  const last = others.toSorted((one, other) => other.at - one.at)[0]
  if (last === undefined) return undefined
  const failures = others.reduce((sum, one) => sum + one.failures, 0)
  return { failures, at: last.at, network: last.network }
}
