/**
 * The rows from which a charger's actor starts, decoded into the domain's `ChargerState`. One query reads many chargers, since they may all
 * reconnect at once.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type ChargerPolicy,
  type ChargerState,
  endedSessionsKept,
  type KnownSession,
  openSessionsKept,
  orphansKept,
  supersededSessionsKept
} from "../../domain/charger/ChargerState.ts"
import { Quirk } from "../../domain/charger/Quirks.ts"
import { SetProfile } from "../../domain/command/ChargingProfile.ts"
import { StoredNegligible, StoredProvisional } from "./Provisional.ts"
import { textArray } from "../kernel/Arrays.ts"
import { ConnectorStatus } from "./ChargerRows.ts"
import { openedEntry, StoredTemplate } from "./SealedConfiguration.ts"
import { authorizationStatuses } from "../../domain/token/Authorization.ts"
import { registrations } from "../../domain/values/Registration.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { transactionActions } from "../../domain/charger/ChargerEvent.ts"

const Optional = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const SessionRow = Schema.Struct({
  sessionId: Schema.String,
  transactionId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  tokenUid: Schema.String,
  startedAt: Schema.Finite,
  heardAt: Schema.Finite,
  clockIgnored: Schema.Boolean,
  meterStartWh: Schema.Finite,
  authorization: Schema.Literals(authorizationStatuses),
  authorizedUntil: Optional(Schema.Finite),
  parentUid: Optional(Schema.String),
  superseded: Schema.Boolean,
  ended: Schema.Boolean,
  endedAt: Optional(Schema.Finite),
  reportedStop: Optional(
    Schema.Struct({
      meterStopWh: Optional(Schema.Finite),
      at: Optional(Schema.Finite),
      namedAt: Optional(Schema.Finite)
    })
  ),
  registerWh: Optional(Schema.Finite),
  registerAt: Optional(Schema.Finite)
})

/** A session as returned by the database function `session_known`. */
export type SessionRow = typeof SessionRow.Type
export type ExistingRow = SessionRow & { readonly ord: number }

const reportedStop = (given: SessionRow["reportedStop"]): KnownSession["reportedStop"] =>
  given === null || given === undefined
    ? undefined
    : {
        meterStopWh: given.meterStopWh ?? undefined,
        at: given.at ?? undefined,
        ...(given.namedAt === null || given.namedAt === undefined ? {} : { namedAt: given.namedAt })
      }

/** The domain's view of a row. */
export const existingSession = (row: SessionRow): KnownSession => ({
  sessionId: row.sessionId,
  transactionId: Number(row.transactionId),
  place: { evseId: row.evseId, connectorId: row.connectorId },
  tokenUid: row.tokenUid,
  startedAt: row.startedAt,
  heardAt: row.heardAt,
  ...(row.clockIgnored ? { clockIgnored: true as const } : {}),
  meterStartWh: row.meterStartWh,
  authorization: row.authorization,
  authorizedUntil: row.authorizedUntil ?? undefined,
  parentUid: row.parentUid ?? undefined,
  status: row.superseded ? "Superseded" : row.ended ? "Ended" : "Open",
  registerWh: row.registerWh ?? undefined,
  registerAt: row.registerAt ?? undefined,
  reportedStop: reportedStop(row.reportedStop),
  // A superseded session is stored as ended at the start that superseded it.
  ...(row.superseded ? { supersededAt: row.endedAt ?? undefined } : { endedAt: row.endedAt ?? undefined })
})

