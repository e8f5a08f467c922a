/** Charging profiles and composite schedules in a `FakeWorld`, as the answers to commands would have left them. */
import { Effect } from "effect"
import type { SetProfile } from "../../src/domain/command/ChargingProfile.ts"
import { ChargingProfiles, type ReportedComposite } from "../../src/domain/command/ChargingProfiles.ts"
import { type FakeWorld, owned } from "./fakeRecords.ts"

interface Known {
  readonly inForce: Map<string, ReadonlyArray<SetProfile>>
  /** By `chargerId/evseId`. */
  readonly reported: Map<string, ReportedComposite>
}

const worlds = new WeakMap<FakeWorld, Known>()

/** The known profiles of a world; tests change it directly. */
export const profilesOf = (world: FakeWorld): Known => {
  const known = worlds.get(world) ?? { inForce: new Map(), reported: new Map() }
  worlds.set(world, known)
  return known
}

export const chargingProfiles = (world: FakeWorld) =>
  ChargingProfiles.of({
    inForce: (organisationId, chargerId) =>
      world.ask(() =>
        Effect.as(
          owned(world.chargers.get(chargerId), organisationId, "charger", chargerId),
          profilesOf(world).inForce.get(chargerId) ?? []
        )
      ),
    reported: (_, chargerId, evseId) =>
      world.ask(() => Effect.succeed(profilesOf(world).reported.get(`${chargerId}/${evseId}`)))
  })
