/** Sites and chargers in memory, for tests of the layers above their repositories. */
import { Effect } from "effect"
import { describedEquipment, describedEvses } from "../../src/domain/charger/Describing.ts"
import { Conflict } from "../../src/domain/Errors.ts"
import { siteDetailsOf, siteFieldsOf } from "../../src/domain/site/Details.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { countsOf, fleetOf, stateOf } from "./fakeFleet.ts"
import { type FakeWorld, newCharger, owned, paged, patched, siteFor, mentions } from "./fakeRecords.ts"

export const sites = (world: FakeWorld) =>
  Sites.of({
    create: (input, { by, now }) =>
      world.write(() => {
        const site = {
          id: world.uuid(),
          groupId: world.nextGroupId(),
          organisationId: by.organisationId,
          name: input.name,
          timeZone: input.timeZone ?? world.organisations.get(by.organisationId)?.timeZone ?? "UTC",
          streetAddress: input.streetAddress,
          streetNumber: input.streetNumber,
          houseLetter: input.houseLetter,
          postalNumber: input.postalNumber,
          city: input.city,
          area: input.area,
          country: input.country,
          latitude: input.latitude,
          longitude: input.longitude,
          openingHours: input.openingHours,
          ...siteFieldsOf(siteDetailsOf(input)),
          cpoPartyId: input.cpoPartyId,
          createdAt: now,
          updatedAt: now
        }
        world.sites.set(site.id, site)
        return Effect.succeed(site)
      }),
    get: (organisationId, id) => world.ask(() => owned(world.sites.get(id), organisationId, "site", id)),
    byIds: (organisationId, ids) =>
      world.ask(() =>
        Effect.succeed(
          [...world.sites.values()].filter((site) => site.organisationId === organisationId && ids.includes(site.id))
        )
      ),
    byGroupId: (organisationId, groupId) =>
      world.ask(() =>
        owned(
          [...world.sites.values()].find((site) => site.groupId === groupId),
          organisationId,
          "group",
          String(groupId)
        )
      ),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...world.sites.values()].filter((site) => site.organisationId === organisationId),
          (site) => site.id,
          page
        )
      ),
    update: (id, patch, { by, now }) =>
      world.write(() =>
        Effect.map(owned(world.sites.get(id), by.organisationId, "site", id), (site) => {
          const changed = patched(site, patch, now)
          world.sites.set(id, changed)
          return changed
        })
      ),
    remove: (id, { by }) =>
      world.write(() =>
        Effect.flatMap(owned(world.sites.get(id), by.organisationId, "site", id), () => {
          const used = [...world.chargers.values()].some((charger) => charger.siteId === id)
          if (used) return Effect.fail(new Conflict({ code: "site_not_empty", message: "Chargers stand there." }))
          world.sites.delete(id)
          return Effect.void
        })
      )
  })
export const chargers = (world: FakeWorld) =>
  Chargers.of({
    register: (registration, { by, now }) =>
      world.write(() =>
        Effect.flatMap(siteFor(world, by.organisationId, registration.siteId), (site) => {
          if (world.chargers.has(registration.chargerId)) {
            return Effect.fail(new Conflict({ code: "charger_id_in_use", message: "That chargerId is taken." }))
          }
          const charger = newCharger({ ...registration, siteId: site.id }, by.organisationId, now)
          world.chargers.set(charger.chargerId, charger)
          if (registration.passwordVerifier !== undefined) {
            world.passwords.set(charger.chargerId, registration.passwordVerifier)
          }
          return Effect.succeed(charger)
        })
      ),
    get: (organisationId, chargerId) =>
      world.ask(() => owned(world.chargers.get(chargerId), organisationId, "charger", chargerId)),
    withSecrets: (organisationId, chargerId) =>
      world.ask(() => owned(world.chargers.get(chargerId), organisationId, "charger", chargerId)),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...world.chargers.values()].filter(
            (charger) =>
              charger.organisationId === organisationId &&
              (page.siteId === undefined || charger.siteId === page.siteId) &&
              (page.connected === undefined || charger.connected === page.connected) &&
              (page.status === undefined ||
                [charger.wholeStatus, ...charger.connectors.map(({ status }) => status)].includes(page.status)) &&
              (page.firmwareVersion === undefined || charger.firmwareVersion === page.firmwareVersion) &&
              (page.model === undefined || charger.model === page.model) &&
              mentions([charger.chargerId, charger.name, charger.serialNumber, charger.model], page.text)
          ),
          (charger) => charger.chargerId,
          page
        )
      ),
    summaries: (organisationId, page) =>
      world.ask(() =>
        paged(
          fleetOf(world, organisationId, page).filter(
            (one) =>
              (page.connected === undefined || one.connected === page.connected) &&
              (page.firmwareVersion === undefined || one.firmwareVersion === page.firmwareVersion) &&
              (page.states === undefined || page.states.includes(stateOf(one)))
          ),
          (one) => one.chargerId,
          page
        )
      ),
    counts: (organisationId, filter, now) =>
      world.ask(() => Effect.succeed(countsOf(fleetOf(world, organisationId, filter), now))),
    countsOfSites: (organisationId, siteIds, now) =>
      world.ask(() =>
        Effect.succeed(
          new Map(siteIds.map((siteId) => [siteId, countsOf(fleetOf(world, organisationId, { siteId }), now)]))
        )
      ),
    update: (chargerId, { equipment, evses, passwordVerifier, ...patch }, { by, now }) =>
      world.write(() =>
        Effect.gen(function* () {
          const charger = yield* owned(world.chargers.get(chargerId), by.organisationId, "charger", chargerId)
          if (patch.siteId !== undefined) yield* siteFor(world, by.organisationId, patch.siteId)
          const connectors = charger.connectors.map((connector) => {
            const given = equipment?.find(
              (one) => one.evseId === connector.evseId && one.connectorId === connector.connectorId
            )
            if (given === undefined) return connector
            const { connectorId, evseId } = connector
            const existing = connector.equipment === undefined ? [] : [{ evseId, connectorId, ...connector.equipment }]
            return { ...connector, equipment: describedEquipment(existing, [given])[0] }
          })
          const described = describedEvses(charger.evses ?? [], evses ?? [])
          const changed = { ...patched(charger, patch, now), connectors, evses: described }
          world.chargers.set(chargerId, changed)
          if (passwordVerifier !== undefined) world.passwords.set(chargerId, passwordVerifier)
          return changed
        })
      ),
    remove: (chargerId, { by }) =>
      world.write(() =>
        Effect.map(owned(world.chargers.get(chargerId), by.organisationId, "charger", chargerId), () => {
          world.chargers.delete(chargerId)
        })
      ),
    statistics: (organisationId) =>
      world.ask(() => {
        const own = [...world.chargers.values()].filter((charger) => charger.organisationId === organisationId)
        return Effect.succeed({
          chargers: own.length,
          connected: own.filter((charger) => charger.connected).length,
          connectors: { available: 0, occupied: 0, faulted: 0, unavailable: 0 },
          activeSessions: 0,
          energyWhToday: 0,
          energyWhTotal: 0,
          sessionsToday: 0
        })
      }),
    sessionWindows: (organisationId, { from }) =>
      world.ask(() =>
        Effect.succeed(
          [...world.chargers.values()]
            .filter((charger) => charger.organisationId === organisationId)
            .map(() => ({ startedAt: from, endedAt: from + 3_600_000, energyWh: 1_000 }))
        )
      )
  })
