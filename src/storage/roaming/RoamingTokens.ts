/**
 * The port `RoamingTokens` over SQL: partners' tokens, and conflicts where several partners vouch for one. Fetching tokens is in
 * `TokenPulls`.
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { RoamingTokens, type TokenConflict, type TokenIdentity } from "../../domain/token/RoamingTokens.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import {
  isSameButForTime,
  patchedToken,
  type RoamingToken,
  type RoamingTokenBody,
  type RoamingTokenAddress,
  roamingTokenKey,
  type RoamingTokenKey,
  type RoamingTokenPatch,
  type Taken,
  takenAs,
  tokensMax
} from "../../domain/token/RoamingToken.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import type { Window } from "../../domain/values/Window.ts"
import { textArray } from "../kernel/Arrays.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { isAnothers } from "./PartnerParties.ts"
import { contractFields } from "./RoamingRows.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { tokenPulls } from "./TokenPulls.ts"
import { tokenRoom, type TokenRoomOptions } from "./TokenLimit.ts"

const TokenRow = Schema.Struct({
  ...contractFields,
  visualNumber: optional(Schema.String),
  issuer: Schema.String,
  groupUid: optional(Schema.String),
  valid: Schema.Boolean,
  whitelist: Schema.String,
  language: optional(Schema.String),
  defaultProfileType: optional(Schema.String),
  energyContract: optional(Schema.Struct({ supplierName: Schema.String, contractId: Schema.optional(Schema.String) })),
  lastUpdated: Millis
})
const tokenRows = rowsOf(TokenRow)
const countedRows = rowsOf(Schema.Struct({ ...TokenRow.fields, revision: Schema.Int }))

const columns = (sql: SqlClient.SqlClient) => sql`
  t.partner_id AS "partnerId", t.country_code AS "countryCode", t.party_id AS "partyId", t.uid, t.type, t.contract_id AS "contractId",
  t.visual_number AS "visualNumber", t.issuer, t.group_uid AS "groupUid", t.valid, t.whitelist, t.language,
  t.default_profile_type AS "defaultProfileType", t.energy_contract AS "energyContract", t.last_updated AS "lastUpdated"`

/** A partner's stored tokens with these keys. */
const current = (sql: SqlClient.SqlClient, own: Scoped, partnerId: string, keys: ReadonlyArray<RoamingTokenAddress>) =>
  countedRows(own`
    SELECT ${columns(sql)}, t.revision
    FROM (SELECT DISTINCT * FROM unnest(${textArray(keys.map(({ uid }) => tokenKey(uid)))},
      ${textArray(keys.map(({ type }) => type?.toUpperCase() ?? null))}, ${textArray(keys.map(({ countryCode }) => countryCode.toUpperCase()))},
      ${textArray(keys.map(({ partyId }) => partyId.toUpperCase()))}) AS k(uid_key, type_key, country_code, party_id)) w
    JOIN roaming_token t ON t.uid_key = w.uid_key AND (w.type_key IS NULL OR t.type_key = w.type_key) AND t.country_code = w.country_code
      AND t.party_id = w.party_id
    WHERE ${own.rowsOf("t")} AND t.partner_id = ${partnerId}
    ORDER BY t.valid DESC, t.last_updated DESC`)

interface Change {
  readonly before: RoamingTokenBody | undefined
  readonly after: RoamingTokenBody
  readonly revision: number
}

