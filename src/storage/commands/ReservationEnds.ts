/**
 * Applies the ends of commands to reservations, and ends expired ones: they are read, decided by the domain, and stored with the session of
 * a reservation that has a price, its facts, and the callback to the partner that reserved.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import {
  beginsSession,
  type Change,
  changesBy,
  endsSession,
  expiryWaits,
  hearsOfCancellation,
  isCancellation,
  type ReservationEnd,
  sessionEnd,
  type StoredReservation,
  unused
} from "../../domain/command/ReservationEnd.ts"
import { reservationStatuses } from "../../domain/reservation/Reservation.ts"
import { tariffOf } from "../../domain/tariff/Choice.ts"
import { chargesForReservations, TariffElement, assignmentScopes } from "../../domain/tariff/Tariff.ts"
import { int4Array, textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { appendOnce } from "../kernel/Facts.ts"
import { locks } from "../kernel/Locks.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import type { EndedCommand } from "./EndedCommands.ts"

/** The most reservations that one sweep ends; the next sweep comes a second later. */
const dueAtMost = 500

/** Creates the reservations that these commands request, in the transaction that stores the commands. */
export const beginReservations = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) => sql`
  INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, parent_uid, expires_at, status,
    created_at, updated_at)
  SELECT m.id, m.organisation_id, m.charger_id, (m.command ->> 'reservationId')::int, (m.command #>> '{place,evseId}')::int,
    m.command ->> 'tokenUid', m.command ->> 'parentUid', to_timestamp((m.command ->> 'expiresAt')::float8 / 1000), 'Pending', m.created_at,
    m.created_at
  FROM command m WHERE m.id = ANY (${uuidArray(ids)})`

/** A reservation in its stored form. */
export const ReservationRow = Schema.Struct({
  commandId: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  reservationId: Schema.Int,
  evseId: Schema.Int,
  tokenUid: Schema.String,
  parentUid: optional(Schema.String),
  expiresAt: Millis,
  status: Schema.Literals(reservationStatuses),
  reason: optional(Schema.String),
  sessionId: optional(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})

const StoredRow = Schema.Struct({
  ...ReservationRow.fields,
  acceptedAt: optional(Millis),
  hasCharger: Schema.Boolean
})
const storedRows = rowsOf(StoredRow)

const selectStored = (sql: SqlClient.SqlClient) => sql`
  SELECT r.command_id AS "commandId", r.organisation_id AS "organisationId", r.charger_id AS "chargerId", r.reservation_id AS "reservationId",
    r.evse_id AS "evseId", r.token_uid AS "tokenUid", r.parent_uid AS "parentUid", r.expires_at AS "expiresAt", r.status, r.reason,
    r.session_id AS "sessionId", r.accepted_at AS "acceptedAt", r.created_at AS "createdAt", r.updated_at AS "updatedAt",
    EXISTS (SELECT 1 FROM charger c WHERE c.charger_id = r.charger_id AND c.organisation_id = r.organisation_id) AS "hasCharger"
  FROM reservation r`

/** The reservations that the ends may concern: their own, and those that the charger may have under the same number. */
const concerned = (sql: SqlClient.SqlClient, ends: ReadonlyArray<ReservationEnd>) =>
  storedRows(sql`
    ${selectStored(sql)} WHERE r.command_id IN (
      SELECT unnest(${uuidArray(ends.map((end) => end.commandId))})
      UNION
      SELECT o.command_id FROM unnest(${textArray(ends.map((end) => end.chargerId))},
        ${int4Array(ends.map((end) => end.reservationId ?? null))}) AS x(charger_id, reservation_id)
      JOIN reservation o ON o.charger_id = x.charger_id AND o.reservation_id = x.reservation_id AND o.status IN ('Active', 'Unknown'))
    ORDER BY r.command_id`)

const store = (sql: SqlClient.SqlClient, rows: ReadonlyArray<StoredReservation>) => sql`
  UPDATE reservation r SET status = x.status, reason = x.reason, accepted_at = x.accepted_at, updated_at = x.updated_at
  FROM unnest(${uuidArray(rows.map((row) => row.commandId))}, ${textArray(rows.map((row) => row.status))},
    ${textArray(rows.map((row) => row.reason ?? null))}, ${timestamptzArray(rows.map((row) => row.acceptedAt ?? null))},
    ${timestamptzArray(rows.map((row) => row.updatedAt))}) AS x(command_id, status, reason, accepted_at, updated_at)
  WHERE r.command_id = x.command_id`

const assignedRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    siteId: Schema.String,
    timeZone: optional(Schema.String),
    scope: Schema.Literals(assignmentScopes),
    tariffId: Schema.String,
    version: Schema.Int,
    startsAt: optional(Millis),
    endsAt: optional(Millis),
    elements: Schema.Array(TariffElement)
  })
)

