/**
 * How PostgreSQL plans the statements for due deliveries, with enough rows that it has a choice: due and parked objects are found among hundreds of
 * thousands that were delivered long ago, and no table is read whole.
 */
import { expect, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { textArray } from "../../src/storage/kernel/Arrays.ts"
import { forgetSent } from "../../src/storage/delivery/SubscriptionForgetting.ts"
import { drivers } from "../support/databases.ts"
import { anOrganisation, noon, repositories, type TestOrganisation } from "../support/repositories.ts"
import { planOf, type SentStatement, statementsOf } from "../support/statements.ts"

const subscribers = 20
/** For each subscriber. */
const objects = 2_000

const subscriberOf = (n: number) => uuid7(noon, new Uint8Array(10).fill(n))

/** One in a hundred is due, one in five hundred was parked. */
const fill = (ours: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = new Date(noon)
    const ids = textArray(Array.from({ length: subscribers }, (_, n) => subscriberOf(n)))
    yield* sql`INSERT INTO subscription (id, organisation_id, kind, active, position)
      SELECT u::uuid, ${ours.id}, 'webhook', true, 0 FROM unnest(${ids}) u`
    yield* sql`INSERT INTO subscription_object (subscription_id, organisation_id, kind, object_id, lane, item_id, position, since, due_at,
        next_at, parked_at)
      SELECT u::uuid, ${ours.id}, 'evse', n::text, (n / 2)::text, gen_random_uuid(), n, n, ${at}, CASE WHEN n % 100 = 0 THEN ${at}::timestamptz END,
        CASE WHEN n % 500 = 1 THEN ${at}::timestamptz END
      FROM unnest(${ids}) u, generate_series(1, ${objects}) n`
    yield* sql`ANALYZE`
  })

const plansOf = (statements: ReadonlyArray<SentStatement>) => Effect.forEach(statements, planOf)

const wholeTable = /Seq Scan on subscription_object\b/

for (const driver of drivers().filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(repositories, driver.layer), { excludeTestServices: true, timeout: "120 seconds" })(
    `Plans of subscriptions on ${driver.name}`,
    (it) => {
      let ours: TestOrganisation

      it.effect("are asked of a database with rows", () =>
        Effect.gen(function* () {
          ours = yield* anOrganisation
          yield* fill(ours)
        })
      )

      it.effect("use the indexes of due and of parked objects", () =>
        Effect.gen(function* () {
          const storage = yield* Subscriptions
          const id = subscriberOf(1)
          const claim = storage.claim([id, subscriberOf(2)], { now: noon, limit: 8, leaseMillis: 1 })
          const asked: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            claim,
            storage.ready(noon),
            storage.active(1_000),
            storage.health(ours.id, id, noon),
            storage.parked(ours.id, id, { limit: 50 })
          ]
          for (const one of asked) {
            for (const plan of yield* plansOf(yield* statementsOf(one))) expect(plan).not.toMatch(wholeTable)
          }
          const [taken] = yield* plansOf(yield* statementsOf(claim))
          expect(taken).toMatch(/subscription_object_(?:due|lane)/)
          const [full] = yield* plansOf(yield* statementsOf(storage.active(1_000)))
          expect(full).toContain("subscription_object_counted")
          const [, parked] = yield* plansOf(yield* statementsOf(storage.parked(ours.id, id, { limit: 50 })))
          expect(parked).toContain("subscription_object_parked")
        })
      )

      it.effect("delete along the index of finished objects", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const plan of yield* plansOf(yield* statementsOf(forgetSent(sql, noon)))) {
            expect(plan).toContain("subscription_object_over")
            expect(plan).not.toMatch(wholeTable)
          }
        })
      )
    }
  )
}
