/** Which partners are notified that a charging profile of theirs was changed by others (OCPI 2.2.1 §14.2.2). */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { endCommand, issueCommand } from "../support/endedCommands.ts"
import { ended, freshId, noon, seedChargers, type Seeded, started, type Transaction } from "../support/journalFacts.ts"
import { repositories } from "../support/repositories.ts"

const world = Layer.provideMerge(JournalRepository.layer(limits.journal), repositories)

let made = 0

const aPartner = ({ organisationId }: Seeded) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    yield* sql`INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
      VALUES (${id}, ${organisationId}, 'Partner', 'Registered', '{}', ${new Date(noon)}, ${new Date(noon)})`
    return id
  })

/** A command of this type by this actor, which the charger answers with this status. */
const commanded = (
  seeded: Seeded,
  chargerId: string,
  by: string,
  more: { readonly type?: string; readonly evseId?: number; readonly status?: string; readonly at?: number } = {}
) =>
  Effect.gen(function* () {
    const { at = noon, evseId, status = "Accepted", type = "SetChargingProfile" } = more
    const id = freshId()
    const given = evseId === undefined ? {} : { place: { evseId, connectorId: Math.min(evseId, 1) } }
    yield* issueCommand(id, { ...seeded, chargerId, type, given, at, by })
    return { id, answer: endCommand(id, { status, at, result: { status } }) }
  })

/** A running session at a charger's EVSE. */
const running = (seeded: Seeded, chargerId: string, evseId = 1) =>
  Effect.gen(function* () {
    const tx: Transaction = { chargerId, sessionId: freshId(), transactionId: 77_000 + ++made }
    const fact = started(seeded, tx)
    yield* (yield* Journal).commit([{ ...fact, body: { ...fact.body, evseId } }])
    return tx
  })

/** A profile that a partner has set for a session. */
const profile = (
  seeded: Seeded,
  tx: Transaction,
  partnerId: string,
  more: { readonly status?: string; readonly kind?: string } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { answer, id } = yield* commanded(seeded, tx.chargerId, `partner:${partnerId}`, { evseId: 9, ...more })
    yield* sql`
      INSERT INTO partner_command (command_id, organisation_id, partner_id, kind, version, response_url, correlation_id, session_id, created_at)
      VALUES (${id}, ${seeded.organisationId}, ${partnerId}, ${more.kind ?? "SetProfile"}, '2.2.1', 'sealed', 'c', ${tx.sessionId}, ${new Date(noon)})`
    yield* answer
    return id
  })

const heard = (seeded: Seeded) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: string }>`
        SELECT command_id AS id FROM partner_callback
        WHERE organisation_id = ${seeded.organisationId}::uuid AND about = 'ProfileChanged' AND state = 'Open' ORDER BY command_id`,
      (rows) => rows.map(({ id }) => id)
    )
  )

/** Who changes what, and whether the partner with a profile at EVSE 1 is notified. */
const changes = [
  ["key:1", { evseId: 1 }, true],
  ["key:1", { evseId: 0 }, true],
  ["key:1", { evseId: 2 }, false],
  ["key:1", { type: "ClearChargingProfile" }, true],
  ["key:1", { type: "ClearChargingProfile", evseId: 1 }, true],
  ["key:1", { type: "ClearChargingProfile", evseId: 2 }, false],
  ["key:1", { type: "RemoteStop" }, false],
  ["partner:another", { evseId: 1 }, true],
  ["platform", { evseId: 1 }, true],
  ["itself", { evseId: 1 }, false],
  ["key:1", { evseId: 1, status: "Rejected" }, false],
  ["key:1", { evseId: 1, status: "TimedOut" }, false]
] as const

forEachDriver("a partner that set a charging profile", world, (it) => {
  it.effect("is notified when another caller changes the limits of its session", () =>
    Effect.gen(function* () {
      for (const [n, [by, more, hears]] of changes.entries()) {
        const chargerId = `PROFILE-${n}`
        const seeded = yield* seedChargers([chargerId])
        const partnerId = yield* aPartner(seeded)
        const mine = yield* profile(seeded, yield* running(seeded, chargerId), partnerId)
        const actor = by === "itself" ? `partner:${partnerId}` : by
        yield* (yield* commanded(seeded, chargerId, actor, more)).answer
        assert.deepStrictEqual(yield* heard(seeded), hears ? [mine] : [], `${by} ${JSON.stringify(more)}`)
      }
    })
  )

  it.effect("is notified of its newest profile once for each running session, and again after the first was sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const seeded = yield* seedChargers(["PROFILE-M", "PROFILE-M-2"])
      const [one, other] = [yield* aPartner(seeded), yield* aPartner(seeded)]
      const [first, second] = [yield* running(seeded, "PROFILE-M"), yield* running(seeded, "PROFILE-M", 2)]
      const elsewhere = yield* running(seeded, "PROFILE-M-2")
      yield* profile(seeded, first, one)
      const newest = yield* profile(seeded, first, one)
      yield* profile(seeded, first, one, { status: "Rejected" })
      yield* profile(seeded, first, one, { kind: "ActiveProfile" })
      const others = yield* profile(seeded, first, other)
      const ofSecond = yield* profile(seeded, second, one)
      yield* profile(seeded, elsewhere, one)
      const change = (at: number) =>
        Effect.flatMap(commanded(seeded, "PROFILE-M", "key:1", { evseId: 0, at }), ({ answer }) => answer)
      yield* change(noon + 1000)
      const all = [newest, others, ofSecond].toSorted()
      assert.deepStrictEqual(yield* heard(seeded), all)
      const callback = sql`
        SELECT extract(epoch FROM answer_by)::float8 * 1000 AS "answerBy", extract(epoch FROM due_at)::float8 * 1000 AS due, tries, problem,
          done_at IS NOT NULL AS done FROM partner_callback WHERE command_id = ${newest} AND about = 'ProfileChanged'`
      const open = { answerBy: noon + 1000, due: noon + 1000, tries: 0, problem: null, done: false }
      assert.deepStrictEqual(yield* callback, [open])
      yield* sql`UPDATE partner_callback SET state = 'Done', tries = 2, problem = 'x', done_at = now() WHERE command_id = ${newest}`
      yield* (yield* Journal).commit([ended(seeded, second)])
      yield* sql`DELETE FROM partner_callback WHERE command_id = ${ofSecond}`
      yield* change(noon + 2000)
      assert.deepStrictEqual(yield* heard(seeded), [newest, others].toSorted())
      assert.deepStrictEqual(yield* callback, [{ ...open, due: noon + 2000 }])
    })
  )
})
