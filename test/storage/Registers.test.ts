/** Meter values, from the journal through the readings of sessions to their records: raw and interpreted, and signed ones byte for byte. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import type { ChargerDocumentChanged, MeterRead, SessionEnded, SessionStarted } from "../../src/domain/charger/Fact.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import type { MeteredReading, Sample } from "../../src/domain/charger/MeterValue.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { energy } from "../support/events.ts"
import { ended, freshId, metered, noon, seedChargers, started, type Transaction } from "../support/journalFacts.ts"
import { nastyTexts } from "../support/nastyText.ts"
import { repositories } from "../support/repositories.ts"

const world = Layer.merge(repositories, JournalRepository.layer(limits.journal))

const minute = 60_000

/** A charger whose sessions cost 1 for each kWh, and one session of it. */
const charging = (chargerId: string, start: Partial<SessionStarted["body"]> = {}) =>
  Effect.gen(function* () {
    const tariffs = yield* Tariffs
    const commit = yield* decidedCommit
    const seeded = yield* seedChargers([chargerId])
    const { organisationId } = seeded
    const principal = { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
    const writing = { by: principal, now: noon }
    const elements = [{ priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }]
    const tariff = yield* tariffs.create({ currency: "EUR", elements }, writing)
    yield* tariffs.assign(tariff.id, { scope: "organisation" }, writing)
    const tx: Transaction = { chargerId, sessionId: freshId(), transactionId: 7 }
    const begun = started(seeded, tx)
    yield* commit([{ ...begun, body: { ...begun.body, ...start } }])
    const read = (at: number, registerWh: number | undefined, ...samples: ReadonlyArray<Sample>): MeterRead => {
      const fact = metered(seeded, tx, at, registerWh ?? 0)
      const reading: MeteredReading = { at, rawAt: "raw", samples, registerWh }
      const registerAt = registerWh === undefined ? undefined : at
      return {
        ...fact,
        key: `${fact.key}${JSON.stringify(samples)}`,
        body: { ...fact.body, readings: [reading], registerWh, registerAt }
      }
    }
    const stop = (body: Partial<SessionEnded["body"]> = {}): SessionEnded => {
      const fact = ended(seeded, tx)
      return { ...fact, body: { ...fact.body, ...body } }
    }
    return { commit, organisationId, read, seeded, sessionId: tx.sessionId, stop, writing }
  })

const records = (organisationId: string, sessionId: string) =>
  Effect.gen(function* () {
    while (yield* repricing(defaultPriceOptions)) {}
    const { items } = yield* (yield* Cdrs).list(organisationId, { limit: 10, sessionId })
    return items
  })

const signed = (value: string, context = "Sample.Periodic"): Sample => energy(value, { format: "SignedData", context })

forEachDriver("Registers", world, (it) => {
  it.effect("a reading is stored as it was sent, next to its interpretation", () =>
    Effect.gen(function* () {
      const { commit, organisationId, read, sessionId } = yield* charging("R-1")
      const samples = [energy("0002.50", { unit: "KWH", phase: "L1" }), energy("1", { location: "Roof" })]
      yield* commit([read(noon + minute, 100_002_500, ...samples)])
      yield* commit([read(noon + 2 * minute, undefined, energy("n/a"))])
      const untimed = read(noon + 3 * minute, undefined, energy("later"))
      const [reading] = untimed.body.readings
      const readings = [{ ...reading!, at: undefined, rawAt: "25:61" }]
      yield* commit([{ ...untimed, body: { ...untimed.body, readings } }])
      const sessions = yield* Sessions
      const { items } = yield* sessions.readings(organisationId, sessionId, { limit: 10 })
      const readingAt = (n: number) => ({
        at: noon + n * minute,
        heardAt: noon + n * minute + 500,
        rawAt: undefined,
        energyWh: undefined
      })
      assert.deepStrictEqual(items, [
        { ...readingAt(1), energyWh: 100_002_500, samples },
        { ...readingAt(2), samples: [energy("n/a")] },
        { ...readingAt(3), at: noon + 3 * minute + 500, rawAt: "25:61", samples: [energy("later")] }
      ])
      assert.strictEqual((yield* sessions.get(organisationId, sessionId)).energyWh, 100_001_500)
    })
  )

  it.effect("a missing start register is taken from the stop, and the session is billed", () =>
    Effect.gen(function* () {
      const { commit, organisationId, sessionId, stop } = yield* charging("R-2", {
        meterStartWh: 0,
        meterStartMissing: true
      })
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.get(organisationId, sessionId)).heldReason, "MeterStartMissing")
      yield* commit([stop({ meterStartWh: 1_000_000, meterStopWh: 1_005_000, energyWh: 5000 })])
      const session = yield* sessions.get(organisationId, sessionId)
      assert.deepInclude(session, { meterStartWh: 1_000_000, meterStopWh: 1_005_000, energyWh: 5000 })
      assert.isUndefined(session.heldReason)
      const [record, ...others] = yield* records(organisationId, sessionId)
      assert.deepStrictEqual([record?.body.meterStartWh, record?.body.total.exclVat, others.length], [1_000_000, 5, 0])
      assert.isUndefined(record?.body.signedData)
    })
  )

  it.effect("a session that is held while it runs is released only after its end, and billed once by its stop", () =>
    Effect.gen(function* () {
      const { commit, organisationId, read, sessionId, stop, writing } = yield* charging("R-2-c", {
        meterStartWh: 0,
        meterStartMissing: true
      })
      const reviews = yield* SessionReviews
      const sessions = yield* Sessions
      yield* commit([read(noon + minute, 1_000_500)])
      assert.deepInclude(yield* sessions.get(organisationId, sessionId), {
        status: "ACTIVE",
        heldReason: "MeterStartMissing"
      })
      const refusal = yield* Effect.flip(reviews.release(sessionId, writing))
      assert.deepInclude(refusal, {
        code: "session_running",
        message: "This session is still running. Release it after it has ended."
      })
      assert.deepStrictEqual(yield* records(organisationId, sessionId), [])
      yield* commit([stop({ meterStartWh: 1_000_000, meterStopWh: 1_005_000, energyWh: 5000 })])
      const [record, ...others] = yield* records(organisationId, sessionId)
      assert.deepInclude(record, { revision: 0, startedAt: noon, endedAt: noon + 60 * minute })
      assert.deepStrictEqual([record?.body.total.exclVat, others.length], [5, 0])
      assert.deepInclude(yield* sessions.get(organisationId, sessionId), { heldReason: undefined, contradicted: false })
    })
  )

  it.effect("a session without a start register stays held when another one gets its own in the same commit", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, sessionId, stop } = yield* charging("R-2-b", {
        meterStartWh: 0,
        meterStartMissing: true
      })
      const other: Transaction = { chargerId: "R-2-b", sessionId: freshId(), transactionId: 8 }
      const begun = started(seeded, other)
      yield* commit([{ ...begun, body: { ...begun.body, meterStartWh: 0, meterStartMissing: true } }])
      const brought = ended(seeded, other)
      yield* commit([stop(), { ...brought, body: { ...brought.body, meterStartWh: 1000, energyWh: 1000 } }])
      const held = (id: string) =>
        Effect.map(
          Effect.flatMap(Sessions, ({ get }) => get(organisationId, id)),
          ({ heldReason }) => heldReason
        )
      assert.deepStrictEqual([yield* held(sessionId), yield* held(other.sessionId)], ["MeterStartMissing", undefined])
    })
  )

  it.effect("a repeated stop does not change the start register", () =>
    Effect.gen(function* () {
      const { commit, organisationId, sessionId, stop } = yield* charging("R-3", { meterStartWh: 0 })
      yield* commit([stop()])
      yield* commit([stop({ meterStartWh: 700 })])
      const { heldReason, meterStartWh } = yield* (yield* Sessions).get(organisationId, sessionId)
      assert.deepStrictEqual([meterStartWh, heldReason], [0, undefined])
    })
  )

  it.effect("a start register from a stop that was received before the start is used too", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded } = yield* charging("R-3-b")
      const tx: Transaction = { chargerId: "R-3-b", sessionId: freshId(), transactionId: 8 }
      const start = started(seeded, tx, { at: noon + 90 * minute })
      const stop = ended(seeded, tx, { at: noon + 120 * minute })
      yield* commit([
        { ...start, body: { ...start.body, meterStartWh: 0, meterStartMissing: true } },
        { ...stop, requires: start.key, body: { ...stop.body, meterStartWh: 5000, energyWh: 1000 } }
      ])
      const session = yield* (yield* Sessions).get(organisationId, tx.sessionId)
      assert.deepInclude(session, { meterStartWh: 5000, energyWh: 1000, heldReason: undefined })
    })
  )

  it.effect("a repeated start without a register holds nothing, and another organisation's stop changes nothing", () =>
    Effect.gen(function* () {
      const { commit, organisationId, seeded, sessionId } = yield* charging("R-3-c")
      const start = started(seeded, { chargerId: "R-3-c", sessionId, transactionId: 7 })
      yield* commit([{ ...start, body: { ...start.body, meterStartWh: 0, meterStartMissing: true } }])
      const other = yield* seedChargers(["R-3-d"])
      const stop = ended(other, { chargerId: "R-3-d", sessionId, transactionId: 9 })
      yield* commit([{ ...stop, body: { ...stop.body, meterStartWh: 5000 } }])
      const session = yield* (yield* Sessions).get(organisationId, sessionId)
      assert.deepInclude(session, { meterStartWh: 1000, heldReason: undefined })
    })
  )

  it.effect("signed values are returned byte for byte by readings and records, whatever they contain", () =>
    Effect.gen(function* () {
      const { commit, organisationId, read, sessionId, stop, writing } = yield* charging("R-4")
      const ocmf = `OCMF|{"FV":"1.0","RD":[{"TX":"B","RV":1.0}],"ü":"😀 \\n \\u0041"}|{"SD":"30 45\\""}`
      const sql = yield* SqlClient.SqlClient
      const keys = [
        { key: "MeterPublicKey[2]", value: "other" },
        { key: "meterPublicKey[1]", value: "3059301306" }
      ]
      yield* sql`INSERT INTO charger_configuration (charger_id, keys, reported_at) VALUES ('R-4', ${JSON.stringify(keys)}::text::jsonb, now())`
      const long = `${"\t\r\n \u2028\u0001é😀\\".repeat(1000)}=`
      const values = [
        signed(ocmf),
        signed(long, "Transaction.End"),
        signed("SignedData"),
        signed('"format":"SignedData"')
      ]
      yield* Effect.forEach(values, (sample, n) =>
        commit([read(noon + n * minute, 1000 + n, sample, energy(1000 + n))])
      )
      // The same text at another time is another reading; the same reading again is not.
      yield* commit([read(noon + minute, 1001, values[1]!, energy(1001))])
      yield* commit([read(noon + 5 * minute, undefined, signed(long))])
      yield* commit([stop()])
      const { items } = yield* (yield* Sessions).readings(organisationId, sessionId, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ samples }) => samples[0]?.value),
        [...values.map(({ value }) => value), long]
      )
      const [record] = yield* records(organisationId, sessionId)
      assert.deepStrictEqual(record?.body.signedData, {
        publicKey: "3059301306",
        signedValues: [
          {
            nature: "Start",
            plainData: ocmf.slice(5, ocmf.indexOf('|{"SD"')),
            signedData: ocmf
          },
          { nature: "End", signedData: long },
          { nature: "Intermediate", signedData: "SignedData" },
          { nature: "Intermediate", signedData: '"format":"SignedData"' }
        ]
      })
      const credit = yield* (yield* Cdrs).credit(record?.id ?? "", writing)
      assert.deepStrictEqual(credit.body.signedData, record?.body.signedData)
    })
  )

  it.effect("records have the meter's key that the charger sent as vendor data, unless its configuration has one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sent = (
        organisationId: string,
        chargerId: string,
        evseId: number,
        publicKey: string
      ): ChargerDocumentChanged => ({
        type: "ChargerDocumentChanged",
        key: `${chargerId}|${evseId}|${publicKey}`,
        organisationId,
        chargerId,
        at: noon,
        heardAt: noon,
        body: { kind: `meterKey:${evseId}`, document: { publicKey } }
      })
      const keyOf = Effect.fnUntraced(function* (chargerId: string, evses: ReadonlyArray<number>, configured: boolean) {
        const { commit, organisationId, read, sessionId, stop } = yield* charging(chargerId)
        if (configured) {
          const keys = JSON.stringify([{ key: "MeterPublicKey[1]", value: "configured" }])
          yield* sql`INSERT INTO charger_configuration (charger_id, keys, reported_at) VALUES (${chargerId}, ${keys}::text::jsonb, now())`
        }
        for (const key of ["older", "newer"]) {
          yield* commit(evses.map((evseId) => sent(organisationId, chargerId, evseId, `${key}-${evseId}`)))
        }
        yield* commit([read(noon + minute, 2000, signed("begin", "Transaction.Begin"))])
        yield* commit([stop()])
        return (yield* records(organisationId, sessionId))[0]?.body.signedData?.publicKey
      })
      assert.deepStrictEqual(
        [
          yield* keyOf("R-K1", [0, 1, 2], false),
          yield* keyOf("R-K2", [0, 2], false),
          yield* keyOf("R-K3", [2], false),
          yield* keyOf("R-K4", [1], true)
        ],
        ["newer-1", "newer-0", undefined, "configured"]
      )
    })
  )

  it.effect("signed values with difficult texts are returned unchanged by readings and records", () =>
    Effect.gen(function* () {
      const { commit, organisationId, read, sessionId, stop } = yield* charging("R-5")
      const texts = nastyTexts.filter((text) => text !== "").slice(0, 12)
      yield* commit([
        read(noon + minute, 2000, signed("begin", "Transaction.Begin"), ...texts.map((text) => signed(text)))
      ])
      yield* commit([stop()])
      const { items } = yield* (yield* Sessions).readings(organisationId, sessionId, { limit: 10 })
      assert.deepStrictEqual(
        items[0]?.samples.map(({ value }) => value),
        ["begin", ...texts]
      )
      const [record] = yield* records(organisationId, sessionId)
      assert.deepStrictEqual(
        record?.body.signedData?.signedValues.map(({ signedData }) => signedData),
        ["begin", ...texts.slice(0, 8)]
      )
    })
  )

  it.effect("a record has the first nine and the last of a thousand signed readings, and corrections keep them", () =>
    Effect.gen(function* () {
      const { commit, organisationId, read, sessionId, stop, writing } = yield* charging("R-6")
      const at = (n: number) => noon + n * 1000
      const facts = Array.from({ length: 1000 }, (_, n) =>
        read(at(n), 1000 + n, signed(`v${n}`, n === 0 ? "Transaction.Begin" : n === 999 ? "Transaction.End" : "Other"))
      )
      yield* commit(facts)
      yield* commit([stop()])
      const [record] = yield* records(organisationId, sessionId)
      const values = record?.body.signedData?.signedValues.map(({ signedData }) => signedData)
      assert.deepStrictEqual(values, ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v999"])
      yield* (yield* SessionReviews).correct(
        sessionId,
        { energyWh: 1, startedAt: undefined, endedAt: undefined, reason: "test" },
        writing
      )
      const corrected = yield* records(organisationId, sessionId)
      assert.strictEqual(corrected.length, 3)
      for (const { body } of corrected) assert.deepStrictEqual(body.signedData, record?.body.signedData)
    })
  )
})
