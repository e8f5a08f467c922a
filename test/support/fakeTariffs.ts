/** Tariffs in a `FakeWorld`, without versions and assignments: those are tested on real databases. */
import { Effect, Equal } from "effect"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import type { Tariff, TariffBody } from "../../src/domain/tariff/Tariff.ts"
import { windowOf } from "../../src/domain/values/Window.ts"
import { type FakeWorld, owned, paged } from "./fakeRecords.ts"

export const tariffs = (world: FakeWorld) => {
  const known = new Map<string, Tariff>()
  const own = (organisationId: string, id: string) => owned(known.get(id), organisationId, "tariff", id)
  return Tariffs.of({
    create: (body, { by, now }) =>
      world.write(() => {
        const id = world.uuid()
        const tariff = { id, organisationId: by.organisationId, version: 1, body, createdAt: now, updatedAt: now }
        known.set(id, tariff)
        return Effect.succeed(tariff)
      }),
    get: (organisationId, id) => world.ask(() => own(organisationId, id)),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...known.values()].filter((tariff) => tariff.organisationId === organisationId),
          (tariff) => tariff.id,
          page
        )
      ),
    offered: (organisationId, window) =>
      world.ask(() =>
        Effect.succeed(
          windowOf(
            [...known.values()].filter((tariff) => tariff.organisationId === organisationId),
            window
          )
        )
      ),
    offer: (organisationId, id) => world.ask(() => own(organisationId, id)),
    update: (id, patch, { by, now }) =>
      world.write(() =>
        Effect.map(own(by.organisationId, id), (before) => {
          const given = Object.entries({ ...before.body, ...patch }).filter(([, value]) => value !== null)
          const body = Object.fromEntries(given) as unknown as TariffBody
          if (Equal.equals(before.body, body)) return before
          const after = { ...before, version: before.version + 1, body, updatedAt: now }
          known.set(id, after)
          return after
        })
      ),
    remove: (id, { by }) => world.write(() => Effect.asVoid(own(by.organisationId, id))),
    assign: (id, _, { by }) => world.write(() => Effect.asVoid(own(by.organisationId, id))),
    unassign: (id, _, { by }) => world.write(() => Effect.asVoid(own(by.organisationId, id))),
    assignments: (organisationId, id) => world.ask(() => Effect.as(own(organisationId, id), [])),
    placed: () => world.ask(() => Effect.succeed({ items: [], nextCursor: null })),
    around: () => world.ask(() => Effect.succeed([])),
    runningSessions: (organisationId, id) => world.ask(() => Effect.as(own(organisationId, id), [])),
    coarseMeters: () => world.ask(() => Effect.succeed([])),
    ofSession: () => world.ask(() => Effect.undefined)
  })
}
