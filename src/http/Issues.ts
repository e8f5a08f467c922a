/** Turns a failed decoding of a body or query into messages for people. Each issue has its place; the rejected value is never shown. */
import { SchemaIssue } from "effect"

/** Most issues in one answer. A body of 1 MiB can have half a million, and a reader needs no more than fit on a screen. */
export const issuesMax = 100

const leaf = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "MissingKey") return "Is missing"
  if (issue._tag === "UnexpectedKey") return "Is not a known name"
  if (issue._tag === "InvalidType" && issue.ast._tag === "Objects") return "Must be a JSON object"
  return SchemaIssue.defaultLeafHook(issue)
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leaf })

const escapeSegment = (segment: string): string => segment.replaceAll("~", "~0").replaceAll("/", "~1")

/** The JSON Pointer (RFC 6901) for a path. */
export const pointerOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((segment) => `/${escapeSegment(String(segment))}`).join("")

export interface FieldIssue {
  /** JSON Pointer (RFC 6901) into the body, or `/name` for a query parameter. */
  readonly pointer: string
  readonly detail: string
}

/** Every issue with its JSON Pointer, at most `issuesMax`. */
export const fieldIssues = (issue: SchemaIssue.Issue): ReadonlyArray<FieldIssue> =>
  format(issue)
    .issues.slice(0, issuesMax)
    .map(({ message, path }) => ({
      pointer: pointerOf((path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))),
      detail: message
    }))

/** Every issue as one line. */
export const messages = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  fieldIssues(issue).map(({ detail, pointer }) => (pointer === "" ? detail : `${pointer}: ${detail}`))
