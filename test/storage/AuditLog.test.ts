/** The audit log on both databases: every fact of an organisation that has an author, newest first, read by an index. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type AuditFilter, AuditLog } from "../../src/domain/operator/AuditLog.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { planOf, statementsOf } from "../support/statements.ts"

const card = {
  uid: "CARD",
  type: "RFID",
  status: "Accepted",
  parentUid: undefined,
  expiresAt: undefined,
  visualNumber: undefined,
  note: undefined
} as const

/** A fact as the journal holds it, of any type. */
const storeFact = (organisation: TestOrganisation, type: string, subject: string, body: object) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      VALUES (substring(sha256(convert_to(${`${type} ${organisation.id} ${subject}`}, 'UTF8')) for 16), ${organisation.id}, ${type},
        ${subject}, ${new Date(noon)}, ${new Date(noon)}, ${JSON.stringify(body)}::text::json)`
  })

/** A site, a token that is created and changed, a command, and facts reported by chargers. */
const history = Effect.gen(function* () {
  const organisation = yield* anOrganisation
  yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const tokens = yield* Tokens
  yield* tokens.create(card, organisation.writing())
  yield* tokens.update("CARD", { status: "Blocked" }, organisation.writing())
  yield* storeFact(organisation, "CommandIssued", "charger:CP-1", {
    by: "key:1",
    commandId: organisation.id,
    type: "Reset",
    parameters: { resetType: "Soft" },
    command: { _tag: "Reset", kind: "Soft" }
  })
  yield* storeFact(organisation, "ChargerBooted", "charger:CP-1", { vendor: "V" })
  yield* storeFact(organisation, "MeterRead", "charger:CP-1", { readings: [] })
  return organisation
})

forEachDriver("AuditLog", repositories, (it) => {
  it.effect("lists who did what, newest first, with the record before and after", () =>
    Effect.gen(function* () {
      const organisation = yield* history
      yield* history
      const { items, nextCursor } = yield* (yield* AuditLog).list(organisation.id, { limit: 50, cursor: undefined })
      const [command, changed, created] = items
      assert.deepStrictEqual(
        items.slice(0, 4).map(({ action, actor }) => [action, actor]),
        [
          ["CommandIssued", "key:1"],
          ["TokenChanged", organisation.principal.actor],
          ["TokenCreated", organisation.principal.actor],
          ["SiteCreated", organisation.principal.actor]
        ]
      )
      assert.strictEqual(nextCursor, null)
      assert.isTrue(items.every(({ action }) => action !== "ChargerBooted" && action !== "MeterRead"))
      const parameters = { resetType: "Soft" }
      assert.deepStrictEqual(command?.after, { commandId: organisation.id, type: "Reset", parameters })
      assert.strictEqual(command?.before, undefined)
      assert.deepStrictEqual([changed?.before?.["status"], changed?.after?.["status"]], ["Accepted", "Blocked"])
      assert.deepStrictEqual([created?.before, created?.after?.["uid"], created?.at], [undefined, "CARD", noon])
    })
  )

  it.effect("is read in pages, and can be filtered by subject", () =>
    Effect.gen(function* () {
      const { id } = yield* history
      const log = yield* AuditLog
      const whole = yield* log.list(id, { limit: 50, cursor: undefined })
      const first = yield* log.list(id, { limit: 2, cursor: undefined })
      const rest = yield* log.list(id, { limit: 50, cursor: first.nextCursor ?? undefined })
      assert.deepStrictEqual([...first.items, ...rest.items], whole.items)
      const subject = whole.items.find(({ action }) => action === "TokenCreated")?.subject ?? ""
      const found = yield* log.list(id, { limit: 50, cursor: undefined, subject })
      assert.deepStrictEqual(
        found.items.map(({ action }) => action),
        ["TokenChanged", "TokenCreated"]
      )
    })
  )

  it.effect("can be filtered by actor, action and time range", () =>
    Effect.gen(function* () {
      const organisation = yield* history
      const { list } = yield* AuditLog
      const sites = yield* Sites
      const hour = 3_600_000
      for (const n of [1, 2, 3]) {
        const writing = organisation.writing()
        yield* sites.create({ name: `Site ${n}` } as never, { ...writing, now: noon + n * hour })
      }
      const actions = (filter: AuditFilter) =>
        Effect.map(list(organisation.id, { limit: 50, cursor: undefined, ...filter }), ({ items }) =>
          items.map(({ action, at }) => `${action} ${(at - noon) / hour}`)
        )
      assert.deepStrictEqual(yield* actions({ actor: "key:1" }), ["CommandIssued 0"])
      assert.deepStrictEqual(yield* actions({ actor: "key:2" }), [])
      assert.deepStrictEqual(yield* actions({ action: "TokenChanged" }), ["TokenChanged 0"])
      assert.deepStrictEqual(yield* actions({ from: noon + hour, to: noon + 3 * hour }), [
        "SiteCreated 2",
        "SiteCreated 1"
      ])
      assert.deepStrictEqual(yield* actions({ from: noon + 3 * hour }), ["SiteCreated 3"])
      assert.deepStrictEqual(yield* actions({ from: noon + 4 * hour }), [])
      assert.deepStrictEqual(yield* actions({ to: noon }), [])
      assert.deepStrictEqual(yield* actions({ action: "SiteCreated", to: noon + hour }), ["SiteCreated 0"])
      const { actor } = organisation.principal
      assert.deepStrictEqual(yield* actions({ actor, action: "SiteCreated", from: noon + 2 * hour }), [
        "SiteCreated 3",
        "SiteCreated 2"
      ])
    })
  )

  it.effect("lists a whole time range, even if a fact got its position before one with an earlier time", () =>
    Effect.gen(function* () {
      const organisation = yield* anOrganisation
      const { list } = yield* AuditLog
      const sites = yield* Sites
      // The organisation's own facts are a year older.
      const late = noon + 365 * 24 * 3_600_000
      for (const at of [late + 200, late]) {
        yield* sites.create({ name: `Site ${at}` } as never, { ...organisation.writing(), now: at })
      }
      const times = (filter: AuditFilter) =>
        Effect.map(list(organisation.id, { limit: 50, cursor: undefined, ...filter }), ({ items }) =>
          items.filter(({ action }) => action === "SiteCreated").map(({ at }) => at - late)
        )
      const found = [
        yield* times({ to: late + 30_000 }),
        yield* times({ from: late - 10_000 }),
        yield* times({ from: late, to: late + 201 }),
        yield* times({ from: late + 1 }),
        yield* times({ to: late + 200 })
      ]
      assert.deepStrictEqual(found, [[0, 200], [0, 200], [0, 200], [200], [0]])
    })
  )

  it.effect("is read by its indexes", () =>
    Effect.gen(function* () {
      const { id } = yield* history
      const { list } = yield* AuditLog
      const sql = yield* SqlClient.SqlClient
      const plan = (filter: AuditFilter) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SET LOCAL enable_seqscan = off`
            yield* sql`SET LOCAL enable_sort = off`
            const [sent] = yield* statementsOf(list(id, { limit: 50, cursor: undefined, ...filter }))
            assert(sent !== undefined)
            return yield* planOf(sent)
          })
        )
      assert.match(yield* plan({}), /Scan using journal_audit on/)
      assert.match(yield* plan({ subject: "token:CARD" }), /using journal_audit_subject on/)
      assert.match(yield* plan({ actor: "key:1" }), /using journal_audit_actor on/)
      assert.match(yield* plan({ action: "SiteCreated" }), /using journal_audit_action on/)
      assert.match(yield* plan({ from: noon, to: noon + 1 }), /using journal_audit_at on/)
    })
  )
})
