/** Awkward inputs, generated from a seed: arbitrary JSON, almost valid messages, and texts that are almost JSON. */
import type { Random } from "../../support/random.ts"

const specimens: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2147483648,
  2 ** 63,
  1e300,
  "",
  " ",
  "0",
  "12.5",
  "abc",
  "null",
  "NaN",
  "Infinity",
  "2026-11-20T10:00:00Z",
  "2026-11-20T10:00:00+02",
  "x".repeat(600),
  "\u0000",
  "\ud800",
  "😀",
  "__proto__",
  "AuthorizationKey",
  [],
  {},
  [[]],
  [null],
  [{}],
  { value: 1 }
]

const names = ["__proto__", "constructor", "toString", "key", "value", "status", "timestamp", "sampledValue", "", "x"]

/** Any JSON value, small and awkward. */
export const anyJson = (random: Random, depth = 3): unknown => {
  const kind = depth === 0 ? 0 : random.between(0, 3)
  if (kind < 2) return random.pick(specimens)
  const size = random.between(0, 3)
  if (kind === 2) return Array.from({ length: size }, () => anyJson(random, depth - 1))
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(names), anyJson(random, depth - 1)]))
}

/** A copy of a JSON value with one to three of its parts replaced, removed, duplicated or renamed. */
export const mutateJson = (random: Random, value: unknown): unknown => {
  let mutated = structuredClone(value)
  for (let n = 1 + random.between(0, 2); n > 0; n--) mutated = mutateOnce(random, mutated)
  return mutated
}

const mutateOnce = (random: Random, value: unknown): unknown => {
  if (random.next() < 0.2 || typeof value !== "object" || value === null) return anyJson(random, 2)
  if (Array.isArray(value)) {
    if (value.length === 0) return [anyJson(random, 1)]
    const i = random.between(0, value.length - 1)
    if (random.next() < 0.2) return value.toSpliced(i, 1)
    if (random.next() < 0.2) return value.toSpliced(i, 0, value[i])
    return value.with(i, mutateOnce(random, value[i]))
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return anyJson(random, 1)
  const i = random.between(0, entries.length - 1)
  const [name, member] = entries[i]!
  if (random.next() < 0.2) return Object.fromEntries(entries.toSpliced(i, 1))
  if (random.next() < 0.2) return Object.fromEntries([...entries, [random.pick(names), anyJson(random, 1)]])
  return Object.fromEntries(entries.with(i, [name, mutateOnce(random, member)]))
}

const bytes = [
  "[",
  "]",
  "{",
  "}",
  '"',
  ",",
  ":",
  "\\",
  "\\u",
  "\\ud800",
  "\0",
  "2",
  "-",
  "e9",
  "null",
  " ",
  "\n",
  "é",
  "\ud83d"
]

/** The text with one to four mutations: characters removed, inserted or replaced, parts repeated, or the rest cut off. */
export const mutateText = (random: Random, text: string): string => {
  let mutated = text
  for (let n = 1 + random.between(0, 3); n > 0; n--) {
    const i = random.between(0, mutated.length)
    const kind = random.between(0, 3)
    if (kind === 0) mutated = mutated.slice(0, i) + mutated.slice(i + 1 + random.between(0, 4))
    else if (kind === 1) mutated = mutated.slice(0, i) + random.pick(bytes) + mutated.slice(i)
    else if (kind === 2) mutated = mutated.slice(0, i) + random.pick(bytes) + mutated.slice(i + 1)
    else if (random.next() < 0.3) mutated = mutated.slice(0, i)
    else mutated = mutated.slice(0, i) + mutated.slice(Math.max(0, i - random.between(0, 19)))
  }
  return mutated
}
