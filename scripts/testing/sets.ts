/** The sets of test files, by location and name. `vitest.config.ts` makes projects of them, `select.ts` reads them. */

/** Tests that start a database, a listener or a process: by name, or by being in a folder where every test does. */
export const integration = ["test/**/*.integration.test.ts", "test/storage/**/*.test.ts", "test/runtime/**/*.test.ts"]

export const property = ["test/**/*.property.test.ts"]

/**
 * Tests that would double the time of `npm test`: whole services that run for minutes, every example of the documentation, histories in many orders,
 * and every method of OCPI in every variant.
 */
export const long = [
  "test/threats/**/*.test.ts",
  "test/examples/**/*.test.ts",
  "test/histories/**/*.integration.test.ts",
  "test/ocpi/matrix/*.integration.test.ts",
  "test/cases/FilesInBucket.integration.test.ts",
  "test/storage/{ActorState,ReservedStarts}.property.test.ts",
  "test/**/*.long.test.ts"
]

/** Pages in a browser. */
export const pages = ["test/console/**/*.test.ts"]

/** Integration tests of which one runtime proves as much as two: SQL in a database, and pages in a browser. */
export const independentOfRuntime = ["test/storage/*.test.ts", "test/storage/!(pglite)/**/*.test.ts", ...pages]

export const faults = ["test/faults/**/*.test.ts"]

export const postgresOnly = ["test/postgres-only/**/*.test.ts"]
