/** The daily budgets of what an organisation's keys and people may have stored, on both databases. */
import { assert } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TooMany } from "../../src/domain/Errors.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { Idempotency } from "../../src/domain/operator/Idempotency.ts"
import { refusalOf, WriteBudget } from "../../src/domain/operator/WriteBudget.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Webhooks } from "../../src/domain/event/Webhooks.ts"
import { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import { aPartner, roamingCard } from "../contracts/RoamingTokensContract.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"

const bytesPerDay = 64 * 1024
const budget = { auditBytesPerDay: bytesPerDay, idempotencyBytesPerDay: bytesPerDay }
const day = 24 * 60 * 60 * 1000

const create = (by: TestOrganisation, now = noon, actor = by.principal.actor) =>
  Effect.gen(function* () {
    const audit = { by: { ...by.principal, actor }, now }
    return yield* (yield* Sites).create({ name: "A site", area: "x".repeat(200) } as never, audit)
  })

/** Creates sites until it is refused, and returns how many there are and the refusal. */
const fill = (by: TestOrganisation, actor?: string) =>
  Effect.gen(function* () {
    for (let made = 0; made < 1000; made++) {
      const exit = yield* Effect.exit(create(by, noon, actor))
      if (Exit.isFailure(exit)) return { made, refusal: refusalOf(exit.cause), cause: exit.cause }
    }
    return yield* Effect.die("nothing was refused")
  })

const stored = (by: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ sites: number; facts: number }>`
      SELECT (SELECT count(*)::int FROM site WHERE organisation_id = ${by.id}) AS sites,
        (SELECT count(*)::int FROM journal WHERE organisation_id = ${by.id} AND type = 'SiteCreated') AS facts`
    return row
  })

