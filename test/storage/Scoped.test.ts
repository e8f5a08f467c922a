/**
 * No query of an organisation's records lacks its scope: the tag refuses to build one, and no repository names such a table
 * with the bare `sql`. SQL statements consist of constant text and parameters alone (T15).
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { scopedTo } from "../../src/storage/kernel/Scoped.ts"
import { forEachDatabase } from "../support/databases.ts"
import { idAt } from "../support/reported.ts"

const directory = "src/storage"

const sources = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(`${directory}/${name}`, "utf8") }))

/** The repositories that serve the interfaces; the journal works for all organisations at once, by charger. */
const repositories = [
  "operators/Access.ts",
  "operators/ApiKeys.ts",
  "charging/Authorizations.ts",
  "charging/ChargerChanges.ts",
  "charging/ChargerHistory.ts",
  "charging/ChargerRows.ts",
  "charging/Chargers.ts",
  "commands/ChargingProfiles.ts",
  "charging/ConnectorUptime.ts",
  "roaming/Exchanges.ts",
  "roaming/ExchangeRetention.ts",
  "delivery/Events.ts",
  "charging/Expectations.ts",
  "roaming/HubClients.ts",
  "operators/KeyRecovery.ts",
  "operators/LinkChecks.ts",
  "operators/LinkRows.ts",
  "operators/Links.ts",
  "operators/MadeAccess.ts",
  "operators/Members.ts",
  "operators/Operators.ts",
  "sites/Locations.ts",
  "operators/Organisations.ts",
  "roaming/RoamingTokens.ts",
  "roaming/Parties.ts",
  "roaming/PartnerParties.ts",
  "roaming/PartnerRegistrations.ts",
  "roaming/PartnerRows.ts",
  "roaming/Partners.ts",
  "sites/Evses.ts",
  "search/SavedViews.ts",
  "search/Search.ts",
  "rollouts/RolloutQueue.ts",
  "rollouts/RolloutRows.ts",
  "rollouts/Rollouts.ts",
  "work/Work.ts",
  "charging/SessionReadings.ts",
  "charging/Sessions.ts",
  "sites/Sites.ts",
  "charging/Statistics.ts",
  "tariffs/TariffAssignments.ts",
  "tariffs/TariffOffers.ts",
  "tariffs/Tariffs.ts",
  "charging/Tokens.ts",
  "delivery/WebhookDeliveries.ts",
  "delivery/WebhookRows.ts",
  "delivery/Webhooks.ts"
]

