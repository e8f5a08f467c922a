/**
 * Masks secrets in text from outside, in the notations that chargers, partners and operators use: JSON, lists of pairs (`user=a;password=b`), XML,
 * URLs with a password or a token, and private keys. Text without a secret is returned unchanged.
 */
import { maskJson } from "./SecretJson.ts"
import { isSecretEntry, isSecretName, maskedValue } from "./SecretNames.ts"

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

/** The key in the path of our own file store, with or without what comes before it. */
const ownPath = /(\/files\\?\/(?:up|down)\\?\/)[^/?#\s"'\\]{1,512}/gi

/** A query parameter; an ampersand may be escaped. */
const parameter = /((?:[?&]|\\u0026|%26)([\w.%[\]-]{1,64})=)([^&#\s"'\\]{1,2048})/gi

/** Names of parameters that are secret in a URL only: REST v1's keys, signatures, and what identity providers return. */
const secretParameters: ReadonlySet<string> = new Set(["code", "clientid", "state", "sig", "key", "auth", "t"])

const isSecretParameter = (name: string): boolean =>
  secretParameters.has(name.toLowerCase()) ||
  /signature|token|credential|password|secret/i.test(name) ||
  isSecretName(name)

/**
 * The text with secrets in addresses replaced, each alone: passwords, secret query parameters, and keys in the paths of our own file store. For
 * traces, logs and the exchanges with partners, where the rest of the address must stay readable.
 */
export const shownAddresses = (text: string): string => {
  const named = text.includes("@") ? text.replace(url, (found) => found.replace(password, `$1${maskedValue}@`)) : text
  const pathed = named.includes("files") ? named.replace(ownPath, `$1${maskedValue}`) : named
  return pathed.includes("=")
    ? pathed.replace(parameter, (all, before: string, name: string) =>
        isSecretParameter(name) ? before + maskedValue : all
      )
    : pathed
}

/** `name=value`, `name: "value"`; the value ends with the usual separators. All lengths are limited, so that backtracking is short. */
const pair = /([a-z][\w.-]{1,63})("?\s{0,4}[=:]\s{0,4})("[^"\n]{0,512}"|'[^'\n]{0,512}'|[^;,&|<>"'\r\n]{1,512})/gi

/** `<name>value</name>` */
const element = /(<(?:[\w.-]{1,32}:)?([\w.-]{1,64})(?:\s[^<>]{0,256})?>)([^<]{1,512})(?=<\/)/g

const quoted = /^(["'])(.*)\1$/s

const maskPairs = (text: string): string =>
  text
    .replace(element, (all, before: string, name: string, value: string) =>
      isSecretEntry(name, value) ? before + maskedValue : all
    )
    .replace(pair, (all, name: string, between: string, value: string) => {
      const [, quote = "", inner = value] = quoted.exec(value) ?? []
      return isSecretEntry(name, inner) ? name + between + quote + maskedValue + quote : all
    })

/** How often JSON may be written as a string in JSON: chargers' messages have it once, gateways add another. */
const nestedMost = 3

const shown = (text: string, depth: number): string => {
  const inside = depth < nestedMost ? (nested: string) => shown(nested, depth + 1) : undefined
  const named = (/^\s*[{[]/.test(text) ? maskJson(text, inside) : undefined) ?? maskPairs(text)
  return maskPrivateKeys(maskUrls(named))
}

/** The text as it may be stored and shown. */
export const shownText = (text: string): string => shown(text, 0)

/** The value of a configuration key as it may be stored and shown. */
export const shownValue = (key: string, value: string): string =>
  isSecretEntry(key, value) ? maskedValue : shownText(value)

/** True if the text names a secret anywhere, for text of unknown form. */
export const namesSecret = (text: string): boolean => {
  for (const [name] of text.matchAll(/[\p{L}\d][\p{L}\d_. -]{1,128}/gu)) if (isSecretName(name)) return true
  return false
}
