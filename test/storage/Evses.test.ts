/** EVSEs have public names for partners, which are given once and never change, whatever happens to the charger. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, repositories, type TestOrganisation } from "../support/repositories.ts"
import { aConnector } from "../support/reported.ts"

interface Evse {
  readonly uid: string
  readonly site: string
  readonly charger: string
  readonly evse: number
  readonly name: string
  readonly gone: boolean
}

const evsesOf = (organisation: TestOrganisation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Evse>`
      SELECT uid, site_id AS site, charger_id AS charger, evse_id AS evse, public_id AS name, removed_at IS NOT NULL AS gone
      FROM evse WHERE organisation_id = ${organisation.id} ORDER BY public_id, created_at`
  )

const aCharger = (organisation: TestOrganisation, chargerId: string, siteId: string) =>
  Effect.flatMap(Chargers, (chargers) =>
    chargers.register(
      { chargerId, name: chargerId, siteId, securityProfile: 0, passwordVerifier: undefined },
      organisation.writing()
    )
  )

let made = 0
const chargerId = (): string => `EVSE-${made++}`

forEachDriver("Evses", repositories, (it) => {
  const world = Effect.gen(function* () {
    const ours = yield* anOrganisation
    const sites = yield* Sites
    const site = yield* sites.create({ name: "Here" }, ours.writing())
    const charger = chargerId()
    yield* aCharger(ours, charger, site.id)
    yield* aConnector(charger, 0, 0, "Available")
    yield* aConnector(charger, 1, 1, "Available")
    yield* aConnector(charger, 2, 1, "Available")
    return { ours, site, charger, sites, chargers: yield* Chargers }
  })

  it.effect("are named in the order of their first report, and EVSE 0 has no name", () =>
    Effect.gen(function* () {
      const { charger, ours } = yield* world
      const evses = yield* evsesOf(ours)
      const prefix = evses[0]?.name.replace(/E\d+$/, "") ?? ""
      expect(prefix).toMatch(/^NL\*[0-9A-Z]{3}\*$/)
      expect(evses.map(({ evse, name }) => [evse, name])).toEqual([
        [1, `${prefix}E000001`],
        [2, `${prefix}E000002`]
      ])
      // Neither the name nor the uid reveals the charger.
      expect(JSON.stringify(evses.map(({ name, uid }) => [name, uid]))).not.toContain(charger)
    })
  )

  it.effect("are removed with their charger, and are the same when it is registered again", () =>
    Effect.gen(function* () {
      const { charger, chargers, ours, site } = yield* world
      const before = yield* evsesOf(ours)
      yield* chargers.remove(charger, ours.writing())
      expect((yield* evsesOf(ours)).map(({ gone }) => gone)).toEqual([true, true])
      yield* aCharger(ours, charger, site.id)
      yield* aConnector(charger, 1, 1, "Available")
      expect(yield* evsesOf(ours)).toEqual(before.map((evse) => ({ ...evse, gone: evse.evse === 2 })))
    })
  )

  it.effect("get new uids at another site, and keep their printed names", () =>
    Effect.gen(function* () {
      const { charger, chargers, ours, site, sites } = yield* world
      const before = yield* evsesOf(ours)
      const there = yield* sites.create({ name: "There" }, ours.writing())
      yield* chargers.update(charger, { siteId: there.id }, ours.writing())
      const after = yield* evsesOf(ours)
      expect(after.filter((evse) => evse.site === site.id)).toEqual(before.map((evse) => ({ ...evse, gone: true })))
      const moved = after.filter((evse) => evse.site === there.id)
      expect(moved.map(({ gone, name }) => [name, gone])).toEqual(before.map(({ name }) => [name, false]))
      expect(moved.map(({ uid }) => uid)).not.toEqual(before.map(({ uid }) => uid))
      // Moved back, the EVSEs that partners knew are there again.
      yield* chargers.update(charger, { siteId: site.id }, ours.writing())
      expect((yield* evsesOf(ours)).filter((evse) => evse.site === site.id)).toEqual(before)
    })
  )

  it.effect("are numbered by organisation", () =>
    Effect.gen(function* () {
      const one = yield* world
      const other = yield* world
      const names = Effect.map(evsesOf(one.ours), (evses) => evses.map(({ name }) => name))
      const before = yield* names
      yield* aConnector(other.charger, 3, 1, "Available")
      yield* aConnector(one.charger, 3, 1, "Available")
      expect((yield* names).at(-1)).toBe(before[0]?.replace("000001", "000003"))
    })
  )
})
