/**
 * What the journal stores of a change of a record: only the fields that differ, and those that identify the record. A record that was created or
 * removed is stored as a whole. Without this, a change of one letter in a large site would store the whole site twice.
 */
import { Equal } from "effect"

type Fields = Readonly<Record<string, unknown>>

/**
 * Fields that are stored in any case: they name the record, and readers of the journal (events, webhooks, partners) need them also if they are
 * unchanged. All are short.
 */
const identifying: ReadonlySet<string> = new Set([
  "id",
  "uid",
  "chargerId",
  "clientId",
  "operatorId",
  "partnerId",
  "sessionId",
  "tariffId",
  "siteId",
  "scope",
  "name",
  "kind",
  "type",
  "status",
  "state",
  "active",
  "valid",
  "version",
  "targets",
  "pauseReason"
])

/** Fields by which an element of a list is found again, in the order of preference. */
const elementKeys: ReadonlyArray<ReadonlyArray<string>> = [
  ["evseId", "connectorId"],
  ["evseId"],
  ["id"],
  ["uid"],
  ["key"],
  ["language"],
  ["url"]
]

/** The longest text of a record that was created or removed: more than a site or a tariff has. */
export const recordMaxLength = 128 * 1024

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isListOfFields = (value: unknown): value is ReadonlyArray<Fields> => Array.isArray(value) && value.every(isFields)

interface Difference {
  readonly before: unknown
  readonly after: unknown
}

/** The names of the fields that identify each element of both lists uniquely; undefined if there are none. */
const keyOf = (lists: ReadonlyArray<ReadonlyArray<Fields>>): ReadonlyArray<string> | undefined =>
  elementKeys.find((names) =>
    lists.every((list) => {
      const found = new Set(list.map((one) => JSON.stringify(names.map((name) => one[name]))))
      return found.size === list.length && list.every((one) => names.every((name) => one[name] !== undefined))
    })
  )

const differenceOfFields = (before: Fields, after: Fields, kept: ReadonlySet<string>): Difference => {
  const [old, fresh]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}]
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]]
    const isSame = Equal.equals(was, is)
    if (isSame && !kept.has(name)) continue
    const difference = isSame ? { before: was, after: is } : differenceOf(was, is)
    if (difference.before !== undefined) old[name] = difference.before
    if (difference.after !== undefined) fresh[name] = difference.after
  }
  return { before: old, after: fresh }
}

/** Of elements with an id, those that differ, each with its id and the fields that differ. If only their order differs, the whole lists. */
const differenceOfKeyed = (
  before: ReadonlyArray<Fields>,
  after: ReadonlyArray<Fields>,
  names: ReadonlyArray<string>
): Difference => {
  const idOf = (one: Fields): string => JSON.stringify(names.map((name) => one[name]))
  const [olds, freshes] = [before, after].map((list) => new Map(list.map((one) => [idOf(one), one])))
  const [old, fresh]: [Array<unknown>, Array<unknown>] = [[], []]
  for (const id of new Set([...olds!.keys(), ...freshes!.keys()])) {
    const [was, is] = [olds!.get(id), freshes!.get(id)]
    if (was !== undefined && is !== undefined) {
      if (Equal.equals(was, is)) continue
      const difference = differenceOfFields(was, is, new Set(names))
      old.push(difference.before)
      fresh.push(difference.after)
    } else if (was !== undefined) old.push(was)
    else fresh.push(is)
  }
  return old.length === 0 && fresh.length === 0 ? { before, after } : { before: old, after: fresh }
}

/** Of elements without an id, those between the first and the last that differ. */
const differenceOfOrdered = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): Difference => {
  const most = Math.min(before.length, after.length)
  let begin = 0
  while (begin < most && Equal.equals(before[begin], after[begin])) begin++
  let end = 0
  while (end < most - begin && Equal.equals(before.at(-1 - end), after.at(-1 - end))) end++
  return { before: before.slice(begin, before.length - end), after: after.slice(begin, after.length - end) }
}

const differenceOf = (before: unknown, after: unknown): Difference => {
  if (isFields(before) && isFields(after)) return differenceOfFields(before, after, new Set())
  // Lists of texts and numbers are short, and readable only as a whole.
  if (!isListOfFields(before) || !isListOfFields(after)) return { before, after }
  const names = keyOf([before, after])
  return names === undefined ? differenceOfOrdered(before, after) : differenceOfKeyed(before, after, names)
}

/** The record, with its longest fields replaced by their lengths until it is short enough. */
const cut = (record: Fields): Fields => {
  const lengths = Object.entries(record)
    .map(([name, value]) => ({ name, length: (JSON.stringify(value) ?? "").length }))
    .toSorted((one, other) => other.length - one.length)
  let left = lengths.reduce((sum, { length, name }) => sum + length + name.length, 0)
  if (left <= recordMaxLength) return record
  const short: Record<string, unknown> = { ...record }
  for (const { length, name } of lengths) {
    if (left <= recordMaxLength) break
    short[name] = `… (${length} characters)`
    left -= length
  }
  return short
}

/** Money is not abbreviated: these facts decide prices and records, and are short. */
const wholeTypes = /^(Session|Cdr)/

/** The body of a fact in the form in which it is stored. */
export const storedBody = (type: string, body: object): object => {
  if (!("by" in body) || wholeTypes.test(type)) return body
  const { after, before } = body as { readonly before?: unknown; readonly after?: unknown }
  if (!isFields(before) || !isFields(after)) {
    return {
      ...body,
      ...(isFields(before) ? { before: cut(before) } : {}),
      ...(isFields(after) ? { after: cut(after) } : {})
    }
  }
  const difference = differenceOfFields(before, after, identifying)
  return { ...body, before: cut(difference.before as Fields), after: cut(difference.after as Fields) }
}
