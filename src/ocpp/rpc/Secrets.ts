/**
 * Removes secrets from frames before they are logged: passwords in configuration keys, private keys, and credentials in
 * URLs. In a configuration key the secret is next to its name, in any order and spacing. This reads the frame's tokens,
 * so that everything except the secret stays as it was sent.
 */
import { isDeeperThan, maxFrameDepth } from "../../domain/values/JsonBounds.ts"
import { readErrorCode } from "./ErrorCode.ts"
import { type CallError, isJson } from "./Frame.ts"

/** What replaces a secret. A string, so that the frame stays JSON. */
export const maskedValue = "***"

/** Longest text that can be the secret's name, including quotes, spaces and escapes (OCPP has 50 characters, an escape takes six). */
const keyMaxLength = 512

/** An object or array that is open while the text is read. */
interface Container {
  readonly isObject: boolean
  /** Name of the member that is being read. */
  name: string | undefined
  /** Where the value of that member begins; undefined between members. */
  valueFrom: number | undefined
  /** The object names the secret as its `key`. */
  isSecret: boolean
  /** Members to hide if it does. */
  readonly hideable: Array<Span>
}

interface Span {
  readonly from: number
  readonly to: number
}

const token = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^"{}[\],:]+/g

/** A name or string normalised for comparison: without quotes, escapes, outer spaces and case. */
const plain = (text: string): string =>
  text
    .trim()
    .replace(/^"|"$/g, "")
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .trim()
    .toLowerCase()

/** Members of a configuration key that are not secret. Every other member beside a secret's name is. */
const harmless: ReadonlySet<string> = new Set(["key", "readonly"])

const endMember = (at: number, open: Container, text: string, secret: string, hidden: Array<Span>): void => {
  const { name, valueFrom } = open
  if (name === undefined || valueFrom === undefined) return
  if (name === secret) hidden.push({ from: valueFrom, to: at })
  else if (!harmless.has(name)) open.hideable.push({ from: valueFrom, to: at })
  // The length limit prevents nested objects under the name `key` from being read once per level.
  else if (name === "key" && at - valueFrom <= keyMaxLength && plain(text.slice(valueFrom, at)) === secret) {
    open.isSecret = true
  }
  open.name = undefined
  open.valueFrom = undefined
}

/** The values that belong to `secret`, in order of position. */
const findSecrets = (text: string, secret: string): Array<Span> => {
  const hidden: Array<Span> = []
  const stack: Array<Container> = []
  const close = (at: number): void => {
    const open = stack.pop()
    if (open === undefined) return
    endMember(at, open, text, secret, hidden)
    if (open.isSecret) for (const span of open.hideable) hidden.push(span)
  }
  for (const match of text.matchAll(token)) {
    const [part] = match
    const open = stack.at(-1)
    if (part === "{" || part === "[") {
      stack.push({ isObject: part === "{", name: undefined, valueFrom: undefined, isSecret: false, hideable: [] })
    } else if (part === "}" || part === "]") close(match.index)
    else if (open === undefined || !open.isObject) continue
    else if (part === ",") endMember(match.index, open, text, secret, hidden)
    else if (part === ":") open.valueFrom ??= match.index + 1
    else if (open.valueFrom === undefined && part.startsWith('"')) open.name = plain(part)
  }
  return hidden.sort((a, b) => a.from - b.from)
}

/**
 * The frame with every value of the configuration key `secret` (lower case) replaced by `"***"`: the other members of
 * an object whose `key` it is, and members with that name. The rest of the text stays as it was. A text that is not
 * JSON, or nests deeper than any message, is hidden completely: if a quote is missing, it is unknown which parts are
 * values.
 */
