/**
 * The port `PartnerCallbacks` over SQL. A callback is due once its command has ended or its time is up. A process that takes one has it for
 * a limited time. So two processes do not send it twice, and if one dies, another takes over.
 */
import { Clock, Effect, Layer, Schedule, Schema, type Scope, Stream } from "effect"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import { type NewPartnerCallback, answerSeconds, partnerCallbackKinds } from "../../domain/command/PartnerCallback.ts"
import {
  type CallbackKey,
  type DueCallback,
  PartnerCallbacks,
  type RepeatedStart,
  type ReservationWanted,
  callbackSubjects
} from "../../domain/command/PartnerCallbacks.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { type Recording, type RecordingServices, recording } from "../kernel/Facts.ts"
import { putGrant } from "./TokenGrants.ts"
import { Notifications } from "../kernel/Notifications.ts"
import { optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { commandStatuses } from "../../domain/command/Command.ts"
import type { SqlClient } from "effect/sql"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { uuid7 } from "../../domain/values/Uuid7.ts"
import { deletedInPieces } from "../kernel/InPieces.ts"

/**
 * How long callbacks are kept: longer than any session or reservation lasts, and longer than partners ask about them. The commands
 * themselves are kept with the charger's history.
 */
const keptMillis = 90 * 24 * 60 * 60 * 1000

const every = "1 hour"

/** Rows in one statement, and statements in one sweep. */
const pieces = { rows: 1_000, statements: 50 }

/**
 * Deletes the callbacks of commands from before `before` (ms since 1970), and names of reservations without a command. Returns the number
 * of deleted callbacks.
 */
export const forgetCallbacks = (sql: SqlClient.SqlClient, before: number) =>
  Effect.gen(function* () {
    // Ids of commands begin with their time of issue, so the oldest are neighbours in the index.
    const first = uuid7(before, new Uint8Array(10))
    const gone = yield* deletedInPieces(
      pieces,
      (rows) => sql`
        DELETE FROM partner_command WHERE command_id IN (
          SELECT command_id FROM partner_command WHERE command_id < ${first} ORDER BY command_id LIMIT ${rows}::int)
        RETURNING command_id`
    )
    yield* sql`
      DELETE FROM partner_reservation r WHERE r.created_at < ${new Date(before)} AND NOT EXISTS (
        SELECT 1 FROM partner_command e
        WHERE e.partner_id = r.partner_id AND e.kind = 'ReserveNow' AND lower(e.reference) = r.reference_key AND e.location_id = r.location_id)`
    return gone
  })

/** Sweeps until the scope closes. */
const sweepCallbacks = (
  sql: SqlClient.SqlClient,
  writable: Effect.Effect<void, StorageUnavailable>
): Effect.Effect<void, never, Scope.Scope> => {
  const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.andThen(writable, guardedWrite(forgetCallbacks(sql, now - keptMillis)))
  )
  const guarded = Effect.catch(sweep, () => Effect.void)
  return Effect.asVoid(Effect.forkScoped(Effect.repeat(guarded, Schedule.spaced(every))))
}

const minuteMillis = 60_000

const sealPurpose = sealPurposes.responseUrl

/** The maximum length of the stored reason why a partner could not be reached. */
const problemMax = 500

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** Stores a command's callback with what the partner must receive, and the grant for the card that it allows to charge. */
export const putCallback = (
  own: Scoped,
  secrets: Recording["secrets"],
  command: { readonly id: string; readonly chargerId: string },
  callback: NewPartnerCallback,
  now: number
) =>
  Effect.gen(function* () {
    const { correlationId, from, grant, kind, locationId, partnerId, reference, responseUrl, sessionId, to, version } =
      callback
    yield* own`
      INSERT INTO partner_command (command_id, organisation_id, partner_id, kind, version, response_url, correlation_id, from_party, to_party,
        location_id, reference, session_id, created_at)
      VALUES (${command.id}, ${own.id}, ${partnerId}, ${kind}, ${version}, ${secrets.seal(sealPurpose, responseUrl)}, ${correlationId},
        ${json(from)}::text::jsonb, ${json(to)}::text::jsonb, ${locationId ?? null}, ${reference ?? null}, ${sessionId ?? null},
        ${new Date(now)})`
    yield* own`
      INSERT INTO partner_callback (command_id, about, organisation_id, answer_by, due_at)
      VALUES (${command.id}, 'Result', ${own.id}, ${new Date(now + answerSeconds * 1000)}, ${new Date(now)})`
    if (grant !== undefined) yield* putGrant(own, command.id, command.chargerId, grant, now)
  })

