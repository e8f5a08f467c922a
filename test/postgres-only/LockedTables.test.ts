/**
 * A database that hangs for a moment, as during a migration, a backup or a long report: chargers are answered within the actors' time limit,
 * whichever statement waits, and what they repeat afterwards is stored once.
 */
import { assert, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { ChargerInbox, type ChargerMailbox } from "../../src/domain/charger/ChargerInbox.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { actorsOnStorage, fakeLine, makeWorld, opening } from "../support/actorWorld.ts"
import { drivers } from "../support/databases.ts"
import { noon, seedChargers } from "../support/journalFacts.ts"

const patienceMillis = 300

const storage = Layer.mergeAll(
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 10_000 }),
  ChargerDirectoryStorage.layer({
    nodeId: "test",
    maxBatch: 100,
    maxQueue: 1000,
    maxCards: 1000,
    maxCardBytes: 1_000_000
  })
)
const actors = actorsOnStorage(makeWorld(), { patienceMillis }).pipe(Layer.provideMerge(storage))

const start: ChargerEvent = {
  _tag: "TransactionStarted",
  place: { evseId: 1, connectorId: 1 },
  tokenUid: "CARD",
  time: { at: noon, raw: new Date(noon).toISOString() },
  meterStartWh: 100,
  reservationId: undefined
}

const asked = (mailbox: ChargerMailbox, event: ChargerEvent) =>
  Effect.callback<Reply>((resume) =>
    mailbox.deliver(event, { messageId: "m", raw: `[2,"m","Event",{}]` }, (reply) => resume(Effect.succeed(reply)))
  )

/** Locks a table exclusively until `release` is done; returns once it is locked. */
const locked = (table: string, release: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isHeld = yield* Deferred.make<void>()
    const holding = sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE ${sql(table)} IN ACCESS EXCLUSIVE MODE`
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(release)
      })
    )
    const fiber = yield* Effect.forkChild(holding)
    yield* Deferred.await(isHeld)
    return fiber
  })

for (const driver of drivers({ poolSize: 4 }).filter(({ name }) => name === "PostgreSQL")) {
  suite(Layer.provideMerge(actors, driver.layer), { excludeTestServices: true, timeout: "60 seconds" })(
    `A charger's call on ${driver.name}`,
    (it) => {
      // The first one takes a block of transaction numbers.
      for (const table of ["number_block", "journal", "session", "token"]) {
        it.effect(`is answered in time although ${table} is locked, and its repetition is stored once`, () =>
          Effect.gen(function* () {
            const chargerId = `LOCKED-${table}`
            yield* seedChargers([chargerId])
            const sql = yield* SqlClient.SqlClient
            const inbox = yield* ChargerInbox
            const admission = yield* inbox.admit(opening(chargerId))
            if (admission._tag !== "Admitted") return assert.fail(`not admitted: ${admission._tag}`)
            const mailbox = admission.attach(fakeLine())
            const release = yield* Deferred.make<void>()
            const holding = yield* locked(table, release)
            const first = yield* asked(mailbox, start).pipe(Effect.timeout("5 seconds"))
            assert.deepInclude(first, { _tag: "Refused", reason: "InternalError" })
            const again = yield* Effect.forkChild(asked(mailbox, start), { startImmediately: true })
            yield* Deferred.succeed(release, undefined)
            yield* Fiber.join(holding)
            // The repetition waited for the first, perhaps too long; then the charger sends it once more.
            let reply = yield* Fiber.join(again)
            while (reply._tag === "Refused") reply = yield* asked(mailbox, start)
            const sessions = yield* sql<{ transactionId: string }>`
              SELECT transaction_id AS "transactionId" FROM session WHERE charger_id = ${chargerId}`
            if (reply._tag !== "StartAnswered") return assert.fail(`answered ${reply._tag}`)
            assert.deepStrictEqual(sessions, [{ transactionId: String(reply.transactionId) }])
          })
        )
      }
    }
  )
}
