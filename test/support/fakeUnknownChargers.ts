/** Unknown chargers in a `FakeWorld`: only the test adds them. */
import { Effect } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { UnknownChargerAttempts, type UnknownCharger } from "../../src/domain/charger/UnknownChargerAttempts.ts"
import { type FakeWorld, paged } from "./fakeRecords.ts"

const worlds = new WeakMap<FakeWorld, Map<string, UnknownCharger>>()

/** The unknown chargers of a world by their ids; tests change them directly. */
export const unknownOf = (world: FakeWorld): Map<string, UnknownCharger> => {
  const known = worlds.get(world) ?? new Map<string, UnknownCharger>()
  worlds.set(world, known)
  return known
}

export const unknownChargers = (world: FakeWorld) =>
  UnknownChargerAttempts.of({
    attempted: () => {},
    list: (page) => world.ask(() => paged(unknownOf(world).values(), (one) => one.chargerId, page)),
    forget: (chargerId) =>
      world.write(() =>
        unknownOf(world).delete(chargerId)
          ? Effect.void
          : Effect.fail(new NotFound({ kind: "unknown charger", id: chargerId }))
      ),
    concernOnly: (organisationId) =>
      world.ask(() => Effect.succeed([...world.organisations.keys()].every((id) => id === organisationId)))
  })
