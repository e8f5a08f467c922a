/**
 * Entity tags (RFC 9110 §8.8.3): strong, made from the bytes of an answer. If an answer also contains fields that devices report, the tag
 * has a separate part for what requests can change. `If-Match` compares only that part, so that a heartbeat does not cause a 412.
 */
import { createHash } from "node:crypto"
import { Schema } from "effect"

const digest = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 22)

const readObject = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))

/** The value without any field of these names, at any depth. */
const without = (value: unknown, names: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => without(one, names))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !names.has(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, without(one, names)]))
}

/** The tag of an answer with these bytes. `reported` are the fields that no request can change. */
export const tagOf = (body: Uint8Array, reported: ReadonlyArray<string>): string => {
  if (reported.length === 0) return `"${digest(body)}"`
  const written = without(readObject(new TextDecoder().decode(body)), new Set(reported))
  return `"${digest(JSON.stringify(written))}.${digest(body)}"`
}

/** The suffixes of compressed answers' tags: other bytes need another strong tag. */
const encodings = /-(?:br|gzip)$/

/** The tag of the same answer when compressed. */
export const encodedTag = (tag: string, encoding: string): string =>
  tag.replace(/^W\//, "").replace(/"$/, `-${encoding}"`)

/** The opaque parts of the tags in `If-Match` or `If-None-Match`, without weak marks and encodings. */
const opaque = (header: string): ReadonlyArray<string> =>
  [...header.matchAll(/(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, text = ""]) => text.replace(encodings, ""))

const isAny = (header: string): boolean => header.trim() === "*"

/** Whether `If-None-Match` contains this tag: then the client already has the answer. */
export const isKnown = (header: string, tag: string): boolean =>
  isAny(header) || opaque(header).includes(opaque(tag)[0] ?? "")

const writtenPart = (text: string): string => text.split(".", 1)[0] ?? ""

/** Whether `If-Match` names the current state, as far as requests can change it. */
export const isCurrent = (header: string, tag: string): boolean => {
  const [current = ""] = opaque(tag)
  return isAny(header) || opaque(header).some((text) => text !== "" && writtenPart(text) === writtenPart(current))
}