const StateRow = Schema.Struct({
  charger_id: Schema.String,
  organisation_id: Schema.String,
  epoch: Schema.Finite,
  connected_at: Schema.Finite,
  registration: Schema.Literals(registrations),
  booted: Schema.Boolean,
  configured: Schema.Boolean,
  commands_waiting: Schema.Boolean,
  profiles: Optional(Schema.Array(SetProfile)),
  certificate_asked_at: Optional(Schema.Finite),
  manufacturer: Schema.String,
  model: Schema.String,
  firmware_version: Schema.String,
  unknown_tokens: Schema.Literals(["Refuse", "Accept"]),
  concurrent_transactions: Schema.Literals(["Refuse", "Allow"]),
  heartbeat_interval_s: Schema.Int,
  template: Optional(Schema.String),
  quirks: Optional(Schema.String),
  connectors: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        evseId: Schema.Int,
        connectorId: Schema.Int,
        status: ConnectorStatus,
        errorCode: Optional(Schema.String),
        info: Optional(Schema.String),
        vendorId: Optional(Schema.String),
        vendorErrorCode: Optional(Schema.String),
        byOwnClock: Schema.Boolean,
        at: Schema.Finite,
        heardAt: Schema.Finite
      })
    )
  ),
  sessions: Schema.NullOr(Schema.Array(SessionRow)),
  orphans: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        orphanId: Schema.String,
        action: Schema.Literals(transactionActions),
        at: Schema.Finite,
        heardAt: Schema.Finite,
        tokenUid: Optional(Schema.String),
        meterStopWh: Optional(Schema.Finite),
        reason: Optional(Schema.String),
        rawTransactionId: Optional(Schema.String),
        rawAt: Optional(Schema.String),
        hasReadings: Schema.Boolean
      })
    )
  ),
  provisional: Schema.NullOr(StoredProvisional),
  negligible: Schema.NullOr(StoredNegligible)
})

const decodeRow = Schema.decodeUnknownSync(StateRow)
const decodeSession = Schema.decodeUnknownSync(SessionRow)

type Opening = Pick<Secrets["Service"], "open">

/** How many documents and policies are cached, so that an organisation's chargers share them in memory. */
const documentsKept = 256

/** Decodes a document once for all rows with the same text. */
const shared = <S extends Schema.Top & { readonly DecodingServices: never }, A>(
  body: S,
  of: (body: S["Type"], secrets: Opening) => A
) => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(body))
  const known = new Map<string, A>()
  return (text: string, secrets: Opening): A => {
    const found = known.get(text)
    if (found !== undefined) return found
    const decoded = of(decode(text), secrets)
    if (known.size >= documentsKept) known.clear()
    known.set(text, decoded)
    return decoded
  }
}

const templateOf = shared(StoredTemplate, ({ keys }, secrets) => keys.map((one) => openedEntry(secrets, one)))
const quirksOf = shared(Schema.Struct({ rules: Schema.Array(Quirk) }), ({ rules }) => rules)

const expectationsOf = ({ quirks, template }: typeof StateRow.Type, secrets: Opening) => ({
  template: typeof template === "string" ? templateOf(template, secrets) : undefined,
  quirks: typeof quirks === "string" ? quirksOf(quirks, secrets) : undefined
})

const none: ReadonlyArray<never> = []

/** Chargers without any rows share one empty list. */
const eachOf = <A, B>(rows: ReadonlyArray<A> | null, of: (row: A) => B): ReadonlyArray<B> => rows?.map(of) ?? none

/** One object for all chargers of an organisation, as long as nothing in it changes. */
const policies = new Map<string, ChargerPolicy>()

const policyOf = (row: typeof StateRow.Type, secrets: Opening): ChargerPolicy => {
  const { quirks, template } = expectationsOf(row, secrets)
  const kept = policies.get(row.organisation_id)
  if (
    kept !== undefined &&
    kept.unknownTokens === row.unknown_tokens &&
    kept.concurrentTransactions === row.concurrent_transactions &&
    kept.heartbeatIntervalSeconds === row.heartbeat_interval_s &&
    kept.template === template &&
    kept.quirks === quirks
  ) {
    return kept
  }
  const policy: ChargerPolicy = {
    unknownTokens: row.unknown_tokens,
    concurrentTransactions: row.concurrent_transactions,
    heartbeatIntervalSeconds: row.heartbeat_interval_s,
    ...(template === undefined ? {} : { template }),
    ...(quirks === undefined ? {} : { quirks })
  }
  if (policies.size >= documentsKept) policies.clear()
  policies.set(row.organisation_id, policy)
  return policy
}