export const maskConfigurationKey = (text: string, secret: string): string => {
  if (isDeeperThan(text, maxFrameDepth) || !isJson(text)) return maskedValue
  let masked = ""
  let done = 0
  for (const { from, to } of findSecrets(text, secret)) {
    // It is inside a value that is hidden already.
    if (from < done) continue
    const value = text.slice(from, to)
    const indent = value.length - value.trimStart().length
    masked += `${text.slice(done, from + indent)}"${maskedValue}"`
    done = from + Math.max(indent, value.trimEnd().length)
  }
  return masked + text.slice(done)
}

/** Hides a text that the charger worded; an empty one stays empty. */
export const hiddenText = (text: string): string => (text === "" ? "" : maskedValue)

/** The code of a CALLERROR, hidden if no version defines it. */
export const hiddenErrorText = (code: string): string => readErrorCode(code) ?? maskedValue

/** A CALLRESULT that shows nothing except its message id. */
export const hiddenResult = (messageId: string): string =>
  JSON.stringify([3, messageId, { [maskedValue]: maskedValue }])

/** A CALLERROR that shows only its message id, and its code if a version defines it. */
export const hiddenError = ({ code, description, details, messageId }: CallError): string =>
  JSON.stringify([
    4,
    messageId,
    hiddenErrorText(code),
    hiddenText(description),
    JSON.stringify(details) === "{}" ? {} : { [maskedValue]: maskedValue }
  ])

/** A private key in PEM. It ends with its own last line, or if that is missing with the string that contains it. */
const privateKey = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|(?=")|$)/g

/**
 * The text without private keys. No OCPP message has a field for one, but an operator may paste too much together with
 * a certificate.
 */
export const maskPrivateKeys = (text: string): string =>
  text.includes("PRIVATE KEY-----") ? text.replace(privateKey, maskedValue) : text

/**
 * A URL in plain text or in a JSON string, where a slash and an ampersand may be escaped. The scheme's length is
 * limited, so that backtracking is short.
 */
const url = /[a-z][a-z0-9+.-]{1,15}:(?:\\?\/){2}(?:[^"\\\s]|\\[/u])*/gi

/** The user name before a password, and that password: `ftp://name:password@host`. */
const password = /^([^/]*:(?:\\?\/){2}[^/:@]*:)[^/]*@/

/** Names of query parameters that give access to everyone who has the URL, including those of presigned S3 URLs. */
const credentials = /signature|token|credential|password|secret|[?&](?:sig|key|auth)=/i

/** The path of one-time URLs of the service's own file store. */
const ownFiles = /^(.*?\/files\\?\/)(.*)$/s

/** The service's own uploads and downloads: there the key comes first, and the file's name after it. */
const ownTransfer = /^((?:up|down)\\?\/).*$/s

/**
 * Hides the last segment of a path. Not with a regular expression, which would try every end of every segment. A
 * backslash belongs to the escaped slash after it.
 */
const maskLastSegment = (path: string): string => {
  const segments = path.split("/")
  const last = segments.findLastIndex((segment) => segment !== "" && segment !== "\\")
  return segments
    .map((segment, i) => (i === last ? maskedValue + (segment.endsWith("\\") ? "\\" : "") : segment))
    .join("/")
}

const maskUrl = (found: string): string => {
  const named = found.replace(password, `$1${maskedValue}@`)
  const end = named.search(/[?#]/)
  const address = end < 0 ? named : named.slice(0, end)
  const query = named.slice(address.length)
  const [, store, file = ""] = ownFiles.exec(address) ?? []
  const isKey = store !== undefined || credentials.test(query)
  const hidden = ownTransfer.test(file) ? file.replace(ownTransfer, `$1${maskedValue}`) : maskLastSegment(file)
  const path = store === undefined ? address : store + hidden
  return path + (isKey && query.length > 1 ? query.slice(0, 1) + maskedValue : query)
}

/**
 * The text with secrets in URLs replaced by `***`: passwords, queries with credentials, and in one-time URLs of our own
 * file store (`/files/` in the path) any query and the key, which is the last segment or follows `up` or `down`.
 */
export const maskUrls = (text: string): string =>
  text.includes(":/") || text.includes(":\\/") ? text.replace(url, maskUrl) : text
