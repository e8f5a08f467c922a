/**
 * Masks secrets in JSON text by the names next to them, in any order and spacing: a member whose name is secret, and the members of an object that
 * names a secret (`{"key":"WifiPassword","value":…}`). It reads the text's tokens, so that everything except the secrets stays as it was sent.
 */
import { Option, Schema } from "effect"
import { isDeeperThan, maxFrameDepth } from "./JsonBounds.ts"
import { isCredentialsHeader, isHeaderName, isSecretEntry, isSecretName, maskedValue } from "./SecretNames.ts"

/** Longest text that can be a name, including quotes, spaces and escapes (an escape takes six characters). */
const nameMost = 512

/** An object or array that is open while the text is read. */
interface Container {
  readonly isObject: boolean
  /** An array whose first item may name the others: `[["WifiPassword", …]]`. Arrays of objects' members are lists of names. */
  readonly isPair: boolean
  /** Name of the member that is being read. */
  name: string | undefined
  /** Where the value of that member, or the item of an array, begins; undefined between members. */
  valueFrom: number | undefined
  /** The secret that the object names. */
  names: string | undefined
  /** Members to hide if it names one. */
  readonly hideable: Array<Span>
}

interface Span {
  readonly from: number
  readonly to: number
}

interface Replaced extends Span {
  readonly by: string
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

const token = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^"{}[\],:]+/g

/** A name or a value normalised for comparison: without quotes, escapes and outer spaces. */
const plain = (text: string): string =>
  text
    .trim()
    .replace(/^"|"$/g, "")
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .trim()

/** A string without any of these characters contains neither JSON, nor a pair, nor a URL. */
const mayContain = /[=:<{\\]/

/** Members that name what the other members are about. */
const naming: ReadonlySet<string> = new Set([
  "key",
  "name",
  "parameter",
  "messageid",
  "id",
  "param",
  "parametername",
  "paramname",
  "keyname",
  "configkey",
  "field",
  "variable",
  "attribute",
  "property",
  "option",
  "setting",
  "item",
  "type"
])

/** Members beside such a name that are never secret. */
const harmless: ReadonlySet<string> = new Set(["key", "name", "parameter", "messageid", "id", "readonly", "vendorid"])

/** A JSON text with `at` and `to` of its parts that are masked, and by what. */
const reading = (text: string, inside: (text: string) => string) => {
  const found: Array<Replaced> = []
  const stack: Array<Container> = []
  const hide = ({ from, to }: Span, name: string): void => {
    const value = text.slice(from, to)
    if (isHidden(name, value)) found.push({ from, to, by: `"${maskedValue}"` })
  }
  /** A string that is not secret itself may contain JSON, a list of pairs or a URL. */
  const look = ({ from, to }: Span): void => {
    const value = text.slice(from, to).trim()
    if (!value.startsWith('"') || !mayContain.test(value)) return
    const given = Option.getOrElse(decodeText(value), () => plain(value))
    const shown = inside(given)
    if (shown !== given) found.push({ from, to, by: JSON.stringify(shown) })
  }
  /** The secret that a text names as a whole. The length limit prevents nested objects under the name `key` from being read once per level. */
  const namedBy = ({ from, to }: Span): string | undefined => {
    if (to - from > nameMost) return undefined
    const value = text.slice(from, to).trim()
    if (!value.startsWith('"')) return undefined
    const name = plain(value)
    return isSecretName(name) || isHeaderName(name) ? name : undefined
  }
  const endValue = (to: number, open: Container): void => {
    const { name, valueFrom: from } = open
    if (from === undefined) return
    const span = { from, to }
    open.valueFrom = undefined
    open.name = undefined
    if (!open.isObject) {
      if (!open.isPair) return look(span)
      const first = open.hideable.length === 0 && open.names === undefined ? namedBy(span) : undefined
      if (first === undefined) open.hideable.push(span)
      else open.names = first
      return look(span)
    }
    if (name === undefined) return
    const member = name.toLowerCase()
    if (isHidden(name, text.slice(from, to))) return hide(span, name)
    const named = naming.has(member) ? namedBy(span) : undefined
    open.names ??= named
    if (named === undefined && !harmless.has(member)) open.hideable.push(span)
    look(span)
  }
  const close = (at: number): void => {
    const open = stack.pop()
    if (open === undefined) return
    endValue(at, open)
    if (open.names !== undefined) for (const span of open.hideable) hide(span, open.names)
  }
  for (const match of text.matchAll(token)) {
    const [part] = match
    const open = stack.at(-1)
    if (part === "{" || part === "[") {
      if (open !== undefined && !open.isObject) open.valueFrom ??= match.index
      const isPair = part === "[" && open?.isObject !== true
      const between = { name: undefined, valueFrom: undefined, names: undefined, hideable: [] }
      stack.push({ isObject: part === "{", isPair, ...between })
    } else if (part === "}" || part === "]") close(match.index)
    else if (open === undefined) continue
    else if (part === ",") endValue(match.index, open)
    else if (!open.isObject) open.valueFrom ??= match.index
    else if (part === ":") open.valueFrom ??= match.index + 1
    else if (open.valueFrom === undefined && part.startsWith('"')) open.name = plain(part)
  }
  // A longer part comes first: what is inside it is hidden with it.
  return found.sort((a, b) => a.from - b.from || b.to - a.to || (a.by.length <= b.by.length ? -1 : 1))
}

/** Whether a member's value is secret by its name. Long values are no switches. */
const isHidden = (name: string, value: string): boolean =>
  value.length > nameMost
    ? isSecretName(name) || isCredentialsHeader(name, plain(value.slice(0, nameMost)))
    : isSecretEntry(name, plain(value))

const isJson = (text: string): boolean => Option.isSome(decode(text))

/**
 * The JSON text with its secrets replaced by `"***"`, and every other string by what `inside` makes of it. Undefined if the text is not JSON or
 * nests deeper than any message: if a quote is missing, it is unknown which parts are values.
 */
export const maskJson = (text: string, inside: (text: string) => string = (kept) => kept): string | undefined => {
  if (isDeeperThan(text, maxFrameDepth) || !isJson(text)) return undefined
  let masked = ""
  let done = 0
  for (const { by, from, to } of reading(text, inside)) {
    // It is inside a value that is hidden already.
    if (from < done) continue
    const value = text.slice(from, to)
    const indent = value.length - value.trimStart().length
    masked += text.slice(done, from + indent) + by
    done = from + Math.max(indent, value.trimEnd().length)
  }
  return masked + text.slice(done)
}
