/**
 * What decides on a card, read for many cards at once. The card itself (the organisation's own or a partner's) changes rarely and is cached
 * in memory. A lookup reads it only if its organisation's stamp (`token_stamp`) has changed, which every write of cards does in its
 * transaction. So a cached card is never older than the sessions, reservations and grants that are read in the same statement.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { FoundToken, StartWanted } from "../../domain/charger/Decision.ts"
import { type Token, tokenKey, tokenStatuses, tokenTypes } from "../../domain/token/Token.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { GrantDocument, grantsOf } from "../commands/TokenGrants.ts"
import { float8Array, int4Array, textArray, timestamptzArray, unsized, uuidArray } from "../kernel/Arrays.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { isAnothers } from "../roaming/PartnerParties.ts"
import { contractFields } from "../roaming/RoamingRows.ts"
import type { Card, CardMemory, KnownCard } from "./CardMemory.ts"
import { isClosed, SessionRow } from "./SessionRows.ts"
import { startColumns, startFacts, startFields, startJoins } from "./StartFacts.ts"

export interface TokenWanted {
  readonly organisationId: string
  readonly tokenUid: string
  readonly chargerId: string
  /** ms epoch. */
  readonly at: number
  readonly start?: StartWanted | undefined
}

const CardDocument = Schema.Struct({
  token: Schema.NullOr(
    Schema.Struct({
      uid: Schema.String,
      type: Schema.Literals(tokenTypes),
      status: Schema.Literals(tokenStatuses),
      parentUid: Schema.NullOr(Schema.String),
      expiresAt: Schema.NullOr(Schema.Finite),
      visualNumber: Schema.NullOr(Schema.String),
      note: Schema.NullOr(Schema.String),
      createdAt: Schema.Finite,
      updatedAt: Schema.Finite
    })
  ),
  roaming: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        ...contractFields,
        valid: Schema.Boolean,
        groupUid: Schema.NullOr(Schema.String),
        whitelist: Schema.String
      })
    )
  ),
  askable: Schema.NullOr(Schema.Array(Schema.String))
})

/** Null if the cached card is up to date. */
const cardFields = { stamp: Schema.Finite, card: Schema.NullOr(CardDocument) }

const placeFields = {
  ...cardFields,
  reservations: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        commandId: Schema.String,
        reservationId: Schema.Int,
        evseId: Schema.Int,
        tokenUid: Schema.String,
        parentUid: Schema.NullOr(Schema.String),
        expiresAt: Schema.Finite,
        status: Schema.Literals(["Pending", "Active", "Unknown", "Expired"]),
        sessionId: Schema.NullOr(Schema.String),
        createdAt: Schema.Finite
      })
    )
  ),
  granted: Schema.NullOr(Schema.Array(GrantDocument)),
  open: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        chargerId: Schema.String,
        evseId: Schema.Int,
        sessionId: Schema.String,
        startedAt: Schema.Finite,
        source: SessionRow.fields.authorizationSource
      })
    )
  )
}
const AskedRow = Schema.Struct(placeFields)
const StartRow = Schema.Struct({ ...placeFields, ...startFields })
const decodeAsked = Schema.decodeUnknownSync(AskedRow)
const decodeStart = Schema.decodeUnknownSync(StartRow)

/** How many reservations of one charger are read, those that expire last first: many times more than it has connectors. */
const reservationsLooked = 100

/** How many partners' cards with one uid are read: two that vouch for it are as good as a hundred. */
const roamingLooked = 20

const tokenOf = (organisationId: string, { token }: typeof CardDocument.Type): Token | undefined =>
  token === null
    ? undefined
    : {
        ...token,
        organisationId,
        parentUid: token.parentUid ?? undefined,
        expiresAt: token.expiresAt ?? undefined,
        visualNumber: token.visualNumber ?? undefined,
        note: token.note ?? undefined
      }

const cardOf = (organisationId: string, card: typeof CardDocument.Type): Card => ({
  token: tokenOf(organisationId, card),
  roaming: (card.roaming ?? []).map((one) => ({ ...one, groupUid: one.groupUid ?? undefined })),
  ...(card.askable === null ? {} : { askable: card.askable })
})

/** A lookup, and the cached card if there is one. */
interface Looked {
  readonly wanted: TokenWanted
  readonly known: KnownCard | undefined
}

