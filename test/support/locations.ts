/** A complete site with a charger that has reported connectors, which partners see as a location. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import type { SiteInput } from "../../src/domain/site/Site.ts"
import { noon, type TestOrganisation } from "./repositories.ts"
import { aConnection, aConnector } from "./reported.ts"

export const complete: SiteInput = {
  name: "Harbour",
  timeZone: "Europe/Amsterdam",
  streetAddress: "Quay",
  streetNumber: "12",
  houseLetter: "b",
  postalNumber: "8232 JX",
  city: "Lelystad",
  area: "Flevoland",
  country: "NLD",
  latitude: 52.5,
  longitude: 5.25,
  openingHours: { twentyfourseven: true }
}

let made = 0

/** An id that no other test uses. */
export const aChargerId = (): string => `LOC-${process.pid}-${made++}`

/** A charger at a site, connected, with one connector for each of the statuses. */
export const aReportedCharger = (
  organisation: TestOrganisation,
  siteId: string,
  statuses: ReadonlyArray<string> = ["Available"]
) =>
  Effect.gen(function* () {
    const chargers = yield* Chargers
    const chargerId = aChargerId()
    yield* chargers.register(
      { chargerId, name: chargerId, siteId, securityProfile: 0, passwordVerifier: undefined },
      organisation.writing()
    )
    yield* aConnection(organisation, chargerId, 3_600_000)
    for (const [i, status] of statuses.entries()) yield* aConnector(chargerId, i + 1, 1, status)
    return chargerId
  })

/** The site, and the id of its charger. */
export const aLocation = (organisation: TestOrganisation, input: Partial<SiteInput> = {}) =>
  Effect.gen(function* () {
    const sites = yield* Sites
    const site = yield* sites.create({ ...complete, ...input }, organisation.writing(noon))
    return { site, chargerId: yield* aReportedCharger(organisation, site.id) }
  })

export const setStatus = (chargerId: string, evseId: number, status: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE connector SET status = ${status}, raw_status = ${status} WHERE charger_id = ${chargerId} AND evse_id = ${evseId}::int`
  )