const Party = Schema.Struct({ countryCode: Schema.String, partyId: Schema.String })

const dueRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    about: Schema.Literals(callbackSubjects),
    organisationId: Schema.String,
    partnerId: Schema.String,
    sessionId: optional(Schema.String),
    kind: Schema.Literals(partnerCallbackKinds),
    version: Schema.String,
    responseUrl: Schema.String,
    correlationId: Schema.String,
    from: optional(Party),
    to: optional(Party),
    tries: Schema.Int,
    status: Schema.Literals(commandStatuses),
    result: optional(Schema.Record(Schema.String, Schema.Unknown)),
    connectorStatus: optional(Schema.String)
  })
)

const take = ({ secrets, sql, writable }: Recording) =>
  Effect.fn("Callbacks.take")(function* (wanted: Parameters<PartnerCallbacks["Service"]["take"]>[0]) {
    const { except, leaseMillis, limit, limitPerPartner, now } = wanted
    const at = new Date(now)
    yield* writable
    const rows = yield* guardedWrite(
      dueRows(sql`
        WITH ready AS (
          SELECT b.command_id, b.about, row_number() OVER (PARTITION BY e.partner_id ORDER BY b.due_at) AS place
          FROM partner_callback b
          JOIN partner_command e ON e.command_id = b.command_id AND e.organisation_id = b.organisation_id
          JOIN command m ON m.id = b.command_id AND m.organisation_id = b.organisation_id
          WHERE b.state = 'Open' AND b.due_at <= ${at} AND e.partner_id <> ALL (${uuidArray(except)})
            AND (b.about <> 'Result' OR m.status NOT IN ('Pending', 'Sent') OR b.answer_by <= ${at})
            -- First things first: no partner hears that a reservation is gone before it has heard that it was there.
            AND (b.about = 'Result' OR NOT EXISTS (
              SELECT 1 FROM partner_callback f WHERE f.command_id = b.command_id AND f.about = 'Result' AND f.state = 'Open'))
        ), due AS (
          SELECT b.command_id, b.about FROM partner_callback b
          JOIN ready r ON r.command_id = b.command_id AND r.about = b.about AND r.place <= ${limitPerPartner}::int
          -- Looked at again once it is locked: another process may have taken it.
          WHERE b.state = 'Open' AND b.due_at <= ${at}
          ORDER BY b.due_at LIMIT ${limit}::int FOR UPDATE OF b SKIP LOCKED
        ), taken AS (
          UPDATE partner_callback b SET due_at = ${new Date(now + leaseMillis)}, tries = b.tries + 1
          FROM due d WHERE b.command_id = d.command_id AND b.about = d.about
          RETURNING b.command_id, b.about, b.tries
        )
        SELECT t.command_id AS "commandId", t.about, t.tries, e.organisation_id AS "organisationId", e.partner_id AS "partnerId", e.session_id AS "sessionId",
          e.kind, e.version, e.response_url AS "responseUrl", e.correlation_id AS "correlationId", e.from_party AS "from", e.to_party AS "to",
          m.status, m.result, (
            SELECT k.status FROM connector k
            WHERE k.charger_id = m.charger_id AND k.evse_id = (m.command #>> '{place,evseId}')::int
            ORDER BY k.connector_id LIMIT 1) AS "connectorStatus"
        FROM taken t
        JOIN partner_command e ON e.command_id = t.command_id
        JOIN command m ON m.id = e.command_id AND m.organisation_id = e.organisation_id
        ORDER BY e.created_at`)
    )
    return rows.map((row): DueCallback => ({ ...row, responseUrl: secrets.open(sealPurpose, row.responseUrl) }))
  })

