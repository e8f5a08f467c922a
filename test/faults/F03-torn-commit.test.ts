/**
 * F03 inside the process: the journal has committed, and the actor that requested the commit ends before it gets the outcome. Runs on the real
 * storage, at every message of every charger. The next actor of the same charger gets the same message again and must be answered from what is
 * stored.
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { layer as actorsLayer } from "../../src/actors/Actors.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import { evolve } from "../../src/domain/decide/Evolve.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { ChargerInbox, type ChargerMailbox } from "../../src/domain/charger/ChargerInbox.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Journal, journalOf } from "../../src/domain/charger/Journal.ts"
import { Presence } from "../../src/domain/charger/Presence.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import * as SecretsStorage from "../../src/storage/operators/Secrets.ts"
import { limits } from "../../src/config/Limits.ts"
import { brokenPromises, figures } from "../simulation/Checker.ts"
import { between, randomOf, report, share, type Random } from "../simulation/Choice.ts"
import { brokenRecords, readStored, type Row } from "../simulation/Database.ts"
import type { Transaction } from "../simulation/History.ts"
import { fakeLine } from "../support/actorWorld.ts"
import { forEachDriver } from "../support/databases.ts"
import { seedChargers } from "../support/journalFacts.ts"
import { silentPartners } from "../support/silentPartners.ts"

const chargerCount = 100

/** A charger over all its connections: its next message, and the one that it sent without receiving the answer. */
interface SimulatedCharger {
  readonly chargerId: string
  readonly organisationId: string
  readonly random: Random
  readonly transactions: Array<Transaction>
  clock: number
  registerWh: number
  unanswered: Said | undefined
}

interface Said {
  readonly event: ChargerEvent
  readonly sent: () => void
  readonly heard: (reply: Reply) => void
}

const place = { evseId: 1, connectorId: 1 }
const time = (at: number) => ({ at, raw: new Date(at).toISOString() })
const refused = (reply: Reply): never => assert.fail(`answered ${JSON.stringify(reply)}`)

const idOf = (transaction: Transaction): number => {
  const [id] = transaction.transactionIds
  return id ?? assert.fail("the start was not answered")
}

const startOf = (charger: SimulatedCharger): Said => {
  const transaction: Transaction = {
    chargerId: charger.chargerId,
    connectorId: 1,
    idTag: `CARD-${charger.chargerId}`,
    startedAt: (charger.clock += 1_000),
    meterStartWh: charger.registerWh,
    start: { sent: 0, acknowledged: 0 },
    transactionIds: new Set(),
    readings: [],
    stop: undefined
  }
  charger.transactions.push(transaction)
  return {
    event: {
      _tag: "TransactionStarted",
      place,
      tokenUid: transaction.idTag,
      time: time(transaction.startedAt),
      meterStartWh: transaction.meterStartWh,
      reservationId: undefined
    },
    sent: () => void transaction.start.sent++,
    heard: (reply) => {
      if (reply._tag !== "StartAnswered") return refused(reply)
      transaction.start.acknowledged++
      transaction.transactionIds.add(reply.transactionId)
    }
  }
}

const readingOf = (charger: SimulatedCharger, transaction: Transaction): Said => {
  const reading = { at: (charger.clock += 1_000), wh: charger.registerWh, attempts: { sent: 0, acknowledged: 0 } }
  transaction.readings.push(reading)
  const sample = {
    value: String(reading.wh),
    measurand: "Energy.Active.Import.Register",
    context: "Sample.Periodic",
    format: "Raw",
    location: "Outlet",
    unit: "Wh"
  }
  return {
    event: {
      _tag: "MeterValuesReported",
      place,
      transactionId: idOf(transaction),
      readings: [{ at: reading.at, rawAt: time(reading.at).raw, samples: [sample] }]
    },
    sent: () => void reading.attempts.sent++,
    heard: (reply) => {
      if (reply._tag !== "Acknowledged") return refused(reply)
      reading.attempts.acknowledged++
    }
  }
}

const stopOf = (charger: SimulatedCharger, transaction: Transaction): Said => {
  const stop = {
    at: (charger.clock += 1_000),
    meterStopWh: charger.registerWh,
    reason: "Local",
    attempts: { sent: 0, acknowledged: 0 }
  }
  transaction.stop = stop
  return {
    event: {
      _tag: "TransactionEnded",
      transactionId: idOf(transaction),
      rawTransactionId: String(idOf(transaction)),
      tokenUid: transaction.idTag,
      time: time(stop.at),
      meterStopWh: stop.meterStopWh,
      reason: stop.reason,
      readings: []
    },
    sent: () => void stop.attempts.sent++,
    heard: (reply) => {
      if (reply._tag !== "StopAnswered") return refused(reply)
      stop.attempts.acknowledged++
    }
  }
}

/** What happens next at a charger whose earlier messages have all been answered. */
const nextOf = (charger: SimulatedCharger): Said => {
  const transaction = charger.transactions.at(-1)
  charger.registerWh += between(charger.random, 0, 50)
  if (transaction === undefined || transaction.stop !== undefined) return startOf(charger)
  return charger.random() < 0.5 ? readingOf(charger, transaction) : stopOf(charger, transaction)
}

