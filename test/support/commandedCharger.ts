/** For tests of commands with storage: the ports that they need, and a charger of an organisation of its own. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { NewCommand } from "../../src/domain/command/Command.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "./repositories.ts"

export const directoryOptions = {
  nodeId: "node-1",
  maxBatch: 500,
  maxQueue: 20_000,
  maxCards: 1000,
  maxCardBytes: 1_000_000
}

/** The directory of chargers, and the journal. */
export const directoryAndJournal = Layer.mergeAll(
  ChargerDirectoryStorage.layer(directoryOptions),
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 1000 })
)

/** The same with commands, and with limits on them. */
export const commandPorts = (caps: Pick<CommandsStorage.CommandsOptions, "maxWaiting" | "chargersPerMinute">) =>
  Layer.mergeAll(
    CommandsStorage.layer({ ...caps, nodeId: directoryOptions.nodeId, tls: true, clientCertificates: true }),
    directoryAndJournal
  )

export const ports = commandPorts({ maxWaiting: 3, chargersPerMinute: 2 }).pipe(Layer.provideMerge(repositories))

/** Registers a charger on profile 0 in an organisation that has a site. */
export const registerCharger = Effect.fnUntraced(function* (organisation: TestOrganisation, chargerId: string) {
  const registration = { chargerId, name: "One", siteId: undefined, securityProfile: 0 } as const
  yield* (yield* Chargers).register({ ...registration, passwordVerifier: undefined }, organisation.writing())
})

export const reset: ChargerCommand = { _tag: "Reset", kind: "Soft" }

/**
 * For commands that wait longer than any test. Every second, a loop ends commands that expired by the real clock, for which the tests' noon is in the
 * past.
 */
export const expiresInSeconds = 1e9

export const asking = (chargerId: string, more: Partial<NewCommand> = {}): NewCommand => ({
  chargerId,
  command: reset,
  parameters: { resetType: "Soft" },
  expiresInSeconds: undefined,
  ...more
})

let made = 0

/** An organisation with a charger of its own. */
export const world = Effect.gen(function* () {
  const organisation = yield* anOrganisation
  yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const register = Effect.fnUntraced(function* () {
    const chargerId = `COMMANDED-${++made}`
    yield* registerCharger(organisation, chargerId)
    return chargerId
  })
  return { organisation, register, chargerId: yield* register() }
})

export const connect = Effect.fnUntraced(function* (organisation: TestOrganisation, chargerId: string) {
  const state = yield* (yield* ChargerDirectory).open({
    chargerId,
    organisationId: organisation.id,
    ocppVersion: "1.6",
    securityProfile: 0,
    remoteAddress: "192.0.2.7",
    at: noon
  })
  if (state === undefined) return assert.fail("not registered")
  return state
})
