/**
 * The filter language: `is:faulted site:harbour firmware:<6.6 -is:offline "quay 1"`. All terms must match. Matching is by substring, never fuzzy, so
 * that a row that is shown contains what was typed.
 */
import type { Row, State } from "./fleet.ts"

export interface Term {
  readonly key: "is" | "site" | "firmware" | "model" | "text"
  readonly value: string
  readonly isNot: boolean
}

const keys: ReadonlySet<string> = new Set(["is", "site", "firmware", "model"])

export const parseFilter = (text: string): ReadonlyArray<Term> =>
  [...text.matchAll(/(-)?(?:(\w+):)?(?:"([^"]*)"?|([^\s"]+))/g)].flatMap(
    ([, not, key, quoted, plain]): ReadonlyArray<Term> => {
      const value = (quoted ?? plain ?? "").toLowerCase()
      if (value === "") return []
      const isKnown = key !== undefined && keys.has(key)
      return [
        {
          key: isKnown ? (key as Term["key"]) : "text",
          // A word before a colon that is no known key is part of the text.
          value: isKnown || key === undefined ? value : `${key.toLowerCase()}:${value}`,
          isNot: not !== undefined
        }
      ]
    }
  )

/** The values of `is:`, each with the states that it matches. */
export const groups: Readonly<Record<string, ReadonlyArray<State>>> = {
  attention: ["Faulted", "Offline"],
  charging: ["Charging", "SuspendedEV", "SuspendedEVSE"],
  paused: ["SuspendedEV", "SuspendedEVSE"],
  available: ["Available"],
  preparing: ["Preparing"],
  finishing: ["Finishing"],
  reserved: ["Reserved"],
  faulted: ["Faulted"],
  unavailable: ["Unavailable"],
  offline: ["Offline"],
  new: ["NeverConnected"]
}

/** Compares versions part by part: 6.10 is newer than 6.6. */
export const compareVersions = (a: string, b: string): number => {
  const parts = (text: string) => text.match(/\d+|[a-z]+/gi) ?? []
  const [x, y] = [parts(a), parts(b)]
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const [m = "", n = ""] = [x[i], y[i]]
    const both = /^\d+$/.test(m) && /^\d+$/.test(n)
    const order = both ? Number(m) - Number(n) : m.localeCompare(n)
    if (order !== 0) return order
  }
  return 0
}

const fitsFirmware = (firmware: string, wanted: string): boolean => {
  const [, sign = "", version = ""] = /^(<=|>=|<|>)?(.*)$/.exec(wanted) ?? []
  if (sign === "") return firmware.toLowerCase().includes(version)
  if (firmware === "") return false
  const order = compareVersions(firmware.toLowerCase(), version)
  return sign === "<" ? order < 0 : sign === "<=" ? order <= 0 : sign === ">" ? order > 0 : order >= 0
}

const fitsOne = (row: Row, { key, value }: Term): boolean => {
  switch (key) {
    case "is":
      return groups[value]?.includes(row.state) ?? row.state.toLowerCase().includes(value)
    case "site":
      return row.siteName.toLowerCase().includes(value)
    case "firmware":
      return fitsFirmware(row.firmware, value)
    case "model":
      return row.maker.toLowerCase().includes(value)
    case "text":
      return `${row.name}\n${row.id}\n${row.siteName}\n${row.maker}`.toLowerCase().includes(value)
  }
}

export const fits = (row: Row, words: ReadonlyArray<Term>): boolean =>
  words.every((word) => fitsOne(row, word) !== word.isNot)
