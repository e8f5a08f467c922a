/**
 * Reports unknown names in a request together with the known ones. A misspelt name is never dropped: without it the rest may be valid and
 * mean more, for example a key with every permission, or another action of a charger (docs/decisions/0008).
 */
import { SchemaIssue } from "effect"
import { distance } from "../../../domain/values/Distance.ts"
import { type FieldIssue, issuesMax, pointerOf } from "../../Issues.ts"

/** Most known names that are listed, the nearest first: only a charging profile has more. */
const namesListed = 8

/** How much of an unknown name is compared: no known name is half as long, and a body may contain names of a megabyte. */
const comparedAtMost = 64

/** Known names by their similarity to the given one, ignoring case. */
export const nearest = (given: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = given.slice(0, comparedAtMost).toLowerCase()
  return known
    .map((name) => ({ name, far: distance(written, name.toLowerCase()) }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, namesListed)
    .map(({ name }) => name)
}

const namesOf = (issue: SchemaIssue.UnexpectedKey): ReadonlyArray<string> =>
  issue.ast._tag !== "Objects"
    ? []
    : // What is never there after decoding is taken and ignored, and never suggested.
      issue.ast.propertySignatures.filter(({ type }) => type._tag !== "Never").map(({ name }) => String(name))

const notKnownHere = "Is not a known name."

/** The message about an unknown name, with the known ones. */
export const notKnown = (given: string, known: ReadonlyArray<string>): string =>
  known.length === 0
    ? `${notKnownHere} No name is allowed here`
    : `${notKnownHere} Known names: ${nearest(given, known).join(", ")}`

const about = (issue: SchemaIssue.UnexpectedKey, key: string): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue({ message: notKnown(key, namesOf(issue)) })

/** The same issue, in which each unknown name is reported with the known names of its place; at most as many as one answer shows. */
export const withNearest = (issue: SchemaIssue.Issue): SchemaIssue.Issue => {
  let left = issuesMax
  const visit = (one: SchemaIssue.Issue): SchemaIssue.Issue => {
    if (left <= 0) return one
    switch (one._tag) {
      case "Pointer": {
        const { issue: inner, path } = one
        if (inner._tag !== "UnexpectedKey") return new SchemaIssue.Pointer(path, visit(inner))
        left--
        return new SchemaIssue.Pointer(path, about(inner, String(path[0])))
      }
      case "Composite": {
        const [first, ...rest] = one.issues
        return new SchemaIssue.Composite(one.ast, [visit(first), ...rest.map(visit)])
      }
      case "Encoding":
        return new SchemaIssue.Encoding(one.ast, visit(one.issue))
      case "AnyOf":
        return new SchemaIssue.AnyOf(one.ast, one.issues.map(visit))
      default:
        return one
    }
  }
  return visit(issue)
}

/**
 * Reports a query parameter that was given more than once and is invalid as such, and only once. A parameter that accepts several values is
 * valid.
 */
export const saidOnce = (issues: ReadonlyArray<FieldIssue>, url: string): ReadonlyArray<FieldIssue> => {
  const counts = new Map<string, number>()
  for (const name of new URL(url, "http://localhost").searchParams.keys()) {
    const pointer = pointerOf([name])
    counts.set(pointer, (counts.get(pointer) ?? 0) + 1)
  }
  const repeated = (pointer: string): boolean => (counts.get(pointer) ?? 0) > 1
  return issues
    .filter(({ pointer }, i) => !repeated(pointer) || issues.findIndex((one) => one.pointer === pointer) === i)
    .map((issue) =>
      repeated(issue.pointer) && !issue.detail.startsWith(notKnownHere)
        ? { ...issue, detail: "Must be given only once" }
        : issue
    )
}
