/**
 * Entity tags (RFC 9110 §8.8.3): strong, made of the bytes of an answer. Where an answer also has what a device reports, the tag has a part of its own
 * for what requests change, and `If-Match` looks at that part alone: a heartbeat is no lost update.
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

/** The tag of an answer with these bytes; `reported` are the fields that no request changes. */
export const tagOf = (body: Uint8Array, reported: ReadonlyArray<string>): string => {
  if (reported.length === 0) return `"${digest(body)}"`
  const written = without(readObject(new TextDecoder().decode(body)), new Set(reported))
  return `"${digest(JSON.stringify(written))}.${digest(body)}"`
}

/** The encodings whose answers have tags of their own, since other bytes have another strong tag. */
const encodings = /-(?:br|gzip)$/

/** The tag of the same answer in an encoding. */
export const encodedTag = (tag: string, encoding: string): string =>
  tag.replace(/^W\//, "").replace(/"$/, `-${encoding}"`)

/** The opaque parts of a list of tags as `If-Match` and `If-None-Match` have it; weak marks and encodings are no difference here. */
const opaque = (header: string): ReadonlyArray<string> =>
  [...header.matchAll(/(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, text = ""]) => text.replace(encodings, ""))

const isAny = (header: string): boolean => header.trim() === "*"

/** Whether `If-None-Match` names this tag: its sender has the answer already. */
export const isKnown = (header: string, tag: string): boolean =>
  isAny(header) || opaque(header).includes(opaque(tag)[0] ?? "")

const writtenPart = (text: string): string => text.split(".", 1)[0] ?? ""

/** Whether `If-Match` names the present state, as far as requests change it. */
export const isCurrent = (header: string, tag: string): boolean => {
  const [current = ""] = opaque(tag)
  return isAny(header) || opaque(header).some((text) => text !== "" && writtenPart(text) === writtenPart(current))
}