const factsOf = (card: Card, row: typeof AskedRow.Type): FoundToken => ({
  ...card,
  reservations: (row.reservations ?? []).map((one) => ({
    ...one,
    parentUid: one.parentUid ?? undefined,
    sessionId: one.sessionId ?? undefined
  })),
  ...(row.granted === null ? {} : { granted: row.granted }),
  openSessions: row.open ?? []
})

/** The card itself, unless it is cached with the same stamp as `v`'s. */
const cardColumn = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN w.known IS DISTINCT FROM coalesce(v.stamp, 0) THEN json_build_object('token', (
      SELECT json_build_object('uid', t.uid, 'type', t.type, 'status', t.status, 'parentUid', t.parent_uid,
        'expiresAt', extract(epoch FROM t.expires_at) * 1000, 'visualNumber', t.visual_number, 'note', t.note,
        'createdAt', extract(epoch FROM t.created_at) * 1000, 'updatedAt', extract(epoch FROM t.updated_at) * 1000)
      FROM token t WHERE t.organisation_id = w.organisation_id AND t.uid_key = w.uid_key
    ), 'roaming', (
      SELECT json_agg(json_build_object('partnerId', c.partner_id, 'countryCode', c.country_code, 'partyId', c.party_id, 'uid', c.uid,
        'type', c.type, 'contractId', c.contract_id, 'valid', c.valid, 'groupUid', c.group_uid, 'whitelist', c.whitelist))
      FROM (
        SELECT y.* FROM roaming_token y JOIN partner p ON p.id = y.partner_id
        WHERE y.organisation_id = w.organisation_id AND y.uid_key = w.uid_key AND y.type_key = 'RFID'
          AND p.status = 'Registered' AND NOT p.suspended AND NOT ${isAnothers(sql, "y")}
        ORDER BY y.valid DESC, y.country_code, y.party_id, y.partner_id LIMIT ${roamingLooked}::int
      ) c
    ), 'askable', (
      SELECT json_agg(p.id ORDER BY p.id) FROM partner p
      WHERE p.organisation_id = w.organisation_id AND p.status = 'Registered' AND NOT p.suspended
        AND (p.switches ->> 'askUnknownTokens') = 'true'
    )) END AS card`

/** First tests whether there are any reservations. Most cards and chargers have none, and an empty list costs as much as a full one. */
const reservationsColumn = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN (
    -- In an order, since EXISTS may read a charger's past reservations one by one.
    SELECT e.expires_at FROM reservation e WHERE e.charger_id = w.charger_id AND e.expires_at > w.at
      AND e.status IN ('Pending', 'Active', 'Unknown', 'Expired') ORDER BY e.expires_at DESC LIMIT 1
  ) IS NOT NULL THEN (
    SELECT json_agg(json_build_object('commandId', r.command_id, 'reservationId', r.reservation_id, 'evseId', r.evse_id,
      'tokenUid', r.token_uid, 'parentUid', r.parent_uid, 'expiresAt', extract(epoch FROM r.expires_at) * 1000, 'status', r.status,
      'createdAt', extract(epoch FROM r.created_at) * 1000, 'sessionId', (
        SELECT s.id FROM session s WHERE s.id = r.session_id AND s.organisation_id = r.organisation_id AND s.reservation_only)))
    FROM (
      SELECT x.* FROM reservation x
      WHERE x.charger_id = w.charger_id AND x.organisation_id = w.organisation_id AND x.expires_at > w.at
        AND x.status IN ('Pending', 'Active', 'Unknown', 'Expired')
      ORDER BY x.expires_at DESC LIMIT ${reservationsLooked}::int
    ) r
  ) END AS reservations`

const openColumn = (sql: SqlClient.SqlClient) => sql`(
  SELECT json_agg(json_build_object('chargerId', s.charger_id, 'evseId', s.evse_id, 'sessionId', s.id,
    'startedAt', extract(epoch FROM s.started_at) * 1000, 'source', s.authorization_source))
  FROM session s
  WHERE s.organisation_id = w.organisation_id AND s.token_key = w.uid_key AND s.ended_at IS NULL
    AND s.authorization_status = 'Accepted' AND NOT ${isClosed(sql)}
) AS open`

/** The columns that all lookups have, for `w(organisation_id, uid_key, charger_id, at, known)`. */
const columns = (sql: SqlClient.SqlClient) => sql`
  coalesce(v.stamp, 0)::float8 AS stamp, ${cardColumn(sql)}, ${reservationsColumn(sql)}, ${grantsOf(sql)} AS granted, ${openColumn(sql)}`