/** The connector that a reservation keeps; connector 0 for the whole charger. */
const placeOf = ({ chargerId, evseId }: StoredReservation) => ({ chargerId, evseId, connectorId: Math.min(evseId, 1) })

/** The tariffs that are assigned to the connectors of these reservations, or to their charger, site or organisation. */
const assignedAround = (sql: SqlClient.SqlClient, begun: ReadonlyArray<StoredReservation>) =>
  assignedRows(sql`
    SELECT x.command_id AS "commandId", c.site_id AS "siteId", i.time_zone AS "timeZone", a.scope, t.id AS "tariffId", t.version,
      t.starts_at AS "startsAt", t.ends_at AS "endsAt", v.body -> 'elements' AS elements
    FROM unnest(${uuidArray(begun.map((one) => one.commandId))}, ${uuidArray(begun.map((one) => one.organisationId))},
      ${textArray(begun.map((one) => one.chargerId))}, ${int4Array(begun.map((one) => placeOf(one).evseId))},
      ${int4Array(begun.map((one) => placeOf(one).connectorId))}) AS x(command_id, organisation_id, charger_id, evse_id, connector_id)
    JOIN charger c ON c.charger_id = x.charger_id AND c.organisation_id = x.organisation_id
    LEFT JOIN site i ON i.id = c.site_id AND i.organisation_id = c.organisation_id
    JOIN tariff_assignment a ON a.organisation_id = c.organisation_id AND (
      (a.scope = 'connector' AND a.target = c.charger_id AND a.evse_id = x.evse_id AND a.connector_id = x.connector_id)
      OR (a.scope = 'charger' AND a.target = c.charger_id) OR (a.scope = 'site' AND a.target = c.site_id::text)
      OR (a.scope = 'organisation' AND a.target = ''))
    JOIN tariff t ON t.id = a.tariff_id
    JOIN tariff_version v ON v.tariff_id = t.id AND v.version = t.version`)

/** The tariff of a reservation's session; undefined if there is none, or if it does not charge for reservations. */
const tariffFor = (reservation: StoredReservation, rows: Effect.Success<ReturnType<typeof assignedAround>>) => {
  const place = placeOf(reservation)
  const assigned = rows
    .filter(({ commandId }) => commandId === reservation.commandId)
    .map(({ scope, siteId, ...row }) => ({ ...row, assignment: { scope, siteId, ...place } }))
  const tariff = tariffOf(place, assigned, reservation.acceptedAt ?? 0)
  return tariff !== undefined && chargesForReservations(tariff.elements) ? tariff : undefined
}