const nextDue = ({ sql }: Recording) =>
  Effect.map(
    guarded(sql<{ at: number | null }>`
      SELECT (extract(epoch FROM min(b.due_at)) * 1000)::float8 AS at FROM partner_callback b WHERE b.state = 'Open'`),
    ([row]) => row?.at ?? undefined
  )

const ends = ({ sql, writable }: Recording) => {
  const write = (
    { about, commandId, tries }: CallbackKey,
    state: "Open" | "Done" | "GivenUp",
    problem: string | null,
    at: number
  ) =>
    Effect.andThen(
      writable,
      guardedWrite(sql`
        UPDATE partner_callback SET state = ${state}, problem = ${problem?.slice(0, problemMax) ?? null},
          due_at = CASE WHEN ${state} = 'Open' THEN ${new Date(at)}::timestamptz ELSE due_at END,
          done_at = CASE WHEN ${state} = 'Open' THEN NULL ELSE ${new Date(at)}::timestamptz END
        WHERE command_id = ${commandId} AND about = ${about} AND tries = ${tries}::int AND state = 'Open'`)
    ).pipe(Effect.asVoid)
  return {
    reported: (key: CallbackKey, now: number) => write(key, "Done", null, now),
    retry: (key: CallbackKey, problem: string, dueAt: number) => write(key, "Open", problem, dueAt),
    giveUp: (key: CallbackKey, problem: string, now: number) => write(key, "GivenUp", problem, now)
  }
}

const numberRow = rowOf(Schema.Struct({ reservationId: Schema.Int }))
const reservationRow = rowOf(
  Schema.Struct({
    commandId: Schema.String,
    chargerId: Schema.String,
    siteId: Schema.String,
    evseId: Schema.Int,
    reservationId: Schema.Int
  })
)

const reservations = ({ sql, writable }: Recording) => ({
  reservationNumber: Effect.fn("Callbacks.reservationNumber")(function* (
    organisationId: string,
    { locationId, partnerId, reference }: Required<ReservationWanted>,
    fresh: number,
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    yield* writable
    const row = yield* guardedWrite(
      numberRow(own`
        INSERT INTO partner_reservation AS r (partner_id, location_id, reference_key, organisation_id, reservation_id, created_at)
        VALUES (${partnerId}, ${locationId ?? ""}, ${reference.toLowerCase()}, ${own.id}, ${fresh}, ${new Date(now)})
        ON CONFLICT (partner_id, reference_key, location_id) DO UPDATE SET reservation_id = r.reservation_id
        RETURNING reservation_id AS "reservationId"`)
    )
    return row?.reservationId ?? fresh
  }),
  reservation: Effect.fn("Callbacks.reservation")(
    (organisationId: string, { locationId, partnerId, reference }: ReservationWanted, now: number) => {
      const own = scopedTo(sql, organisationId)
      return guarded(
        reservationRow(own`
          SELECT r.command_id AS "commandId", r.charger_id AS "chargerId", c.site_id AS "siteId", r.evse_id AS "evseId", r.reservation_id AS "reservationId"
          FROM partner_command e
          JOIN reservation r ON r.command_id = e.command_id AND r.organisation_id = e.organisation_id
          JOIN charger c ON c.charger_id = r.charger_id AND c.organisation_id = r.organisation_id
          WHERE ${own.rowsOf("e")} AND e.partner_id = ${partnerId} AND e.kind = 'ReserveNow' AND lower(e.reference) = ${reference.toLowerCase()}
            ${locationId === undefined ? sql`` : sql`AND e.location_id = ${locationId}`}
            AND r.status IN ('Pending', 'Active', 'Unknown') AND r.expires_at > ${new Date(now)}
          ORDER BY e.command_id DESC LIMIT 1`)
      )
    }
  )
})

