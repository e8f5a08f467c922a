/** Templates and quirk books in a `FakeWorld`, by organisation. */
import { Effect } from "effect"
import type { Quirk } from "../../src/domain/charger/Quirks.ts"
import { Expectations, type Template } from "../../src/domain/charger/Expectations.ts"
import { driftOf } from "../../src/domain/decide/Templating.ts"
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

/** Its chargers with drift, all in one page. */
export const driftsIn = (world: FakeWorld, expected: Expectations["Service"], organisationId: string) =>
  Effect.gen(function* () {
    const { keys: template } = yield* expected.template(organisationId)
    const policy = { template, quirks: yield* expected.quirks(organisationId), heartbeatIntervalSeconds: 300 }
    const items = [...world.chargers.values()]
      .filter((charger) => charger.organisationId === organisationId)
      .map(({ chargerId, firmwareVersion, manufacturer, model, name, siteId, ...charger }) => ({
        chargerId,
        name,
        siteId,
        siteName: world.sites.get(siteId)?.name ?? "",
        manufacturer,
        model,
        firmwareVersion,
        keys: driftOf({ ...charger, chargerId, firmwareVersion, manufacturer, model }, policy),
        since: charger.updatedAt
      }))
    return { items: items.filter(({ keys }) => keys > 0), nextCursor: null }
  })
