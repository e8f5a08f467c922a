/**
 * Masks secrets in addresses: user names that are keys, passwords, secret parameters, and the keys in the paths of our own file store. Which
 * parameters are secret is the same wherever an address is shown.
 */
import { isSecretName, maskedValue } from "./SecretNames.ts"

/**
 * A URL in plain text or in a JSON string, where a slash and an ampersand may be escaped. The scheme's length is
 * limited, so that backtracking is short.
 */
const url = /[a-z][a-z0-9+.-]{1,15}:(?:\\?\/){2}(?:[^"\\\s]|\\[/u])*/gi

/** The user name before a password, and that password: `ftp://name:password@host`. */
const password = /^([^/]*:(?:\\?\/){2}[^/:@]*:)[^/]+@/

/** A user name without a password. Over HTTP it is a key or a token; FTP and SFTP have ordinary names there. */
const loneUser = /^((?:http|ws)s?:(?:\\?\/){2})[^/:@?#\\]+:?@/i

/** The URL without what precedes its host. */
const withoutUser = (found: string): string =>
  found.includes("@") ? found.replace(loneUser, `$1${maskedValue}@`).replace(password, `$1${maskedValue}@`) : found

/** Names of parameters that are secret in a URL only: REST v1's keys, signatures, and what identity providers return. */
const secretParameters: ReadonlySet<string> = new Set(["code", "clientid", "state", "sig", "key", "auth", "t", "hmac"])

/** Parts of names that are secret in a URL only. Those of a presigned URL have them, for example `X-Amz-Credential`. */
const secretParts = /signature|token|credential|password|secret/i

/** A name with its percent-encoding removed; the name itself if that is broken. */
const decoded = (name: string): string => {
  if (!name.includes("%")) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const isSecretParameter = (given: string): boolean => {
  const name = decoded(given)
  return secretParameters.has(name.toLowerCase()) || secretParts.test(name) || isSecretName(name)
}

/** A query parameter; an ampersand may be escaped. */
const parameter = /((?:[?&#]|\\u0026|%26)([\w.%[\]-]{1,64})=)([^&#\s"'\\]{1,2048})/gi

/** A parameter of a path: `ftp://host/file;password=…`. */
const pathParameter = /(;([\w.%-]{1,64})=)([^;/?#&\s"'\\]{1,2048})/gi

/** A query or a fragment, from its first character on, has a parameter that is secret. */
const hasSecretParameter = (query: string): boolean =>
  query.includes("=") &&
  (secretParts.test(query) ||
    query
      .split(/[?&#;]|\\u0026|%26/i)
      .some((part) => part.includes("=") && isSecretParameter(part.split("=", 1)[0] ?? "")))

const withoutPathParameters = (path: string): string =>
  path.includes(";")
    ? path.replace(pathParameter, (all, before: string, name: string) =>
        isSecretName(decoded(name)) ? before + maskedValue : all
      )
    : path

/** An address split before its query or fragment. */
const splitQuery = (address: string): readonly [string, string] => {
  const end = address.search(/[?#]/)
  return end < 0 ? [address, ""] : [address.slice(0, end), address.slice(end)]
}

/** The query itself, or only its first character and the mask. */
const shownQuery = (query: string, isKey = false): string =>
  query.length > 1 && (isKey || hasSecretParameter(query)) ? query.slice(0, 1) + maskedValue : query

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
  const [address, query] = splitQuery(withoutUser(found))
  const [, store, file = ""] = ownFiles.exec(address) ?? []
  const hidden = ownTransfer.test(file) ? file.replace(ownTransfer, `$1${maskedValue}`) : maskLastSegment(file)
  return withoutPathParameters(store === undefined ? address : store + hidden) + shownQuery(query, store !== undefined)
}

/**
 * The text with secrets in URLs replaced by `***`: what gives access before the host, queries with credentials, and in one-time URLs of our own
 * file store (`/files/` in the path) any query and the key, which is the last segment or follows `up` or `down`.
 */
export const maskUrls = (text: string): string =>
  text.includes(":/") || text.includes(":\\/") ? text.replace(url, maskUrl) : text

/** The key in the path of our own file store, with or without what comes before it. */
const ownPath = /(\/files\\?\/(?:up|down)\\?\/)[^/?#\s"'\\]{1,512}/gi

/**
 * The text with secrets in addresses replaced, each alone. For traces, logs and the exchanges with partners, where the rest of the address must
 * stay readable.
 */
export const shownAddresses = (text: string): string => {
  const named = text.includes("@") ? text.replace(url, withoutUser) : text
  const pathed = named.includes("files") ? named.replace(ownPath, `$1${maskedValue}`) : named
  return pathed.includes("=")
    ? withoutPathParameters(pathed).replace(parameter, (all, before: string, name: string) =>
        isSecretParameter(name) ? before + maskedValue : all
      )
    : pathed
}

/**
 * The location of a file, which is one URL as a whole, in the form in which it may be stored and shown: only the charger may have its secrets. The
 * name of one of our own files is kept.
 */
export const shownLocation = (location: string): string => {
  const [address, query] = splitQuery(withoutUser(location.trimStart()))
  return withoutPathParameters(address.replace(ownPath, `$1${maskedValue}`)) + shownQuery(query)
}