const repeatedRow = rowOf(Schema.Struct({ commandId: Schema.String }))

/**
 * A repeated request within a minute counts as the same command. After that, the charger no longer waits for the driver, and gets a new
 * command.
 */
const repeated = ({ secrets, sql, writable }: Recording) =>
  Effect.fn("Callbacks.repeated")(function* (organisationId: string, start: RepeatedStart, now: number) {
    const own = scopedTo(sql, organisationId)
    const { correlationId, evse, idTag, locationId, partnerId, reference, responseUrl } = start
    yield* writable
    const row = yield* guardedWrite(
      repeatedRow(own`
        WITH first AS (
          SELECT e.command_id FROM partner_command e
          JOIN command m ON m.id = e.command_id AND m.organisation_id = e.organisation_id
          JOIN token_grant g ON g.command_id = e.command_id
          WHERE ${own.rowsOf("e")} AND e.partner_id = ${partnerId} AND e.kind = 'StartSession' AND lower(e.reference) = ${reference.toLowerCase()}
            AND e.location_id = ${locationId} AND e.created_at > ${new Date(now - minuteMillis)}
            AND g.uid_key = ${tokenKey(idTag)}
            ${evse === undefined ? sql`` : sql`AND g.charger_id = ${evse.chargerId} AND g.evse_id = ${evse.evseId}::int`}
            AND m.status IN ('Pending', 'Sent', 'Accepted')
          ORDER BY e.command_id DESC LIMIT 1
        ), turned AS (
          UPDATE partner_command e SET response_url = ${secrets.seal(sealPurpose, responseUrl)}, correlation_id = ${correlationId}
          FROM first f WHERE e.command_id = f.command_id
        )
        UPDATE partner_callback b SET state = 'Open', tries = 0, problem = NULL, done_at = NULL, due_at = ${new Date(now)},
          answer_by = ${new Date(now + answerSeconds * 1000)}
        FROM first f WHERE b.command_id = f.command_id AND b.about = 'Result'
        RETURNING b.command_id AS "commandId"`)
    )
    return row !== undefined
  })

const profilesRow = rowOf(Schema.Struct({ profileId: optional(Schema.Int), lastMinute: Schema.Int }))

const profiles = ({ sql }: Recording) =>
  Effect.fn("Callbacks.profiles")(function* (
    organisationId: string,
    { partnerId, sessionId }: { readonly partnerId: string; readonly sessionId: string },
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const mine = sql`e.partner_id = ${partnerId} AND e.session_id = ${sessionId}
      AND e.kind IN ('SetProfile', 'ActiveProfile', 'ClearProfile')`
    const row = yield* guarded(
      profilesRow(own`
        SELECT (
          SELECT (m.command #>> '{profile,profileId}')::int FROM partner_command e
          JOIN command m ON m.id = e.command_id AND m.organisation_id = e.organisation_id
          WHERE ${own.rowsOf("e")} AND ${mine} AND e.kind = 'SetProfile' AND m.status IN ('Pending', 'Sent', 'Accepted', 'TimedOut', 'Failed')
          ORDER BY e.command_id DESC LIMIT 1) AS "profileId",
          (SELECT count(*)::int FROM partner_command e
          WHERE ${own.rowsOf("e")} AND ${mine} AND e.created_at > ${new Date(now - minuteMillis)}) AS "lastMinute"`)
    )
    return row ?? { profileId: undefined, lastMinute: 0 }
  })

export const layer: Layer.Layer<PartnerCallbacks, never, RecordingServices | Notifications> = Layer.effect(
  PartnerCallbacks,
  Effect.gen(function* () {
    const records = yield* recording
    const notifications = yield* Notifications
    yield* sweepCallbacks(records.sql, records.writable)
    return PartnerCallbacks.of({
      take: take(records),
      nextDue: nextDue(records),
      ...ends(records),
      ...reservations(records),
      repeated: repeated(records),
      profiles: profiles(records),
      ended: Stream.map(notifications.listen("voltlane_command_ended"), () => undefined)
    })
  })
)