const write = (own: Scoped, partnerId: string, changes: ReadonlyArray<Change>, now: number) => {
  const rows = changes.map(({ after, revision }) => ({
    ...after,
    countryCode: after.countryCode.toUpperCase(),
    partyId: after.partyId.toUpperCase(),
    uid_key: tokenKey(after.uid),
    type_key: after.type.toUpperCase(),
    revision
  }))
  return own`
    INSERT INTO roaming_token (organisation_id, partner_id, uid_key, type_key, country_code, party_id, uid, type, contract_id, visual_number,
      issuer, group_uid, valid, whitelist, language, default_profile_type, energy_contract, last_updated, revision, created_at, updated_at)
    SELECT ${own.id}, ${partnerId}, x.uid_key, x.type_key, x."countryCode", x."partyId", x.uid, x.type, x."contractId", x."visualNumber",
      x.issuer, x."groupUid", x.valid, x.whitelist, x.language, x."defaultProfileType", x."energyContract",
      to_timestamp(x."lastUpdated" / 1000), x.revision, ${new Date(now)}, ${new Date(now)}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS x(uid_key text, type_key text, "countryCode" text, "partyId" text,
      uid text, type text, "contractId" text, "visualNumber" text, issuer text, "groupUid" text, valid boolean, whitelist text,
      language text, "defaultProfileType" text, "energyContract" jsonb, "lastUpdated" float8, revision int)
    ON CONFLICT (organisation_id, uid_key, type_key, country_code, party_id, partner_id) DO UPDATE SET uid = excluded.uid,
      type = excluded.type, contract_id = excluded.contract_id, visual_number = excluded.visual_number, issuer = excluded.issuer,
      group_uid = excluded.group_uid, valid = excluded.valid, whitelist = excluded.whitelist, language = excluded.language,
      default_profile_type = excluded.default_profile_type, energy_contract = excluded.energy_contract,
      last_updated = excluded.last_updated, revision = excluded.revision, updated_at = excluded.updated_at`
}

const factOfChange = (partnerId: string, { after, before, revision }: Change, audit: AuditContext) => {
  const { countryCode, partyId, uid } = after
  const subject = `roaming-token:${countryCode}*${partyId}*${uid}`
  const fact = factOf("RoamingTokenChanged", subject, `${partnerId}:${roamingTokenKey(after)}:${revision}`, audit)
  const given = before === undefined ? {} : { before: { ...before, partnerId } }
  return { ...fact, body: { by: audit.by.actor, ...given, after: { ...after, partnerId } } }
}

/**
 * The facts of changes. Each change of a token is one fact, whose key has the token and the number of its changes. A partner that sends all its tokens
 * every day with a new time and the same content changes nothing.
 */
const factsOfChanges = (partnerId: string, changes: ReadonlyArray<Change>, audit: AuditContext) =>
  changes
    .filter(({ after, before }) => before === undefined || !isSameButForTime(after, before))
    .map((change) => factOfChange(partnerId, change, audit))

const bodyOf = ({ partnerId: _, ...body }: RoamingToken): RoamingTokenBody => body

type Stored = RoamingToken & { readonly revision: number }

const typed: TokenIdentity = { isByUid: false }

/** The same key for tokens that count as one. */
const keyBy =
  ({ isByUid }: TokenIdentity) =>
  (token: RoamingTokenKey): string =>
    roamingTokenKey(isByUid ? { ...token, type: "" } : token)

const untyped = <A extends RoamingTokenAddress>(token: A): RoamingTokenAddress => ({ ...token, type: undefined })

/**
 * Applies tokens to the stored ones, in their order; if one token is sent twice, both are applied. `stored` has all types of each uid. The
 * revision counts the changes of all of them, so that a type that was given up and comes back is a new fact.
 */
const laidOver = (
  stored: ReadonlyArray<Stored>,
  sent: ReadonlyArray<RoamingTokenBody>,
  now: number,
  identity: TokenIdentity
) => {
  const keyOf = keyBy(identity)
  const uidOf = keyBy({ isByUid: true })
  // The first of several stored tokens is the one that is meant.
  const found = new Map(stored.toReversed().map(({ revision: _, ...token }) => [keyOf(token), bodyOf(token)]))
  const revisions = new Map<string, number>()
  for (const { revision, ...token } of stored) {
    revisions.set(uidOf(token), Math.max(revisions.get(uidOf(token)) ?? 0, revision))
  }
  const changes = new Map<string, Change>()
  const taken = sent.map((token): Taken => {
    const key = keyOf(token)
    const before = found.get(key)
    const what = takenAs(token, changes.get(key)?.after ?? before, now)
    if (what === "Created" || what === "Replaced") {
      changes.set(key, { before, after: token, revision: (revisions.get(uidOf(token)) ?? 0) + 1 })
    }
    return what
  })
  return { taken, changes: [...changes.values()] }
}

