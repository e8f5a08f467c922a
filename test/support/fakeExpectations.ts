/** Templates and quirk books in a `FakeWorld`, by organisation. */
import { Effect } from "effect"
import type { Quirk } from "../../src/domain/charger/Quirks.ts"
import { Expectations, type Template } from "../../src/domain/charger/Expectations.ts"
import type { FakeWorld } from "./fakeRecords.ts"

const none: Template = { keys: [], updatedAt: undefined }

export const expectations = (world: FakeWorld) => {
  const templates = new Map<string, Template>()
  const books = new Map<string, ReadonlyArray<Quirk>>()
  return Expectations.of({
    template: (organisationId) => world.ask(() => Effect.succeed(templates.get(organisationId) ?? none)),
    setTemplate: (keys, { by, now }) =>
      world.write(() => {
        const template = { keys, updatedAt: now }
        templates.set(by.organisationId, template)
        return Effect.succeed(template)
      }),
    quirks: (organisationId) => world.ask(() => Effect.succeed(books.get(organisationId) ?? [])),
    setQuirks: (rules, { by }) =>
      world.write(() => {
        books.set(by.organisationId, rules)
        return Effect.succeed(rules)
      }),
    fleets: (organisationId) =>
      world.ask(() =>
        Effect.succeed(
          [...world.chargers.values()]
            .filter((charger) => charger.organisationId === organisationId && charger.manufacturer !== "")
            .map(({ chargerId, firmwareVersion, manufacturer, model }) => ({
              vendor: manufacturer,
              model,
              firmwareVersion,
              chargers: 1,
              chargerIds: [chargerId]
            }))
        )
      )
  })
}
