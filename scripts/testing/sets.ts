/** The sets of test files, by where they live and how they are called. `vitest.config.ts` makes projects of them, `select.ts` reads them. */

/** Tests that start a database, a listener or a process: by name, or by living where everything does so. */
export const integration = ["test/**/*.integration.test.ts", "test/storage/**/*.test.ts", "test/runtime/**/*.test.ts"]

export const property = ["test/**/*.property.test.ts"]

/** What would double the time of `npm test`: whole services run for minutes, every example of the documentation, histories told and retold, every method of
 * OCPI in every habit. */
export const long = [
  "test/threats/**/*.test.ts",
  "test/examples/**/*.test.ts",
  "test/histories/**/*.integration.test.ts",
  "test/ocpi/matrix/*.integration.test.ts",
  "test/cases/FilesInBucket.integration.test.ts",
  "test/storage/{ActorState,ReservedStarts}.property.test.ts",
  "test/**/*.long.test.ts"
]

export const faults = ["test/faults/**/*.test.ts"]

export const postgresOnly = ["test/postgres-only/**/*.test.ts"]
