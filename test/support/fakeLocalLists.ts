/** Local lists in a `FakeWorld`: nothing updates them, and only the test says what is known of them. */
import { Effect } from "effect"
import type { ConfigurationKey } from "../../src/domain/command/ChargerCommand.ts"
import { LocalLists, type LocalListStatus } from "../../src/domain/command/LocalLists.ts"
import { type FakeWorld, owned } from "./fakeRecords.ts"

const worlds = new WeakMap<FakeWorld, Map<string, LocalListStatus>>()

/** The known state of the lists in a world, by charger; tests change it directly. */
export const localListsOf = (world: FakeWorld): Map<string, LocalListStatus> => {
  const known = worlds.get(world) ?? new Map<string, LocalListStatus>()
  worlds.set(world, known)
  return known
}

const unknown: LocalListStatus = {
  version: undefined,
  state: "Unknown",
  inStep: false,
  reason: undefined,
  updatedAt: undefined
}

const configurations = new WeakMap<FakeWorld, ReadonlyArray<ConfigurationKey>>()

/** Sets the list limits that all chargers of a world have reported. */
export const reportLimits = (world: FakeWorld, limits: Readonly<Record<string, string>>): void => {
  configurations.set(
    world,
    Object.entries(limits).map(([key, value]) => ({ key, value, readonly: true }))
  )
}

export const localLists = (world: FakeWorld) =>
  LocalLists.of({
    claim: () => Effect.succeed([]),
    changes: () => Effect.succeed([]),
    pending: () => Effect.void,
    caughtUp: () => Effect.void,
    unkept: () => Effect.void,
    forget: () => Effect.void,
    byHand: (organisationId, chargerId) =>
      world.ask(() =>
        Effect.as(owned(world.chargers.get(chargerId), organisationId, "charger", chargerId), {
          version: localListsOf(world).get(chargerId)?.version ?? 0,
          configuration: configurations.get(world) ?? []
        })
      ),
    status: (organisationId, chargerId) =>
      world.ask(() =>
        Effect.as(
          owned(world.chargers.get(chargerId), organisationId, "charger", chargerId),
          localListsOf(world).get(chargerId) ?? unknown
        )
      )
  })
