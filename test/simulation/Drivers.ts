/** The databases for fault tests: the embedded one, and PostgreSQL if `TEST_DATABASE_URL` is set. */
import { expect } from "vitest"
import { brokenRecords, onFiles, onPostgres, readStored, withPostgres, type Query } from "./Database.ts"
import { testUrl, tried } from "../support/tried.ts"
import type { Fleet } from "./Fleet.ts"
import { withService, type Service } from "./Process.ts"

/** What a test gets: the running service, and a way to read the stored data, which with the embedded database ends the service. */
export interface Subject {
  readonly service: Service
  readonly driver: "PGlite" | "PostgreSQL"
  readonly truth: (read: (query: Query) => Promise<void>) => Promise<void>
}

/** `run` runs `test` with a fresh service on this driver. */
export interface Driver {
  readonly name: Subject["driver"]
  /** This run has no such database. */
  readonly missing: boolean
  readonly run: (test: (subject: Subject) => Promise<void>) => Promise<void>
}

export const drivers: ReadonlyArray<Driver> = [
  {
    name: "PGlite",
    missing: !tried.PGlite,
    run: (test) =>
      withService({}, (service) =>
        test({
          service,
          driver: "PGlite",
          truth: async (read) => {
            if (service.life.exit === undefined) await service.kill("SIGTERM")
            await onFiles(service.dataDir, read)
          }
        })
      )
  },
  {
    name: "PostgreSQL",
    missing: !tried.PostgreSQL,
    run: (test) =>
      withPostgres(testUrl ?? "", (databaseUrl) =>
        withService({ databaseUrl }, (service) =>
          test({ service, driver: "PostgreSQL", truth: (read) => read(onPostgres(databaseUrl)) })
        )
      )
  }
]

/** For tests to which storage does not matter: a running PostgreSQL creates a fresh database ten times faster. */
export const quickest: Driver = drivers.findLast(({ missing }) => !missing) ?? drivers[0]!

/** The end of every test with traffic: all chargers have sent everything, and what is stored is what was acknowledged. */
export const expectNothingLost = async (fleet: Fleet, { truth }: Pick<Subject, "truth">): Promise<void> => {
  await fleet.settle()
  expect(await fleet.brokenOverRest(), "over REST").toEqual([])
  await fleet.stop()
  await truth(async (query) => {
    expect(await fleet.broken(() => readStored(query)), "by SQL").toEqual([])
    expect(await brokenRecords(query), "in the records").toEqual([])
  })
}