const asked = (
  sql: SqlClient.SqlClient,
  looked: ReadonlyArray<Looked>
): Statement.Statement<Record<string, unknown>> => {
  const wanted = looked.map((one) => one.wanted)
  return sql`
    SELECT ${columns(sql)}
    FROM unnest(${unsized(sql, uuidArray(wanted.map((w) => w.organisationId)))}, ${textArray(wanted.map((w) => tokenKey(w.tokenUid)))},
      ${textArray(wanted.map((w) => w.chargerId))}, ${timestamptzArray(wanted.map((w) => w.at))},
      ${float8Array(looked.map(({ known }) => known?.stamp ?? null))})
      WITH ORDINALITY AS w(organisation_id, uid_key, charger_id, at, known, ord)
    LEFT JOIN token_stamp v ON v.organisation_id = w.organisation_id
    ORDER BY w.ord`
}

const starting = (
  sql: SqlClient.SqlClient,
  looked: ReadonlyArray<Looked>
): Statement.Statement<Record<string, unknown>> => {
  const wanted = looked.map((one) => one.wanted)
  return sql`
    SELECT ${columns(sql)}, ${startColumns(sql)}
    FROM unnest(${unsized(sql, uuidArray(wanted.map((w) => w.organisationId)))}, ${textArray(wanted.map((w) => tokenKey(w.tokenUid)))},
      ${textArray(wanted.map((w) => w.chargerId))}, ${timestamptzArray(wanted.map((w) => w.at))},
      ${float8Array(looked.map(({ known }) => known?.stamp ?? null))},
      ${int4Array(wanted.map((w) => w.start?.place.evseId ?? null))}, ${int4Array(wanted.map((w) => w.start?.place.connectorId ?? null))},
      ${timestamptzArray(wanted.map((w) => w.start?.sentSince ?? null))})
      WITH ORDINALITY AS w(organisation_id, uid_key, charger_id, at, known, evse_id, connector_id, sent_since, ord)
    LEFT JOIN token_stamp v ON v.organisation_id = w.organisation_id
    ${startJoins(sql)}
    ORDER BY w.ord`
}

/** The card of a row: the cached one if it is up to date, otherwise the one that was read, which is cached. */
const settled = (
  { known, wanted }: Looked,
  { card, stamp }: typeof AskedRow.Type,
  memory: CardMemory | undefined
): Card => {
  if (card === null && known !== undefined) {
    memory?.held()
    return known.card
  }
  const { organisationId, tokenUid } = wanted
  const fresh = cardOf(organisationId, card ?? { token: null, roaming: null, askable: null })
  memory?.remember(organisationId, tokenKey(tokenUid), { stamp, card: fresh })
  return fresh
}

type Find = (wanted: ReadonlyArray<TokenWanted>) => Effect.Effect<ReadonlyArray<FoundToken>, StorageUnavailable>

const lookedUp = (wanted: ReadonlyArray<TokenWanted>, memory: CardMemory | undefined): ReadonlyArray<Looked> =>
  wanted.map((one) => ({ wanted: one, known: memory?.recall(one.organisationId, tokenKey(one.tokenUid)) }))

/** What decides on tokens, at one moment. None of the lookups is for a start. */
export const findTokens =
  (sql: SqlClient.SqlClient, memory?: CardMemory): Find =>
  (wanted) => {
    const looked = lookedUp(wanted, memory)
    return Effect.map(guarded(asked(sql, looked)), (rows) =>
      rows.map((found, i) => {
        const row = decodeAsked(found)
        return factsOf(settled(looked[i]!, row, memory), row)
      })
    )
  }

/** The same for tokens with which sessions start, with what only a start needs. */
export const findStarts =
  (sql: SqlClient.SqlClient, memory?: CardMemory): Find =>
  (wanted) => {
    const looked = lookedUp(wanted, memory)
    return Effect.map(guarded(starting(sql, looked)), (rows) =>
      rows.map((found, i) => {
        const row = decodeStart(found)
        const { chargerId, start } = wanted[i]!
        const facts = factsOf(settled(looked[i]!, row, memory), row)
        return start === undefined ? facts : { ...facts, start: startFacts(chargerId, start, row) }
      })
    )
  }