const toState = (row: typeof StateRow.Type, secrets: Opening): ChargerState => ({
  chargerId: row.charger_id,
  organisationId: row.organisation_id,
  epoch: row.epoch,
  connectedAt: row.connected_at,
  policy: policyOf(row, secrets),
  registration: row.registration,
  booted: row.booted,
  configured: row.configured,
  commandsWaiting: row.commands_waiting,
  certificateAskedAt: row.certificate_asked_at ?? undefined,
  ...(row.profiles === null || row.profiles === undefined ? {} : { profiles: row.profiles }),
  vendor: row.manufacturer,
  model: row.model,
  firmwareVersion: row.firmware_version,
  connectors: eachOf(row.connectors, (c) => ({
    ...c,
    errorCode: c.errorCode ?? undefined,
    info: c.info ?? undefined,
    vendorId: c.vendorId ?? undefined,
    vendorErrorCode: c.vendorErrorCode ?? undefined
  })),
  sessions: eachOf(row.sessions, existingSession),
  orphans: eachOf(row.orphans, (o) => ({
    orphanId: o.orphanId,
    action: o.action,
    at: o.at,
    heardAt: o.heardAt,
    tokenUid: o.tokenUid ?? undefined,
    meterStopWh: o.meterStopWh ?? undefined,
    reason: o.reason ?? undefined,
    rawTransactionId: o.rawTransactionId ?? undefined,
    rawAt: o.rawAt ?? undefined,
    hasReadings: o.hasReadings
  })),
  ...(row.provisional === null ? {} : { provisional: row.provisional }),
  ...(row.negligible === null ? {} : { negligible: row.negligible })
})

/**
 * The states of the chargers that exist, by id, with what `evolve` would have kept in memory. The rest is read when a message refers to it.
 *
 * Each part is looked up by its charger, and the query is written so that this also holds before the tables have statistics. It uses no
 * EXISTS, which PostgreSQL may run by reading all waiting commands. It also does not compare organisations for equality, since each table
 * has an index on them that might be chosen instead.
 */
