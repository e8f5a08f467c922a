/**
 * One running service for each test worker, with background intervals short enough for tests. Starting one takes seconds of CPU, and a test only
 * needs an organisation of its own in it. A file whose tests check the process itself, or everything that it holds, starts its own.
 */
import { Service, type ServiceSettings } from "./Process.ts"

/** How often the service in tests looks for work in the background, and how long it waits before its second attempt, in ms. */
export const backgroundMillis = 100

/** Settings for tests: partners are on this machine, and background work must not take a second. */
const testEnvironment: Readonly<Record<string, string>> = {
  OUTBOUND_ALLOW_PRIVATE: "true",
  BACKGROUND_INTERVAL_MILLIS: String(backgroundMillis)
}

interface Shared {
  service: Promise<Service> | undefined
}

/** Modules may be loaded again for each file of a worker; this value stays. */
const key = Symbol.for("voltlane.tests.sharedService")
const shared: Shared = ((globalThis as Record<symbol, unknown>)[key] ??= { service: undefined }) as Shared

/** Settings of a service for tests, with `env` overriding the settings above. */
export const testSettings = (env: Readonly<Record<string, string>> = {}): ServiceSettings => ({
  databaseUrl: process.env["CASES_DATABASE_URL"],
  env: { ...testEnvironment, ...env }
})

/** The service of this worker. If it has ended, because of a test or by itself, a new one is started. */
export const sharedService = async (): Promise<Service> => {
  const before = await shared.service?.catch(() => undefined)
  if (before !== undefined && before.life.exit === undefined) return before
  await before?.[Symbol.asyncDispose]()
  shared.service = Service.start({ ...testSettings(), lifeline: true })
  return shared.service
}
