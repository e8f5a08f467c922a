/** What a fault test runs on: the embedded database, and PostgreSQL where `TEST_DATABASE_URL` names one. */
import { expect } from "vitest"
import { brokenRecords, onFiles, onPostgres, readStored, withPostgres, type Query } from "./Database.ts"
import { testUrl, tried } from "../support/tried.ts"
import type { Fleet } from "./Fleet.ts"
import { withService, type Service } from "./Process.ts"

/** What a test is given: the running service, and the way to the stored truth, which for the embedded one ends the service. */
export interface Subject {
  readonly service: Service
  readonly driver: "PGlite" | "PostgreSQL"
  readonly truth: (read: (query: Query) => Promise<void>) => Promise<void>
}

/** `run` gives `test` a fresh service on this driver. */
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

/** For tests that storage does not matter to: a fresh database is made ten times faster by a PostgreSQL that runs. */
export const quickest: Driver = drivers.findLast(({ missing }) => !missing) ?? drivers[0]!

/** The end of every test with traffic: everybody has told everything, and what stands is what was acknowledged. */
export const expectNothingLost = async (fleet: Fleet, { truth }: Pick<Subject, "truth">): Promise<void> => {
  await fleet.settle()
  expect(await fleet.brokenOverRest(), "over REST").toEqual([])
  await fleet.stop()
  await truth(async (query) => {
    expect(await fleet.broken(() => readStored(query)), "by SQL").toEqual([])
    expect(await brokenRecords(query), "in the records").toEqual([])
  })
}
