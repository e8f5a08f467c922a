/**
 * The databases of a run: the embedded one, and PostgreSQL if `TEST_DATABASE_URL` names a server. `TEST_DRIVERS=pglite` or `TEST_DRIVERS=postgres`
 * leaves out the other one, for a run that follows one with it.
 */
export const testUrl = process.env["TEST_DATABASE_URL"]

const chosen = process.env["TEST_DRIVERS"] ?? "both"
if (!["both", "pglite", "postgres"].includes(chosen))
  throw new Error(`TEST_DRIVERS is pglite, postgres or both, and not "${chosen}"`)
if (chosen === "postgres" && testUrl === undefined) throw new Error("TEST_DRIVERS=postgres needs TEST_DATABASE_URL")

export const tried = {
  PGlite: chosen !== "postgres",
  PostgreSQL: chosen !== "pglite" && testUrl !== undefined
} as const