/** Bare statements that name an organisation's table, with the reason. */
const bare: ReadonlyArray<readonly [file: string, start: RegExp, reason: string]> = [
  ["operators/ApiKeys.ts", /^SELECT k\.id, k\.organisation_id/, "who calls is found before anybody is known"],
  ["operators/ApiKeys.ts", /^SELECT v\.organisation_id/, "who calls is found before anybody is known"],
  ["operators/Organisations.ts", /^SELECT 1 FROM operator p/, "whether another process has just made the first one"],
  ["operators/Organisations.ts", /^INSERT INTO operator/, "a person is no organisation's; the membership beside it is"],
  ["operators/Access.ts", /^UPDATE api_key k SET last_used_at/, "the use of a caller that was just found by it"],
  ["operators/Access.ts", /^UPDATE sign_in /, "the use of a caller that was just found by it"],
  ["operators/Access.ts", /^UPDATE v1_credential /, "the use of a caller that was just found by it"],
  ["operators/LinkRows.ts", /^JOIN organisation o/, "a fragment; who uses it adds the scope"],
  [
    "operators/LinkChecks.ts",
    /^SELECT \$\{linkColumns\(sql\)\} FROM account_link l/,
    "a link is found before anybody is known"
  ],
  ["operators/LinkChecks.ts", /^SELECT p\.password_hash AS/, "a person's credentials are no organisation's"],
  [
    "operators/Links.ts",
    /^UPDATE account_link l SET closed_at/,
    "links of one person, whichever organisation made them"
  ],
  ["operators/Links.ts", /^INSERT INTO operator/, "a person is no organisation's; the membership beside it is"],
  ["operators/Links.ts", /^UPDATE operator p SET email/, "the person whom the link is for"],
  ["operators/Operators.ts", /^SELECT 1 FROM membership m/, "whether a person works elsewhere too"],
  ["operators/Operators.ts", /^UPDATE operator p SET name = \$\{name\}/, "the membership was just read with the scope"],
  ["operators/Operators.ts", /^UPDATE operator p SET name = \$\{after/, "the caller's own account"],
  ["operators/Members.ts", /^LEFT JOIN role r/, "a fragment; who uses it adds the scope"],
  ["operators/Members.ts", /^JOIN membership m/, "a fragment; who uses it adds the scope"],
  ["operators/Members.ts", /^JOIN operator p/, "a fragment; who uses it adds the scope"],
  [
    "operators/Organisations.ts",
    /^SELECT \$\{columns\(sql\)\} FROM organisation o \$\{after/,
    "the platform lists all"
  ],
  ["operators/Organisations.ts", /^SELECT 1 FROM organisation LIMIT 1$/, "whether there is any organisation at all"],
  ["roaming/Partners.ts", /^SELECT \$\{partnerColumns\(sql\)\}, t\.use/, "who calls is found before anybody is known"],
  ["roaming/Partners.ts", /^WITH used AS \( UPDATE partner_token/, "its partner was just found by the token itself"],
  ["roaming/Exchanges.ts", /^WITH given AS/, "exchanges of all organisations are written together, each with its own"],
  [
    "roaming/ExchangeRetention.ts",
    /^DELETE FROM exchange WHERE id = ANY \(ARRAY\( ?SELECT id/,
    "what is older than it is kept goes, in every organisation"
  ],
  [
    "roaming/ExchangeRetention.ts",
    /^DELETE FROM exchange WHERE id = ANY \(ARRAY\( ?SELECT e\.id/,
    "what is too much of one partner goes, in every organisation"
  ],
  ["roaming/ExchangeRetention.ts", /^SELECT e\.at, e\.id/, "how much there is of one partner, in every organisation"],
  ["roaming/ExchangeRetention.ts", /^SELECT h\.partner_id/, "of which partners there is much, in every organisation"],
  [
    "roaming/PartnerParties.ts",
    /^EXISTS \( SELECT 1 FROM partner_party q/,
    "a fragment about a row that has its scope"
  ],
  ["roaming/PartnerRows.ts", /^p\.id, p\.organisation_id/, "a fragment; who uses it adds the scope"],
  [
    "charging/ChargerRows.ts",
    /^SELECT c\.charger_id AS "chargerId", c\.organisation_id/,
    "a fragment; who uses it adds the scope"
  ],
  [
    "charging/ChargerRows.ts",
    /^SELECT c\.charger_id AS "chargerId", c\.site_id/,
    "a fragment; who uses it adds the scope"
  ],
  [
    "delivery/Webhooks.ts",
    /^SELECT \$\{webhookColumns\(sql\)\}/,
    "subscriptions of all organisations are read for at once"
  ],
  [
    "delivery/Webhooks.ts",
    /^SELECT w\.url, w\.secret/,
    "its subscription was just taken to be delivered to, or its row just read"
  ],
  [
    "delivery/WebhookDeliveries.ts",
    /^INSERT INTO webhook_delivered/,
    "the row is given the organisation that must own it"
  ],
  [
    "rollouts/RolloutQueue.ts",
    /^SELECT q\.\*, x\.sealed/,
    "the background work goes through rollouts of all organisations"
  ],
  ["rollouts/RolloutQueue.ts", /^AND EXISTS \(SELECT 1 FROM connection n/, "a fragment about a row that has its scope"],
  [
    "rollouts/RolloutQueue.ts",
    /^DELETE FROM rollout WHERE ended_at/,
    "what is kept too long goes, in every organisation"
  ],
  [
    "rollouts/RolloutRows.ts",
    /^\(SELECT jsonb_agg\(jsonb_build_object\('state'/,
    "a fragment about a row that has its scope"
  ],
  ["rollouts/RolloutRows.ts", /^SELECT r\.id, r\.organisation_id/, "a fragment; who uses it adds the scope"],
  ["work/Work.ts", /^WITH now AS/, "of which organisations a count has changed, whichever they are"],
  ["work/Work.ts", /^SELECT 1 FROM organisation o WHERE o\.id <>/, "whether there is another organisation"]
]

const tables =
  /\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:organisation|operator|membership|role|sign_in|account_link|recovery_code|api_key|v1_credential|site|charger|token|roaming_token|session|meter|tariff|tariff_version|tariff_assignment|session_tariff|session_price|cdr|organisation_document|connection|connector_history|connection_history|command|party|partner|partner_party|partner_token|partner_client|exchange|exchange_health|webhook|webhook_delivered|location|evse|rollout|rollout_target|saved_view|configuration_drift)\b/

/** Templates tagged with a bare `sql`. */
const bareStatements = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bsql(?:<[^`]*?>)?`([^`]*)`/g)].map((match) => (match[1] ?? "").replaceAll(/\s+/g, " ").trim())

describe("queries of an organisation's records", () => {
  it("are all written with the scoped tag, except those that are listed with a reason", () => {
    const found = sources
      .filter(({ name }) => repositories.includes(name))
      .flatMap(({ name, text }) => bareStatements(text).map((statement) => ({ name, statement })))
      .filter(({ statement }) => tables.test(statement))
    const unlisted = found.filter(
      ({ name, statement }) => !bare.some(([file, start]) => file === name && start.test(statement))
    )
    expect(unlisted).toEqual([])
    expect(found).toHaveLength(bare.length)
  })

  it("are searched for in existing files", () => {
    expect(repositories.filter((name) => !sources.some((source) => source.name === name))).toEqual([])
    expect(bareStatements("sql<{ a: 1 }>`SELECT 1 FROM site` + own`SELECT 2 FROM site`")).toEqual([
      "SELECT 1 FROM site"
    ])
  })
})

describe("SQL", () => {
  it("is never built from strings outside the migrations", () => {
    const built = sources
      .filter(({ name }) => !name.startsWith("migrations/"))
      .filter(({ text }) => /\.unsafe\s*[<(]|\bsql\.literal\b|Statement\.(?:literal|unsafe)\b/.test(text))
      .map(({ name }) => name)
    expect(built).toEqual([])
  })
})

forEachDatabase("The scoped tag", (it) => {
  const outcome = (build: (own: ReturnType<typeof scopedTo>, sql: SqlClient.SqlClient) => unknown) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const own = scopedTo(sql, idAt(0))
      return yield* Effect.match(
        Effect.try({ try: () => build(own, sql), catch: (error) => (error instanceof Error ? error.message : "?") }),
        { onFailure: (message) => message, onSuccess: () => "built" }
      )
    })

  it.effect("builds statements with a scope, and refuses those without one", () =>
    Effect.gen(function* () {
      const refused = expect.stringContaining("lacks its scope")
      expect(yield* outcome((own) => own`SELECT 1 FROM site s WHERE s.id = ${idAt(0)}`)).toEqual(refused)
      expect(yield* outcome((own) => own`SELECT 1 FROM site`)).toEqual(refused)
      // The scope of another call is not this one's.
      const others = (own: unknown, sql: SqlClient.SqlClient) => scopedTo(sql, idAt(0)).rowsOf("s")
      expect(yield* outcome((own, sql) => own`SELECT 1 FROM site s WHERE ${others(own, sql)}`)).toEqual(refused)
      expect(yield* outcome((own) => own`SELECT 1 FROM site s WHERE ${own.rowsOf("s")}`)).toBe("built")
      expect(yield* outcome((own) => own`SELECT 1 FROM organisation o WHERE ${own.itself("o")}`)).toBe("built")
      expect(yield* outcome((own) => own`INSERT INTO site (organisation_id) VALUES (${own.id})`)).toBe("built")
    })
  )

  it.effect("adds the organisation as a parameter", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = idAt(0)
      const own = scopedTo(sql, id)
      expect(own`SELECT 1 FROM site s WHERE ${own.rowsOf("s")} AND s.name = ${"x"}`.compile()).toEqual([
        'SELECT 1 FROM site s WHERE "s".organisation_id = $1 AND s.name = $2',
        [id, "x"]
      ])
    })
  )
})