/** Stores changes. If a uid identifies only one token, tokens of the same uid with other types are deleted. */
const store = (
  own: Scoped,
  partnerId: string,
  changes: ReadonlyArray<Change>,
  { isByUid }: TokenIdentity,
  now: number
) =>
  Effect.gen(function* () {
    if (changes.length === 0) return
    yield* write(own, partnerId, changes, now)
    if (!isByUid) return
    const keys = changes.map(({ after }) => after)
    yield* own`
      DELETE FROM roaming_token t USING unnest(${textArray(keys.map(({ uid }) => tokenKey(uid)))},
        ${textArray(keys.map(({ type }) => type.toUpperCase()))}, ${textArray(keys.map(({ countryCode }) => countryCode.toUpperCase()))},
        ${textArray(keys.map(({ partyId }) => partyId.toUpperCase()))}) AS k(uid_key, type_key, country_code, party_id)
      WHERE ${own.rowsOf("t")} AND t.partner_id = ${partnerId} AND t.uid_key = k.uid_key AND t.type_key <> k.type_key
        AND t.country_code = k.country_code AND t.party_id = k.party_id`
  })

const put = ({ journaled, sql }: Recording, room: ReturnType<typeof tokenRoom>) =>
  Effect.fn("RoamingTokens.put")(function* (
    partnerId: string,
    tokens: ReadonlyArray<RoamingTokenBody>,
    audit: AuditContext,
    identity: TokenIdentity = typed
  ) {
    yield* storable(tokens)
    if (tokens.length === 0) return []
    const own = scopedTo(sql, audit.by.organisationId)
    yield* room.look(own, partnerId, tokens.length, audit.now)
    const transaction = Effect.gen(function* () {
      const stored = yield* current(sql, own, partnerId, tokens.map(untyped))
      const { changes, taken } = laidOver(stored, tokens, audit.now, identity)
      yield* room.take(partnerId, changes.filter(({ before }) => before === undefined).length)
      yield* store(own, partnerId, changes, identity, audit.now)
      return { result: taken, facts: factsOfChanges(partnerId, changes, audit) }
    })
    return yield* journaled(refusingValues(transaction))
  })

const sameType = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase()

const notFound = ({ uid }: RoamingTokenAddress) => new NotFound({ kind: "token", id: uid })

const patch = ({ journaled, sql }: Recording) =>
  Effect.fn("RoamingTokens.patch")(function* (
    partnerId: string,
    address: RoamingTokenAddress,
    change: RoamingTokenPatch,
    audit: AuditContext,
    identity: TokenIdentity = typed
  ) {
    yield* storable({ address, change })
    const own = scopedTo(sql, audit.by.organisationId)
    const transaction = Effect.gen(function* () {
      const stored = yield* current(sql, own, partnerId, [untyped(address)])
      const first = stored.find(({ type }) => address.type === undefined || sameType(type, address.type))
      if (first === undefined) return yield* notFound(address)
      const { revision: _, ...token } = first
      const after = patchedToken(bodyOf(token), change, audit.now)
      const { changes, taken } = laidOver(stored, [after], audit.now, identity)
      yield* store(own, partnerId, changes, identity, audit.now)
      return { result: taken[0]!, facts: factsOfChanges(partnerId, changes, audit) }
    })
    return yield* journaled(refusingValues(transaction))
  })

const find = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingTokens.find")(function* (organisationId: string, partnerId: string, address: RoamingTokenAddress) {
    const unstorable = yield* Effect.isFailure(storable(address))
    const [found] = unstorable ? [] : yield* guarded(current(sql, scopedTo(sql, organisationId), partnerId, [address]))
    if (found === undefined) return yield* notFound(address)
    const { revision: _, ...token } = found
    return token
  })

const placeRow = rowOf(
  Schema.Struct({
    countryCode: Schema.String,
    partyId: Schema.String,
    id: Schema.String,
    evses: optional(Schema.Array(Schema.Struct({ uid: Schema.String, evseId: Schema.Int })))
  })
)

