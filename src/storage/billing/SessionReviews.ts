/**
 * The port `SessionReviews` over SQL. A decision about a session and the resulting records are one transaction: the ledger is read after
 * the decision within it.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { rowBytes } from "../../domain/operator/WriteBudget.ts"
import { cdrOf, creditOf } from "../../domain/cdr/Cdr.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { ChargingSession } from "../../domain/session/ChargingSession.ts"
import { correctedFigures, stillRunning, tariffAfterwards } from "../../domain/session/Correcting.ts"
import { type Correction, type Doubted, SessionReviews } from "../../domain/session/SessionReviews.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { isPriced, priceOf, toSessionPrice } from "../../domain/session/Ledger.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { around } from "../tariffs/PlacedAssignments.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { cdrColumns, cdrRows, type Insert, insertCdrs, issuedFact } from "./Cdrs.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { putPrices } from "./Ledgers.ts"
import { ledgerOf, ledgerRows, ledgers } from "./LedgerRows.ts"
import { rowOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { sessionColumns, sessionOf, SessionRow, withReview } from "../charging/SessionRows.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

const sessionRow = rowOf(SessionRow)

/** The current state of a session. */
const current = ({ sql }: Recording, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const row = isUuid(id)
      ? yield* sessionRow(
          own`SELECT ${sessionColumns(sql)} FROM session s ${withReview(sql)} WHERE ${own.rowsOf("s")} AND s.id = ${id}`
        )
      : undefined
    return row === undefined ? yield* new NotFound({ kind: "session", id }) : sessionOf({ ...row, price: null })
  })

const hold = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("SessionReviews.hold")(function* (doubted: ReadonlyArray<Doubted>, now: number) {
    if (doubted.length === 0) return
    const write = Effect.gen(function* () {
      const held = yield* sql<{ readonly sessionId: string }>`
        INSERT INTO session_review (session_id, organisation_id, held_reason, updated_at)
        SELECT x.session_id, x.organisation_id, x.reason, ${new Date(now)}
        FROM unnest(${uuidArray(doubted.map((one) => one.sessionId))}, ${uuidArray(doubted.map((one) => one.organisationId))},
          ${textArray(doubted.map((one) => one.reason))}) AS x(session_id, organisation_id, reason)
        -- One whose record was credited is billed again by a correction only: a release would find its revision billed, and issue nothing.
        WHERE NOT EXISTS (SELECT 1 FROM cdr d WHERE d.session_id = x.session_id AND d.credits IS NULL)
        ON CONFLICT (session_id) DO NOTHING RETURNING session_id AS "sessionId"`
      const fresh = new Set(held.map(({ sessionId }) => sessionId))
      const facts = doubted
        .filter(({ sessionId }) => fresh.has(sessionId))
        .map(({ organisationId, reason, sessionId }) => {
          const by = { organisationId, actor: "platform" }
          const fact = factOf("SessionHeld", `session:${sessionId}`, secrets.uuid(now), { by, now })
          return { ...fact, body: { by: "platform", after: { sessionId, heldReason: reason } } }
        })
      return { result: undefined, facts }
    })
    yield* journaled(write)
  })

/** An operator has looked at the session: it no longer waits for a review, and a contradiction between two stops is settled. */
const looked = (own: Scoped, sessionId: string) =>
  own`UPDATE session s SET reviewed = true, contradicted = false
    WHERE ${own.rowsOf("s")} AND s.id = ${sessionId} AND (NOT s.reviewed OR s.contradicted)`

/** Gives a partner's session that began without a tariff the one that is assigned by now, if any. */
const withTariff = (sql: SqlClient.SqlClient, own: Scoped, sessionId: string, session: ChargingSession) =>
  Effect.gen(function* () {
    if (session.roaming === undefined) return
    const chosen = tariffAfterwards(session, yield* around(sql)(session.organisationId, session.chargerId))
    if (chosen === undefined) return
    yield* own`
      INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version, time_zone)
      SELECT ${sessionId}, ${own.id}, ${chosen.tariffId}, ${chosen.version}::int,
        (SELECT i.time_zone FROM site i WHERE ${own.rowsOf("i")} AND i.id = ${session.siteId})
      ON CONFLICT (session_id) DO NOTHING`
  })

