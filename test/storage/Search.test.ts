/** Search finds by a part of a name or id what belongs to the organisation and the caller may read, on both databases. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inOrder, kindsFor, Search, type SearchedKind } from "../../src/domain/search/Search.ts"
import { permissions } from "../../src/domain/operator/Permission.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, noon, repositories } from "../support/repositories.ts"

const all = kindsFor(permissions)
const sessionId = "01990000-1234-7abc-8000-00000000beef"
const cdrId = "01990000-4321-7abc-8000-00000000beef"

/** One of each, named after the organisation. */
const filled = (name: string, chargerId: string, suffix: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const own = yield* anOrganisation
    const now = new Date(noon)
    const siteId = crypto.randomUUID()
    const id = (given: string) => `${given.slice(0, -4)}${suffix}`
    yield* sql`INSERT INTO site (id, organisation_id, name, city, time_zone, created_at, updated_at)
      VALUES (${siteId}, ${own.id}, ${`Harbour ${name}`}, 'Malmö', 'UTC', ${now}, ${now})`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
      VALUES (${chargerId}, ${own.id}, ${siteId}, ${`Quay 100% ${name}`}, 0, ${now}, ${now})`
    yield* sql`INSERT INTO token (organisation_id, uid_key, uid, type, status, visual_number, note, created_at, updated_at)
      VALUES (${own.id}, '04a1b2', '04A1B2', 'RFID', 'Accepted', 'NL-VLT-77', 'Elsa Lind, the blue van', ${now}, ${now})`
    yield* sql`INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version,
        token_uid, token_key, status, authorization_status, authorization_source, authorized_at, started_at, meter_start_wh, created_at, updated_at)
      VALUES (${id(sessionId)}, ${own.id}, ${chargerId}, ${siteId}, 1, 1, '90210', '1.6', '04A1B2', '04a1b2', 'ACTIVE', 'Accepted',
        'LocalToken', ${now}, ${now}, 0, ${now}, ${now})`
    yield* sql`INSERT INTO cdr (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, body, issued_at)
      VALUES (${id(cdrId)}, ${own.id}, 4711, ${id(sessionId)}, 0, ${chargerId}, ${siteId}, ${now}, ${now}, '{}', ${now})`
    const partnerId = crypto.randomUUID()
    yield* sql`INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
      VALUES (${partnerId}, ${own.id}, ${`Greenway ${name}`}, 'Registered', '{}', ${now}, ${now})`
    for (const uid of ["04A1B2", "04FFEE"]) {
      yield* sql`INSERT INTO roaming_token (organisation_id, partner_id, uid_key, type_key, country_code, party_id, uid, type, contract_id,
          issuer, valid, whitelist, last_updated, revision, created_at, updated_at)
        VALUES (${own.id}, ${partnerId}, ${uid.toLowerCase()}, 'RFID', 'NL', 'EMS', ${uid}, 'RFID', ${`NL-EMS-C${uid}`}, 'Greenway', true,
          'ALWAYS', ${now}, 1, ${now}, ${now})`
    }
    yield* sql`INSERT INTO tariff (id, organisation_id, version, body, created_at, updated_at)
      VALUES (gen_random_uuid(), ${own.id}, 1, ${JSON.stringify({
        currency: "EUR",
        elements: [],
        tariffAltText: [{ language: "en", text: `Night rate ${name}` }]
      })}::text::jsonb, ${now}, ${now})`
    return own
  })

const found = (organisationId: string, text: string, kinds: ReadonlyArray<SearchedKind> = all) =>
  Effect.gen(function* () {
    const items = yield* (yield* Search).find(organisationId, text, kinds)
    return inOrder(items).map(({ kind, title }) => [kind, title])
  })

forEachDriver("Search", repositories, (it) => {
  it.effect("finds one of each kind by a part of its name or id, and nothing of another organisation", () =>
    Effect.gen(function* () {
      const ours = yield* filled("North", "SE-VLT-1003", "0001")
      yield* filled("South", "SE-VLT-1004", "0002")
      expect(yield* found(ours.id, "vlt-10")).toEqual([["charger", "Quay 100% North"]])
      expect(yield* found(ours.id, "QUAY")).toEqual([["charger", "Quay 100% North"]])
      expect(yield* found(ours.id, "arbour")).toEqual([["site", "Harbour North"]])
      expect(yield* found(ours.id, "04a1")).toEqual([["token", "04A1B2"]])
      expect(yield* found(ours.id, "A1b")).toEqual([["token", "04A1B2"]])
      expect(yield* found(ours.id, "nl-vlt-77")).toEqual([["token", "04A1B2"]])
      expect(yield* found(ours.id, "VLT-7")).toEqual([["token", "04A1B2"]])
      expect(yield* found(ours.id, "elsa")).toEqual([["token", "04A1B2"]])
      expect(yield* found(ours.id, "Blue V")).toEqual([["token", "04A1B2"]])
      // A partner's token is found by its whole uid or by the contract; one that the organisation has too is shown once.
      expect(yield* found(ours.id, "04ffee")).toEqual([["token", "04FFEE"]])
      expect(yield* found(ours.id, "04ffe")).toEqual([])
      expect(yield* found(ours.id, "nl-ems-c04f")).toEqual([["token", "04FFEE"]])
      expect(yield* found(ours.id, "04A1B2")).toEqual([["token", "04A1B2"]])
      expect(yield* found(ours.id, "9021")).toEqual([["session", "SE-VLT-1003"]])
      expect(yield* found(ours.id, "01990000-1234")).toEqual([["session", "SE-VLT-1003"]])
      expect(yield* found(ours.id, "4711")).toEqual([["cdr", "4711"]])
      expect(yield* found(ours.id, "01990000-4321-7")).toEqual([["cdr", "4711"]])
      expect(yield* found(ours.id, "green")).toEqual([["partner", "Greenway North"]])
      expect(yield* found(ours.id, "night")).toEqual([["tariff", "Night rate North"]])
      expect((yield* found(ours.id, "@example"))[0]?.[0]).toBe("operator")
      expect(yield* found(ours.id, "South")).toEqual([])
      // LIKE wildcards are taken literally, and too short a part of an id does not match.
      expect(yield* found(ours.id, "100%")).toEqual([["charger", "Quay 100% North"]])
      expect(yield* found(ours.id, "1_3")).toEqual([])
      expect(yield* found(ours.id, "0199000")).toEqual([])
      expect(yield* found(ours.id, "north")).toHaveLength(4)
      expect(yield* found(ours.id, "north", ["site"])).toEqual([["site", "Harbour North"]])
      expect(yield* found(ours.id, "\u0000x")).toEqual([])
    })
  )

  it.effect("shows exact matches first, then those at the beginning, at most five of a kind and thirty in all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* filled("East", "C-0", "0003")
      const now = new Date(noon)
      const names = ["Up the dock", "dock", "Dock 7", "Docklands", "A dock", "B dock", "C dock", "D dock"]
      for (const name of names) {
        yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
          VALUES (gen_random_uuid(), ${ours.id}, ${name}, 'UTC', ${now}, ${now})`
      }
      const [first, second, third, ...rest] = yield* found(ours.id, "DOCK")
      expect([first, second, third].map((one) => one?.[1])).toEqual(["dock", "Dock 7", "Docklands"])
      expect(rest).toHaveLength(2)
      const kinds = ["charger", "site", "session", "token", "cdr", "partner", "tariff", "operator"] as const
      const many = kinds.flatMap((kind) =>
        Array.from({ length: 5 }, (_, n) => ({ kind, id: `${n}`, title: kind, subtitle: "", rank: n === 4 ? 0 : 2 }))
      )
      const shown = inOrder(many)
      expect(shown).toHaveLength(30)
      expect(shown.slice(0, 8).map(({ id, kind }) => [kind, id])).toEqual(kinds.map((kind) => [kind, "4"]))
    })
  )
})
