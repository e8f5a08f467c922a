/**
 * Names of time zones in the spelling of the IANA database. Partners' software looks them up by exact text, so `europe/berlin` would be unknown to it.
 * An alias stays itself: `Asia/Kolkata` does not become the older `Asia/Calcutta`, which the runtime would make of it.
 */

/** Aliases whose capitals follow no rule. */
const irregular: ReadonlyMap<string, string> = new Map(
  [
    "America/Argentina/ComodRivadavia",
    "Antarctica/DumontDUrville",
    "Antarctica/McMurdo",
    "US/East-Indiana",
    "America/Knox_IN",
    "GB-Eire",
    "NZ-CHAT",
    "W-SU"
  ].map((name) => [name.toLowerCase(), name])
)

/** Words within names that have no capital: Dar_es_Salaam, Port_of_Spain, Port-au-Prince. */
const small: ReadonlySet<string> = new Set(["au", "es", "of"])

const wordSpelled = (word: string): string => (small.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1))

/** Abbreviations such as US, GMT+5, UTC and EST5EDT have capitals only. */
const isAbbreviation = (segment: string): boolean =>
  /^(?:[a-z]{1,3}|(?:gmt|utc)[+-]?\d+|[a-z]{3}\d[a-z]{3})$/.test(segment)

const segmentSpelled = (segment: string, n: number, all: ReadonlyArray<string>): string =>
  isAbbreviation(segment) && segment !== "etc" && (n === 0 || all[0] === "etc")
    ? segment.toUpperCase()
    : segment.replaceAll(/[a-z]+/g, wordSpelled)

/** The name in its usual spelling. `name` is a valid name in any case of letters. */
export const timeZoneSpelled = (name: string): string => {
  const lower = name.toLowerCase()
  const known = Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone
  if (known.toLowerCase() === lower) return known
  return irregular.get(lower) ?? lower.split("/").map(segmentSpelled).join("/")
}
