/**
 * Randomness that can be had again: every property run draws from a seed, the failure names it, and `PROPERTY_SEED=<n>` repeats it.
 */

/** A generator of numbers in [0, 1) by its seed (mulberry32). */
export type Random = () => number

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export const below = (random: Random, n: number): number => Math.floor(random() * n)

export const pick = <A>(random: Random, from: ReadonlyArray<A>): A => from[below(random, from.length)]!

const firstSeed = (): number => {
  const given = process.env["PROPERTY_SEED"]
  return given === undefined ? Date.now() >>> 0 : Number(given)
}

/** Runs the property `times` times, each with a generator of its own; a failure says which seed shows it. */
export const property = (times: number, check: (random: Random) => void): void => {
  const first = firstSeed()
  for (let i = 0; i < times; i++) {
    const seed = (first + i) >>> 0
    try {
      check(randomOf(seed))
    } catch (cause) {
      throw new Error(`fails with PROPERTY_SEED=${seed}: ${String(cause)}`, { cause })
    }
  }
}

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
  const kind = depth === 0 ? 0 : below(random, 4)
  if (kind < 2) return pick(random, specimens)
  const size = below(random, 4)
  if (kind === 2) return Array.from({ length: size }, () => anyJson(random, depth - 1))
  return Object.fromEntries(Array.from({ length: size }, () => [pick(random, names), anyJson(random, depth - 1)]))
}

/** A copy of a JSON value with one to three places of it replaced, removed, doubled or renamed. */
export const mutateJson = (random: Random, value: unknown): unknown => {
  let mutated = structuredClone(value)
  for (let n = 1 + below(random, 3); n > 0; n--) mutated = mutateOnce(random, mutated)
  return mutated
}

const mutateOnce = (random: Random, value: unknown): unknown => {
  if (random() < 0.2 || typeof value !== "object" || value === null) return anyJson(random, 2)
  if (Array.isArray(value)) {
    if (value.length === 0) return [anyJson(random, 1)]
    const i = below(random, value.length)
    if (random() < 0.2) return value.toSpliced(i, 1)
    if (random() < 0.2) return value.toSpliced(i, 0, value[i])
    return value.with(i, mutateOnce(random, value[i]))
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return anyJson(random, 1)
  const i = below(random, entries.length)
  const [name, member] = entries[i]!
  if (random() < 0.2) return Object.fromEntries(entries.toSpliced(i, 1))
  if (random() < 0.2) return Object.fromEntries([...entries, [pick(random, names), anyJson(random, 1)]])
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

/** The text with one to four characters cut, doubled, or put in where they do not belong, or broken off. */
export const mutateText = (random: Random, text: string): string => {
  let mutated = text
  for (let n = 1 + below(random, 4); n > 0; n--) {
    const i = below(random, mutated.length + 1)
    const kind = below(random, 4)
    if (kind === 0) mutated = mutated.slice(0, i) + mutated.slice(i + 1 + below(random, 5))
    else if (kind === 1) mutated = mutated.slice(0, i) + pick(random, bytes) + mutated.slice(i)
    else if (kind === 2) mutated = mutated.slice(0, i) + pick(random, bytes) + mutated.slice(i + 1)
    else if (random() < 0.3) mutated = mutated.slice(0, i)
    else mutated = mutated.slice(0, i) + mutated.slice(Math.max(0, i - below(random, 20)))
  }
  return mutated
}
