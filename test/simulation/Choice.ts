/**
 * Which cases a fault test runs this time. All instants and kinds of faults of a test are drawn from one seed, so that
 * a failure can be repeated: `FAULTS=full` runs all of them, `FAULTS=tenth` a seeded tenth of the same list. The seed
 * is printed with every figure.
 */
import { randomBytes } from "node:crypto"

/** A number in [0, 1), the next of a sequence that is determined by its seed. */
export type Random = () => number

export const seed = process.env["FAULTS_SEED"] ?? randomBytes(4).toString("hex")

export const isFull = process.env["FAULTS"] === "full"

/** FNV-1a: good enough to give every name a sequence of its own. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value >>> 0
}

/** The random sequence called `name` for this run's seed (mulberry32). */
export const randomOf = (name: string): Random => {
  let state = hash(`${seed}/${name}`)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let z = state
    z = Math.imul(z ^ (z >>> 15), z | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** An integer from `from` to `to`, both included. */
export const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1))

/** One of `items`. */
export const pick = <A>(random: Random, items: ReadonlyArray<A>): A => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error("nothing to pick from")
  return item
}

/** How many of `full` cases this run does: all, or `part` of them (a tenth, or fewer if each case takes long). */
export const share = (full: number, part: number): number => (isFull ? full : part)

/** The `full` cases of the test `name`, or a seeded choice of `part` of them, in their order. */
export const chosen = <A>(
  name: string,
  full: number,
  part: number,
  make: (random: Random, index: number) => A
): ReadonlyArray<A> => {
  const random = randomOf(name)
  const all = Array.from({ length: full }, (_, index) => make(random, index))
  const left = all.map((_, index) => index)
  const taken = new Set<number>()
  while (taken.size < share(full, part)) taken.add(left.splice(Math.floor(random() * left.length), 1)[0] ?? 0)
  return all.filter((_, index) => taken.has(index))
}

/** Prints what a test measured, with the seed that repeats it. */
export const report = (test: string, figures: Readonly<Record<string, string | number>>): void => {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  console.log(`${test} (FAULTS=${isFull ? "full" : "tenth"} FAULTS_SEED=${seed}): ${text.join(", ")}`)
}

/** The value below which `part` (0 … 1) of the `values` lie; 0 if there are none. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