forEachDriver("Write budgets", repositories.pipe(Layer.provide(Layer.succeed(WriteBudget, budget))), (it) => {
  it.effect("one key may use three quarters, the others the rest; beyond it nothing is stored until midnight", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const one = yield* fill(ours)
      assert.instanceOf(one.refusal, TooMany, Cause.pretty(one.cause))
      assert.deepStrictEqual([one.refusal?.code, one.refusal?.retryAfterSeconds], ["audit_budget", 12 * 60 * 60])
      assert.deepStrictEqual(yield* stored(ours), { sites: one.made, facts: one.made })
      const other = yield* fill(ours, "operator:other")
      assert.isAbove(other.made, one.made / 6)
      assert.isBelow(other.made, one.made / 2)
      assert.deepStrictEqual(yield* stored(ours), { sites: one.made + other.made, facts: one.made + other.made })
      yield* create(ours, noon + day)
      const theirs = yield* anOrganisation
      yield* create(theirs)
    })
  )

  it.effect("of simultaneous writes exactly those are stored that the budget has room for", () =>
    Effect.gen(function* () {
      const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
      const { made } = yield* fill(ours)
      const exits = yield* Effect.all(
        Array.from({ length: made + 20 }, () => Effect.exit(create(theirs))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, made)
    })
  )

  it.effect("what ends an attack works beyond it, and what the service does itself is not counted", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      yield* fill(ours)
      yield* create(ours, noon, "platform")
      const access = yield* Access
      const sql = yield* SqlClient.SqlClient
      const key = yield* access.createKey(
        {
          name: "another",
          operatorId: ours.operatorId,
          publicId: `${ours.publicId}-2`,
          prefix: "vl",
          verifier: new Uint8Array(32),
          permissions: undefined
        } as never,
        { by: { ...ours.principal, actor: "platform" }, now: noon }
      )
      yield* access.revokeKey(key.id, ours.writing())
      const [fact] = yield* sql`
          SELECT 1 FROM journal WHERE organisation_id = ${ours.id} AND type = 'ApiKeyRevoked' AND author = ${ours.principal.actor}`
      assert.isDefined(fact)
    })
  )

  it.effect("what ends an attack counts for its author alone", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const webhooks = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { webhook } = yield* webhooks.create(
        { url: "https://hooks.example/", types: undefined, siteIds: undefined, active: true },
        ours.writing()
      )
      const used = sql`
        SELECT kind, author = '' AS "isOfAll" FROM organisation_use WHERE organisation_id = ${ours.id} AND kind = 'access'`
      yield* fill(ours)
      yield* webhooks.update(webhook.id, { active: false }, ours.writing())
      assert.deepStrictEqual(yield* used, [{ kind: "access", isOfAll: false }])
      // Only switching it off is urgent, not what else could be stored with that.
      const url = `https://hooks.example/${"x".repeat(1000)}`
      const exit = yield* Effect.exit(webhooks.update(webhook.id, { active: false, url }, ours.writing()))
      assert.propertyVal(Exit.isFailure(exit) ? refusalOf(exit.cause) : undefined, "code", "audit_budget")
      const facts = sql<{ n: number }>`
        SELECT count(*)::int AS n FROM journal WHERE organisation_id = ${ours.id} AND type = 'WebhookChanged'`
      yield* webhooks.update(webhook.id, { active: false }, ours.writing())
      assert.deepStrictEqual(yield* facts, [{ n: 1 }])
    })
  )

  it.effect("a partner that changes its tokens without end is refused, and no one else is", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const tokens = yield* RoamingTokens
      const one = yield* aPartner(ours)
      const by = (partnerId: string) => ({ by: { ...ours.principal, actor: `partner:${partnerId}` }, now: noon })
      const put = (partnerId: string, uid: string, n: number, issuer = `Issuer ${n}`) =>
        tokens.put(partnerId, [roamingCard(uid, { issuer, lastUpdated: noon + n })], by(partnerId))
      let changed = 0
      while (changed < 1000) {
        const exit = yield* Effect.exit(put(one.id, "A", changed))
        if (Exit.isFailure(exit)) {
          assert.propertyVal(refusalOf(exit.cause), "code", "audit_budget")
          break
        }
        changed++
      }
      assert.isAbove(changed, 10)
      assert.isBelow(changed, 40)
      // The number of tokens has a limit of its own.
      yield* put(one.id, "B", 0)
      yield* put((yield* aPartner(ours)).id, "C", 0)
      yield* create(ours)
      const exit = yield* Effect.exit(put(one.id, "B", 2))
      assert.isTrue(Exit.isFailure(exit))
    })
  )

  it.effect("a token that is sent again with only a new time uses nothing, and has no fact", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const tokens = yield* RoamingTokens
      const sql = yield* SqlClient.SqlClient
      const partner = yield* aPartner(ours)
      const audit = { by: { ...ours.principal, actor: `partner:${partner.id}` }, now: noon }
      for (let n = 0; n < 100; n++) yield* tokens.put(partner.id, [roamingCard("A", { lastUpdated: noon + n })], audit)
      const [row] = yield* sql<{ facts: number; at: string }>`
        SELECT (SELECT count(*)::int FROM journal WHERE organisation_id = ${ours.id} AND type = 'RoamingTokenChanged') AS facts`
      assert.deepStrictEqual(row?.facts, 1)
      const stored = yield* tokens.find(ours.id, partner.id, {
        countryCode: "DE",
        partyId: "EMS",
        uid: "A",
        type: "RFID"
      })
      assert.strictEqual(stored.lastUpdated, noon + 99)
    })
  )

  it.effect("a change that changes nothing stores nothing and uses nothing", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const sql = yield* SqlClient.SqlClient
      const site = yield* create(ours)
      const used = sql<{ bytes: number }>`
          SELECT bytes::int AS bytes FROM organisation_use WHERE organisation_id = ${ours.id} AND author = ''`
      const before = yield* used
      yield* (yield* Sites).update(site.id, { name: "A site" }, ours.writing())
      assert.deepStrictEqual(yield* used, before)
    })
  )

  it.effect("answers to requests with an Idempotency-Key have their own budget; what is stored is still repeated", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const idempotency = yield* Idempotency
      const { actor, keyId, organisationId } = ours.principal
      const claim = (key: string, now = Date.now()) =>
        idempotency.claim(keyId, key, "print", now, { actor, organisationId })
      const answer = { status: 201, contentType: "application/json", body: "x".repeat(8 * 1024) }
      let made = 0
      while (made < 100) {
        const exit = yield* Effect.exit(claim(String(made)))
        if (Exit.isFailure(exit)) {
          const [refusal] = exit.cause.reasons.filter(Cause.isFailReason)
          assert.propertyVal(refusal?.error, "code", "idempotency_budget")
          break
        }
        yield* idempotency.complete(keyId, String(made), answer)
        made++
      }
      assert.strictEqual(made, 6)
      assert.deepStrictEqual(yield* claim("0"), { _tag: "Replay", answer })
      assert.deepStrictEqual(yield* Effect.flip(claim("new")), yield* Effect.flip(claim("new")))
      assert.propertyVal(yield* claim("new", Date.now() + day), "_tag", "Claimed")
    })
  )

  it.effect("work in one transaction with its answer counts both, or neither", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const [idempotency, tokens, sql] = [yield* Idempotency, yield* Tokens, yield* SqlClient.SqlClient]
      const { actor, keyId, organisationId } = ours.principal
      yield* idempotency.claim(keyId, "1", "print", Date.now(), { actor, organisationId })
      const work = tokens
        .create({ uid: "C", type: "RFID", status: "Accepted" } as never, ours.writing(Date.now()))
        .pipe(Effect.orDie)
      yield* idempotency.within(keyId, "1", work, () => undefined)
      const used = sql`SELECT kind FROM organisation_use WHERE organisation_id = ${ours.id} AND author <> '' ORDER BY kind`
      assert.deepStrictEqual(yield* used, [])
      yield* idempotency.claim(keyId, "1", "print", Date.now(), { actor, organisationId })
      yield* idempotency.within(keyId, "1", work, () => ({ status: 201, contentType: "", body: "made" }))
      assert.deepStrictEqual(yield* used, [{ kind: "audit" }, { kind: "idempotency" }])
    })
  )
})