/** A journal that stores what the chargers in `torn` commit but never returns the outcome to them. */
const tearing = (journal: Journal["Service"], torn: ReadonlyMap<string, Deferred.Deferred<void>>) =>
  journalOf((facts, done) => {
    const committed = torn.get(facts[0]?.chargerId ?? "")
    journal.commitThen(facts, (result) => {
      if (committed === undefined) return done(result)
      if (Result.isSuccess(result)) Deferred.doneUnsafe(committed, Effect.void)
    })
  })

let messages = 0

/** Sends it as a new message and waits for the answer. */
const say = (mailbox: ChargerMailbox, said: Said): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    said.sent()
    mailbox.deliver(said.event, { messageId: String(++messages), raw: "" }, (reply) => {
      said.heard(reply)
      resume(Effect.void)
    })
  })

/** Connects, repeats the message that had no answer, and sends the next one, whose answer it will not receive. */
const live = (charger: SimulatedCharger, torn: Map<string, Deferred.Deferred<void>>) =>
  Effect.gen(function* () {
    const inbox = yield* ChargerInbox
    const { chargerId, organisationId } = charger
    const admission = yield* inbox.admit({
      chargerId,
      organisationId,
      ocppVersion: "1.6",
      securityProfile: 1,
      remoteAddress: "127.0.0.1",
      at: charger.clock
    })
    if (admission._tag !== "Admitted") return assert.fail(`${chargerId} was answered ${admission._tag}`)
    const mailbox = admission.attach(fakeLine())
    if (charger.unanswered !== undefined) yield* say(mailbox, charger.unanswered)
    const said = nextOf(charger)
    const committed = yield* Deferred.make<void>()
    torn.set(chargerId, committed)
    said.sent()
    mailbox.deliver(said.event, { messageId: String(++messages), raw: "" }, () =>
      assert.fail("answered before its end")
    )
    yield* Deferred.await(committed)
    charger.unanswered = said
  })

const presence = Presence.of({
  opened: () => {},
  heard: () => {},
  closed: () => {},
  stored: () => {},
  peek: () => undefined
})

/** One actor for every charger; all actors end with it, each between its commit and its answer. */
const lifeOf = (chargers: ReadonlyArray<SimulatedCharger>) =>
  Effect.gen(function* () {
    const torn = new Map<string, Deferred.Deferred<void>>()
    const world = Layer.mergeAll(
      Layer.succeed(Journal, tearing(yield* Journal, torn)),
      Layer.succeed(ChargerDirectory, yield* ChargerDirectory),
      Layer.succeed(Commands, yield* Commands),
      Layer.succeed(Secrets, yield* Secrets),
      Layer.succeed(Presence, presence)
    )
    const actors = actorsLayer({ ...limits.actors, recording: limits.recording }, decide, evolve).pipe(
      Layer.provide([world, silentPartners])
    )
    yield* Effect.forEach(chargers, (charger) => live(charger, torn), { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(actors)
    )
  })

const storage = Layer.mergeAll(
  JournalStorage.layer(limits.journal),
  CommandsStorage.layer({ ...limits.commands, nodeId: "torn", tls: false, clientCertificates: false }),
  ChargerDirectoryStorage.layer({ ...limits.directory, nodeId: "torn" })
).pipe(Layer.provideMerge(SecretsStorage.layer(Redacted.make("a secret of the fault tests"))))

forEachDriver("F03 in the process", storage, (it, driver) => {
  it.effect(
    "a commit whose caller ended before it got the outcome has happened, once",
    () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: chargerCount }, (_, index) => `TORN-${index}`)
        const { organisationId } = yield* seedChargers(ids)
        // What happens to the session of a refused card is not tested here.
        yield* (yield* SqlClient.SqlClient)`UPDATE organisation SET unknown_tokens = 'Accept', concurrent_transactions = 'Allow'`
        const chargers = ids.map((chargerId): SimulatedCharger => ({
          chargerId,
          organisationId,
          random: randomOf(`F03 ${driver.name} ${chargerId}`),
          transactions: [],
          clock: Date.UTC(2026, 10, 20),
          registerWh: 1_000,
          unanswered: undefined
        }))
        const lives = share(100, 10)
        for (let life = 0; life < lives; life++) yield* lifeOf(chargers)
        const sql = yield* SqlClient.SqlClient
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        const query = (text: string) => run(sql.unsafe<Row>(text))
        const history = chargers.flatMap((charger) => charger.transactions)
        const stored = yield* Effect.promise(() => readStored(query))
        assert.deepStrictEqual(brokenPromises(history, stored, history), [])
        assert.deepStrictEqual(yield* Effect.promise(() => brokenRecords(query)), [])
        report(`F03 in the process, ${driver.name}`, {
          points: lives * chargerCount,
          ...figures(history),
          duplicates: 0
        })
      }),
    1_200_000
  )
})