/** Creates a session for each of these reservations whose tariff charges for reservations. */
const beginSessions = (sql: SqlClient.SqlClient, begun: ReadonlyArray<StoredReservation>) =>
  Effect.gen(function* () {
    if (begun.length === 0) return
    const rows = yield* assignedAround(sql, begun)
    const tariffs = begun.flatMap((one) => tariffFor(one, rows) ?? [])
    if (tariffs.length === 0) return
    const inserted = yield* sql<{ id: string }>`
      INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid, token_key,
        status, authorization_status, authorization_source, authorized_at, parent_uid, started_at, ended_at, meter_start_wh, created_at,
        updated_at, reservation_id, reservation_only)
      SELECT r.command_id, c.organisation_id, c.charger_id, c.site_id, r.evse_id, least(r.evse_id, 1), 'reservation:' || r.command_id,
        coalesce(c.ocpp_version, '1.6'), r.token_uid, lower(r.token_uid), 'RESERVATION', 'Accepted', 'Reservation', r.accepted_at,
        r.parent_uid, r.accepted_at, r.expires_at, 0, r.accepted_at, r.accepted_at, r.reservation_id, true
      FROM reservation r JOIN charger c ON c.charger_id = r.charger_id AND c.organisation_id = r.organisation_id
      WHERE r.command_id = ANY (${uuidArray(tariffs.map(({ commandId }) => commandId))})
      ON CONFLICT DO NOTHING RETURNING id`
    const kept = new Set(inserted.map(({ id }) => id))
    const chosen = tariffs.filter(({ commandId }) => kept.has(commandId))
    yield* sql`
      INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version, time_zone)
      SELECT s.id, s.organisation_id, x.tariff_id, x.version, x.time_zone
      FROM unnest(${uuidArray(chosen.map((one) => one.commandId))}, ${uuidArray(chosen.map((one) => one.tariffId))},
        ${int4Array(chosen.map((one) => one.version))}, ${textArray(chosen.map((one) => one.timeZone ?? null))})
        AS x(id, tariff_id, version, time_zone)
      JOIN session s ON s.id = x.id ON CONFLICT (session_id) DO NOTHING`
    yield* sql`UPDATE reservation SET session_id = command_id WHERE command_id = ANY (${uuidArray([...kept])})`
    yield* appendOnce(
      sql,
      begun
        .filter(({ commandId }) => kept.has(commandId))
        .map(
          ({ acceptedAt = 0, chargerId, commandId, evseId, expiresAt, organisationId, reservationId, tokenUid }) => ({
            key: `session-reserved|${commandId}`,
            organisationId,
            type: "SessionReserved",
            subject: `charger:${chargerId}`,
            at: acceptedAt,
            heardAt: acceptedAt,
            body: { sessionId: commandId, reservationId, evseId, tokenUid, expiresAt }
          })
        )
    )
  })

/** Ends the sessions of these reservations. A session that a start has replaced no longer exists. */
const endSessions = (sql: SqlClient.SqlClient, over: ReadonlyArray<StoredReservation>) =>
  Effect.gen(function* () {
    if (over.length === 0) return
    const ends = over.map((one) => ({ ...one, end: sessionEnd(one) }))
    const found = yield* sql<{ id: string }>`
      UPDATE session s SET updated_at = x.updated_at, status = x.status, ended_at = x.ended_at
      FROM unnest(${uuidArray(ends.map((one) => one.commandId))}, ${textArray(ends.map(({ end }) => end.status))},
        ${timestamptzArray(ends.map(({ end }) => end.endedAt))}, ${timestamptzArray(ends.map((one) => one.updatedAt))})
        AS x(id, status, ended_at, updated_at)
      WHERE s.id = x.id AND s.reservation_only AND s.status = 'RESERVATION' RETURNING s.id`
    const ended = new Set(found.map(({ id }) => id))
    yield* appendOnce(
      sql,
      over
        .filter(({ commandId }) => ended.has(commandId))
        .map(({ chargerId, commandId, organisationId, reservationId, status, updatedAt }) => ({
          key: `reservation-ended|${commandId}`,
          organisationId,
          type: "ReservationEnded",
          subject: `charger:${chargerId}`,
          at: updatedAt,
          heardAt: updatedAt,
          body: { sessionId: commandId, reservationId, status }
        }))
    )
  })

const callbackRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    partnerId: Schema.String,
    cancelledBy: optional(Schema.Array(Schema.String))
  })
)