/** The records that result from a decision: the record in force is credited, and a correct one is issued. */
const rebilled = (recording: Recording, own: Scoped, session: ChargingSession, { by, now }: AuditContext) =>
  Effect.gen(function* () {
    const { secrets, sql } = recording
    const { id: sessionId } = session
    yield* withTariff(sql, own, sessionId, session)
    const before = yield* cdrRows(own`
      SELECT ${cdrColumns(sql)} FROM cdr d
      WHERE ${own.rowsOf("d")} AND d.session_id = ${sessionId} AND d.credits IS NULL
        AND NOT EXISTS (SELECT 1 FROM cdr c WHERE c.credits = d.id)`)
    const credits = before.map((cdr) => ({ ...cdr, id: secrets.uuid(now), credits: cdr.id, body: creditOf(cdr) }))
    const rows = yield* ledgerRows(ledgers(sql, own`${own.rowsOf("s")} AND s.id = ${sessionId}`, true))
    const ledger = rows.map(ledgerOf).find(isPriced)
    const bills: Array<Insert> = []
    if (ledger !== undefined) {
      const priced = priceOf(ledger)
      const { organisationId, updatedAt: basedOn } = ledger.session
      bills.push({ ...cdrOf(ledger, priced), id: secrets.uuid(now), credits: null })
      // In the same transaction, so that no reader sees the old price with the new record.
      yield* putPrices(sql, [{ sessionId, organisationId, basedOn, price: toSessionPrice(ledger, priced) }])
    }
    const stored = [...credits, ...bills].length === 0 ? [] : yield* insertCdrs(sql, [...credits, ...bills], now)
    // Records are kept as long as their session, so what a caller adds by corrections counts against the caller's budget.
    const bytes = stored.reduce((sum, { body }) => sum + rowBytes + Buffer.byteLength(JSON.stringify(body)), 0)
    return { facts: stored.map((cdr) => issuedFact(cdr, by.actor, now)), bytes }
  })

const release = (records: Recording) =>
  Effect.fn("SessionReviews.release")(function* (sessionId: string, audit: AuditContext) {
    const { by, now } = audit
    const own = scopedTo(records.sql, by.organisationId)
    const write = Effect.gen(function* () {
      const session = yield* current(records, own, sessionId)
      const { endedAt, heldReason } = session
      if (heldReason === undefined) {
        return yield* new Conflict({
          code: "not_held",
          message: "This session is not held, so there is nothing to release."
        })
      }
      // One whose start had no register is held from its start on.
      if (endedAt === undefined) return yield* stillRunning("Release")
      yield* own`
        INSERT INTO session_review (session_id, organisation_id, released_at, updated_at)
        VALUES (${sessionId}, ${own.id}, ${new Date(now)}, ${new Date(now)})
        ON CONFLICT (session_id) DO UPDATE SET released_at = excluded.released_at, updated_at = excluded.updated_at`
      yield* looked(own, sessionId)
      const fact = factOf("SessionReleased", `session:${sessionId}`, records.secrets.uuid(now), audit)
      const released = { ...fact, body: { by: by.actor, before: { sessionId, heldReason }, after: { sessionId } } }
      const { bytes, facts } = yield* rebilled(records, own, session, audit)
      return { result: undefined, facts: [released, ...facts], bytes }
    })
    yield* records.journaled(write)
  })

const correct = (records: Recording) =>
  Effect.fn("SessionReviews.correct")(function* (sessionId: string, given: Correction, audit: AuditContext) {
    yield* storable({ reason: given.reason })
    const { by, now } = audit
    const own = scopedTo(records.sql, by.organisationId)
    const write = Effect.gen(function* () {
      const session = yield* current(records, own, sessionId)
      const figures = correctedFigures(session, given)
      if ("_tag" in figures) return yield* figures
      const { endedAt, energyWh, startedAt } = figures.after
      const revision = (session.revision ?? 0) + 1
      yield* own`
        INSERT INTO session_review (session_id, organisation_id, released_at, revision, energy_wh, started_at, ended_at, updated_at)
        VALUES (${sessionId}, ${own.id}, ${new Date(now)}, ${revision}, ${energyWh}, ${new Date(startedAt)}, ${new Date(endedAt)},
          ${new Date(now)})
        ON CONFLICT (session_id) DO UPDATE SET released_at = excluded.released_at, revision = excluded.revision,
          energy_wh = excluded.energy_wh, started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at`
      yield* looked(own, sessionId)
      const fact = factOf("SessionCorrected", `session:${sessionId}`, records.secrets.uuid(now), audit)
      const after = { sessionId, energyWh, startedAt, endedAt, revision, reason: given.reason }
      const corrected = { ...fact, body: { by: by.actor, before: { sessionId, ...figures.before }, after } }
      const { bytes, facts } = yield* rebilled(records, own, session, audit)
      return { result: undefined, facts: [corrected, ...facts], bytes }
    })
    yield* records.journaled(refusingValues(write))
  })

export const layer: Layer.Layer<SessionReviews, never, RecordingServices> = Layer.effect(
  SessionReviews,
  Effect.map(recording, (records) =>
    SessionReviews.of({ hold: hold(records), release: release(records), correct: correct(records) })
  )
)