export const loadStates = (
  { secrets, sql }: { readonly sql: SqlClient.SqlClient; readonly secrets: Opening },
  chargerIds: ReadonlyArray<string>
) =>
  Effect.map(
    sql<Record<string, unknown>>`
      SELECT c.charger_id, c.organisation_id, n.epoch::float8 AS epoch,
        (extract(epoch FROM n.connected_at) * 1000)::float8 AS connected_at, c.registration, c.booted_at IS NOT NULL AS booted,
        (SELECT true FROM charger_configuration f WHERE f.charger_id = c.charger_id) IS NOT NULL AS configured,
        (SELECT true FROM command m WHERE m.charger_id = c.charger_id AND m.status IN ('Pending', 'Sent') LIMIT 1) IS NOT NULL
          AS commands_waiting,
        (SELECT d.body FROM charger_document d WHERE d.charger_id = c.charger_id AND d.kind = 'chargingProfiles') AS profiles,
        (SELECT (d.body ->> 'at')::float8 FROM charger_document d WHERE d.charger_id = c.charger_id AND d.kind = 'certificateAsked')
          AS certificate_asked_at,
        (SELECT d.body::text FROM organisation_document d WHERE d.organisation_id = o.id AND d.kind = 'configurationTemplate') AS template,
        (SELECT d.body::text FROM organisation_document d WHERE d.organisation_id = o.id AND d.kind = 'quirks') AS quirks,
        c.manufacturer, c.model,
        c.firmware_version, o.unknown_tokens, o.concurrent_transactions, o.heartbeat_interval_s, k.connectors, s.sessions, p.orphans,
        (SELECT json_agg(v.body ORDER BY v.begun_at, v.transaction_id) FROM provisional_transaction v
          WHERE v.charger_id = c.charger_id AND v.organisation_id IS NOT DISTINCT FROM c.organisation_id) AS provisional,
        (SELECT json_build_object('day', extract(epoch FROM v.day) * 1000, 'transactions', v.transactions, 'energyWh', v.energy_wh,
          'firstAt', extract(epoch FROM v.first_at) * 1000, 'lastAt', extract(epoch FROM v.last_at) * 1000)
          FROM negligible_transactions v WHERE v.charger_id = c.charger_id ORDER BY v.day DESC LIMIT 1) AS negligible
      FROM unnest(${textArray(chargerIds)}) AS wanted(charger_id)
      JOIN charger c ON c.charger_id = wanted.charger_id
      JOIN organisation o ON o.id = c.organisation_id
      JOIN connection n ON n.charger_id = c.charger_id
      LEFT JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('evseId', evse_id, 'connectorId', connector_id, 'status', status, 'errorCode', error_code,
          'info', info, 'vendorId', vendor_id, 'vendorErrorCode', vendor_error_code, 'byOwnClock', status_at <> heard_at,
          'at', extract(epoch FROM status_at) * 1000, 'heardAt', extract(epoch FROM heard_at) * 1000) ORDER BY evse_id, connector_id) AS connectors
        FROM connector WHERE connector.charger_id = c.charger_id
      ) k ON true
      LEFT JOIN LATERAL (
        SELECT jsonb_agg(session_known(recent.s) ORDER BY (recent.s).created_at, (recent.s).id) AS sessions
        FROM (
          (SELECT x AS s FROM session x WHERE x.charger_id = c.charger_id AND x.organisation_id IS NOT DISTINCT FROM c.organisation_id
            AND x.ended_at IS NULL ORDER BY x.id DESC LIMIT ${openSessionsKept}::int)
          UNION ALL
          (SELECT x AS s FROM session x WHERE x.charger_id = c.charger_id AND x.organisation_id IS NOT DISTINCT FROM c.organisation_id
            AND x.superseded ORDER BY x.id DESC LIMIT ${supersededSessionsKept}::int)
          UNION ALL
          (SELECT last.s FROM (SELECT x AS s FROM session x WHERE x.charger_id = c.charger_id AND x.organisation_id IS NOT DISTINCT FROM c.organisation_id
            AND NOT x.reservation_only ORDER BY x.id DESC LIMIT ${endedSessionsKept}::int) last
            WHERE (last.s).ended_at IS NOT NULL AND NOT (last.s).superseded)
        ) recent
      ) s ON true
      LEFT JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('orphanId', id, 'action', action, 'at', extract(epoch FROM at) * 1000,
          'heardAt', extract(epoch FROM heard_at) * 1000, 'tokenUid', token_uid, 'meterStopWh', meter_stop_wh, 'reason', reason,
          'rawTransactionId', raw_transaction_id, 'rawAt', raw_at, 'hasReadings', readings IS NOT NULL) ORDER BY id) AS orphans
        FROM (
          SELECT * FROM orphan x WHERE x.charger_id = c.charger_id AND x.organisation_id = c.organisation_id AND x.at_hand
            AND x.session_id IS NULL
          ORDER BY x.id DESC LIMIT ${orphansKept}::int
        ) unmatched
      ) p ON true`,
    (rows) => new Map(rows.map((row) => [String(row["charger_id"]), toState(decodeRow(row), secrets)]))
  )

/** Sessions by (charger, transaction id), so that a charger never finds another charger's session. */
export const findSessions = (
  sql: SqlClient.SqlClient,
  wanted: ReadonlyArray<{ readonly chargerId: string; readonly transactionId: number }>
) =>
  Effect.map(
    sql<Record<string, unknown>>`
      SELECT s.charger_id, s.transaction_id, session_known(s) AS known
      FROM unnest(${textArray(wanted.map((w) => w.chargerId))}, ${textArray(wanted.map((w) => String(w.transactionId)))})
        AS w(charger_id, transaction_id)
      JOIN charger c ON c.charger_id = w.charger_id
      JOIN session s ON s.charger_id = w.charger_id AND s.transaction_id = w.transaction_id
        AND s.organisation_id = c.organisation_id`,
    (rows) =>
      new Map(
        rows.map((row) => [
          `${String(row["charger_id"])} ${String(row["transaction_id"])}`,
          existingSession(decodeSession(row["known"]))
        ])
      )
  )