const placeOf = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingTokens.placeOf")(function* (organisationId: string, chargerId: string, evseId: number | undefined) {
    const own = scopedTo(sql, organisationId)
    const row = yield* guarded(
      placeRow(own`
        SELECT p.country_code AS "countryCode", p.party_id AS "partyId", s.id, (
          SELECT json_agg(json_build_object('uid', e.uid, 'evseId', e.evse_id) ORDER BY e.evse_id) FROM evse e
          WHERE e.organisation_id = c.organisation_id AND e.charger_id = c.charger_id AND e.site_id = c.site_id AND e.removed_at IS NULL
            AND (${evseId ?? null}::int IS NULL OR e.evse_id = ${evseId ?? null}::int)
        ) AS evses
        FROM charger c JOIN site s ON s.id = c.site_id
        JOIN party p ON p.organisation_id = s.organisation_id AND (p.id = s.party_id OR (s.party_id IS NULL AND p.is_default))
        WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`)
    )
    if (row === undefined) return undefined
    const { countryCode, evses, id, partyId } = row
    return { party: { countryCode, partyId }, location: evses === undefined ? undefined : { id, evses } }
  })

const pages = pagedList("token-conflicts", TextKey, ({ key }: { readonly key: string }) => key)

const keyRows = rowsOf(Schema.Struct({ key: Schema.String }))

/**
 * Whether `roaming_token t` vouches for a driver. Tokens of unregistered or suspended partners do not, and neither do a hub's tokens of a
 * party that is a partner itself.
 */
export const isVouching = (sql: SqlClient.SqlClient, own: Scoped) => own`
  t.type_key = 'RFID' AND t.valid AND EXISTS (
    SELECT 1 FROM partner p WHERE ${own.rowsOf("p")} AND p.id = t.partner_id AND p.status = 'Registered' AND NOT p.suspended)
    AND NOT ${isAnothers(sql, "t")}`

const conflicts = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingTokens.conflicts")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const vouching = isVouching(sql, own)
    const rows = yield* guarded(
      keyRows(own`
        SELECT t.uid_key AS key FROM roaming_token t
        WHERE ${own.rowsOf("t")} ${after === undefined ? sql`` : sql`AND t.uid_key > ${after}`} AND ${vouching}
        GROUP BY t.uid_key HAVING count(*) > 1 ORDER BY t.uid_key LIMIT ${pages.rows(request)}`)
    )
    const tokens = yield* guarded(
      tokenRows(own`
        SELECT ${columns(sql)} FROM roaming_token t
        WHERE ${own.rowsOf("t")} AND t.uid_key = ANY (${textArray(rows.map(({ key }) => key))}) AND ${vouching}
        ORDER BY t.uid_key, t.country_code, t.party_id, t.partner_id`)
    )
    return pages.page(request, rows, ({ key }): TokenConflict => {
      const ofUid = tokens.filter(({ uid }) => tokenKey(uid) === key)
      return { uid: ofUid[0]?.uid ?? key, tokens: ofUid }
    })
  })

/** Reads one token more than the page has, to know whether there is another page. */
const window = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingTokens.window")(function* (
    organisationId: string,
    partnerId: string,
    { limit, offset }: Pick<Window, "offset" | "limit">
  ) {
    const own = scopedTo(sql, organisationId)
    const found = yield* guarded(
      tokenRows(own`
        SELECT ${columns(sql)} FROM roaming_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${partnerId}
        ORDER BY t.uid_key, t.type_key, t.country_code, t.party_id OFFSET ${offset}::int LIMIT ${limit + 1}::int`)
    )
    return { items: found.slice(0, limit), total: offset + found.length }
  })

/** Provides `RoamingTokens` with a given limit. */
export const layerWithin = (options: TokenRoomOptions): Layer.Layer<RoamingTokens, never, RecordingServices> =>
  Layer.effect(
    RoamingTokens,
    Effect.map(recording, (records) =>
      RoamingTokens.of({
        find: find(records.sql),
        put: put(records, tokenRoom(records.sql, options)),
        patch: patch(records),
        placeOf: placeOf(records.sql),
        conflicts: conflicts(records.sql),
        window: window(records.sql),
        ...tokenPulls(records)
      })
    )
  )

export const layer = layerWithin({ tokensMax })
