/** The first migration: creates the schema from its files. They are read when it runs, in a fixed order, and run statement by statement. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"

/** In this order, since a file uses tables of the files before it. */
export const schemaFiles = [
  "kernel",
  "organisations",
  "accounts",
  "singlesignon",
  "chargers",
  "commands",
  "rollouts",
  "files",
  "tokens",
  "sessions",
  "statistics",
  "reservations",
  "locallists",
  "tariffs",
  "roaming",
  "locations",
  "subscriptions",
  "work",
  "views",
  "journal"
] as const

export const schemaDirectory = new URL("../schema/", import.meta.url)

/** The statements of a file. A semicolon within a comment, a string or a function's body ends none. */
const statementsOf = (text: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let statement = ""
  for (const [piece] of text.matchAll(/--[^\n]*|'(?:[^']|'')*'|(\$\w*\$)[^]*?\1|[^;'$-]+|[^]/g)) {
    if (piece === ";") {
      statements.push(statement.trim())
      statement = ""
    } else if (statement !== "" || !/^(?:--|\s+$)/.test(piece)) statement += piece
  }
  return statements
}

/** Makes the whole schema from the files of a directory. */
export const loadSchema = (directory: URL) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const name of schemaFiles) {
      const text = readFileSync(new URL(`${name}.sql`, directory), "utf8")
      for (const statement of statementsOf(text)) yield* sql.unsafe(statement)
    }
  })

export const baseline = loadSchema(schemaDirectory)