/** Creates a callback for each partner that reserved and must be informed that its reservation is gone. */
const callBack = (sql: SqlClient.SqlClient, gone: ReadonlyArray<StoredReservation>) =>
  Effect.gen(function* () {
    if (gone.length === 0) return
    const callbacks = yield* callbackRows(sql`
      SELECT e.command_id AS "commandId", e.partner_id AS "partnerId", (
        SELECT json_agg(m.issued_by) FROM command m
        WHERE m.charger_id = r.charger_id AND m.organisation_id = r.organisation_id AND m.type = 'CancelReservation'
          AND m.created_at >= r.created_at AND (m.command ->> 'reservationId')::int = r.reservation_id) AS "cancelledBy"
      FROM partner_command e JOIN reservation r ON r.command_id = e.command_id AND r.organisation_id = e.organisation_id
      WHERE e.command_id = ANY (${uuidArray(gone.map((one) => one.commandId))})`)
    const heard = callbacks.filter(({ cancelledBy = [], partnerId }) => hearsOfCancellation(partnerId, cancelledBy))
    if (heard.length === 0) return
    yield* sql`
      INSERT INTO partner_callback (command_id, about, organisation_id, answer_by, due_at)
      SELECT r.command_id, 'ReservationCancelled', r.organisation_id, r.updated_at, r.updated_at
      FROM reservation r WHERE r.command_id = ANY (${uuidArray(heard.map(({ commandId }) => commandId))})
      ON CONFLICT DO NOTHING`
  })

/** Stores changes with all their consequences, in a transaction that has the journal's lock. */
const apply = (sql: SqlClient.SqlClient, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    if (changes.length === 0) return
    const last = new Map(changes.map(({ after }) => [after.commandId, after]))
    yield* store(sql, [...last.values()])
    yield* beginSessions(
      sql,
      changes.filter(beginsSession).map(({ after }) => after)
    )
    yield* endSessions(
      sql,
      changes.filter(endsSession).map(({ after }) => after)
    )
    yield* callBack(
      sql,
      changes.filter(isCancellation).map(({ after }) => after)
    )
  })

const isAboutReservation = (end: EndedCommand): end is EndedCommand & ReservationEnd =>
  end.type === "ReserveNow" || end.type === "CancelReservation"

/** Applies the ends of commands to reservations. */
export const followReservations = (sql: SqlClient.SqlClient, ended: ReadonlyArray<EndedCommand>) =>
  Effect.gen(function* () {
    const ends = ended.filter(isAboutReservation)
    if (ends.length === 0) return
    const rows = yield* concerned(sql, ends)
    const known = new Map<string, StoredReservation>(rows.map((row) => [row.commandId, row]))
    const changes = ends.flatMap((end) => {
      const made = changesBy(end, [...known.values()])
      for (const { after } of made) known.set(after.commandId, after)
      return made
    })
    yield* apply(sql, changes)
  })

const due = (sql: SqlClient.SqlClient, now: number) => {
  const { away, connected, returned } = expiryWaits
  return sql<{ id: string }>`
    SELECT r.command_id AS id FROM reservation r LEFT JOIN connection n ON n.charger_id = r.charger_id
    WHERE r.status = 'Active' AND r.session_id IS NOT NULL AND r.expires_at <= ${new Date(now - connected)}
      AND (r.expires_at <= ${new Date(now - away)}
        OR (n.closed_at IS NULL AND (n.connected_at <= r.expires_at OR n.connected_at <= ${new Date(now - returned)})))
    ORDER BY r.expires_at LIMIT ${dueAtMost}::int`
}

/** Ends expired reservations that have a session and that no start has used; returns true if there were any. */
export const expireReservations = (sql: SqlClient.SqlClient, now: number): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const ids = (yield* due(sql, now)).map(({ id }) => id)
    if (ids.length === 0) return false
    const ending = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${locks.journal})`
      const rows = yield* storedRows(sql`
        ${selectStored(sql)} WHERE r.command_id = ANY (${uuidArray(ids)}) AND r.status = 'Active' ORDER BY r.command_id`)
      yield* apply(
        sql,
        rows.map(({ hasCharger, ...row }) => unused(row, hasCharger, now))
      )
    })
    yield* sql.withTransaction(ending)
    return true
  })
