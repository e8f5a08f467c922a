/**
 * Fields that a command or a tariff does not have, said with the names that it does. A command is a physical act: one that goes out without the
 * parameter somebody misspelt may mean another act, and so it does not go out; nor does a tariff without the VAT that was meant (docs/decisions/0008).
 */
import { SchemaIssue } from "effect"
import { issuesMax } from "../Issues.ts"

/** Names that are told of one place, the nearest first: more than anything but a charging profile has. */
const namesTold = 8

/** How many letters must be put in, taken out or changed to make `b` of `a` (Levenshtein). */
const distance = (a: string, b: string): number => {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    above = row
  }
  return above[b.length]!
}

/** Longest unknown name that is compared: no known one is half as long, and a body may hold names of a megabyte. */
const comparedAtMost = 64

/** Known names by how near they are to the one given, whatever the case. */
export const nearest = (given: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = given.slice(0, comparedAtMost).toLowerCase()
  return known
    .map((name) => ({ name, far: distance(written, name.toLowerCase()) }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, namesTold)
    .map(({ name }) => name)
}

const namesOf = (issue: SchemaIssue.UnexpectedKey): ReadonlyArray<string> =>
  issue.ast._tag !== "Objects"
    ? []
    : // What is never there after decoding is taken and ignored: nobody is told to write that.
      issue.ast.propertySignatures.filter(({ type }) => type._tag !== "Never").map(({ name }) => String(name))

const about = (issue: SchemaIssue.UnexpectedKey, key: string): SchemaIssue.Issue => {
  const names = nearest(key, namesOf(issue))
  return new SchemaIssue.InvalidValue({ message: `Is not known here. Known are ${names.join(", ")}` })
}

/** The same issue, each unknown name in it said with the known names of its place; no more of them than one answer shows. */
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
