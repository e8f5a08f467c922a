/**
 * One running service for each test worker, with background intervals short enough for tests: starting one takes seconds of a processor, and a
 * test needs but an organisation of its own in it. A file whose tests look at the process itself, or at all that it holds, starts its own.
 */
import { Service, type ServiceSettings } from "./Process.ts"

/** How often the service of tests looks for work in the background, and how long it waits before its second try. */
export const backgroundMillis = 100

/** What suits tests: partners are on this machine, and nobody waits a second for what happens in the background. */
const testEnvironment: Readonly<Record<string, string>> = {
  OUTBOUND_ALLOW_PRIVATE: "true",
  BACKGROUND_INTERVAL_MILLIS: String(backgroundMillis)
}

interface Shared {
  service: Promise<Service> | undefined
}

/** Modules may be loaded anew for each file of a worker; this is not. */
const key = Symbol.for("voltlane.tests.sharedService")
const shared: Shared = ((globalThis as Record<symbol, unknown>)[key] ??= { service: undefined }) as Shared

/** Settings of a service for tests, with `env` over what suits them. */
export const testSettings = (env: Readonly<Record<string, string>> = {}): ServiceSettings => ({
  databaseUrl: process.env["CASES_DATABASE_URL"],
  env: { ...testEnvironment, ...env }
})

/** The service of this worker. One that has ended, by a test's fault or its own, is followed by another. */
export const sharedService = async (): Promise<Service> => {
  const before = await shared.service?.catch(() => undefined)
  if (before !== undefined && before.life.exit === undefined) return before
  await before?.[Symbol.asyncDispose]()
  shared.service = Service.start({ ...testSettings(), lifeline: true })
  return shared.service
}
