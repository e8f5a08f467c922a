/**
 * `Authorization: Token …`. The value is the token itself or its Base64, and partners of every version do either (OCPI 2.2.1 §4.1.1 warns
 * of it). Both readings are looked up, the plain token first, so that no partner can be mistaken for another.
 */

/** The standard allows 64 characters. Their Base64 with padding has 88, and some partners encode a line feed too. */
const valueMax = 128

const token = /^[\u0021-\u007e]{1,64}$/

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/

const decoded = (value: string): string | undefined => {
  if (!base64.test(value)) return undefined
  const text = Buffer.from(value.replaceAll("-", "+").replaceAll("_", "/"), "base64").toString("utf8")
  // The standard's samples end in a line feed, and partners that copied them send one.
  return text.replace(/\r?\n$/, "")
}

/** The possible tokens in a header, the likelier first; empty if the header is invalid. */
export const tokensOf = (header: string | undefined): ReadonlyArray<string> => {
  const found = /^token +(\S+)\s*$/i.exec(header ?? "")
  const value = found?.[1]
  if (value === undefined || value.length > valueMax) return []
  const readings = [value, decoded(value)].filter((one): one is string => one !== undefined && token.test(one))
  return [...new Set(readings)]
}

/** Why a header has no known token. */
export const whyUnknown = (header: string | undefined): "NoHeader" | "NoToken" | "Unknown" => {
  if (header === undefined || header.trim() === "") return "NoHeader"
  return /^token +\S/i.test(header) ? "Unknown" : "NoToken"
}

/** The header of a call with a token. */
export const tokenHeader = (value: string, form: "Raw" | "Base64"): string =>
  `Token ${form === "Raw" ? value : Buffer.from(value, "utf8").toString("base64")}`
