/**
 * Registrations of partners, a part of the port `Partners`: which tokens of both sides are valid. Each change is one transaction, so a
 * crash leaves either the tokens from before or those from after it.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, type NotFound } from "../../domain/Errors.ts"
import {
  expectedTokensMax,
  isRegistered,
  type Partner,
  retiringTokenHours,
  type TokenUse
} from "../../domain/roaming/Partner.ts"
import type { Invitation, Registration } from "../../domain/roaming/Partners.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PartnerRecord } from "../../domain/event/RecordFact.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { claim, release } from "./PartnerParties.ts"
import { optional, rowOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const hourMillis = 3_600_000

type Find = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  id: string
) => Effect.Effect<Partner, NotFound | Effect.Error<ReturnType<Scoped>>>

/** Stores a token of ours, replacing the one with the same use. */
export const putToken = (
  own: Scoped,
  partnerId: string,
  use: TokenUse,
  { expiresAt, verifier }: { readonly verifier: Uint8Array; readonly expiresAt: number | undefined },
  now: number,
  shownTo?: string
) => own`
  INSERT INTO partner_token (verifier, partner_id, organisation_id, use, expires_at, shown_to, created_at)
  VALUES (${verifier}, ${partnerId}, ${own.id}, ${use}, ${expiresAt === undefined ? null : new Date(expiresAt)}, ${shownTo ?? null}::uuid,
    ${new Date(now)})
  ON CONFLICT (partner_id, use) WHERE use <> 'Expected' DO UPDATE SET verifier = excluded.verifier, expires_at = excluded.expires_at, used_at = NULL,
    shown_to = excluded.shown_to, created_at = excluded.created_at`

const conflict = (code: string, message: string) => new Conflict({ code, message })

const notRegistered = () =>
  conflict("not_registered", "This partner is not registered: invite it, or register with it.")

const dropTokens = (own: Scoped, id: string) =>
  own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id}`

/** Deletes expected tokens that have expired, and the oldest ones if one more would be too many. */
const makeRoom = (own: Scoped, id: string, now: number) => own`
  DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Expected' AND (
    t.expires_at <= ${new Date(now)} OR t.verifier NOT IN (
      SELECT e.verifier FROM partner_token e WHERE ${own.rowsOf("e")} AND e.partner_id = ${id} AND e.use = 'Expected'
      ORDER BY e.created_at DESC, e.verifier LIMIT ${expectedTokensMax - 1}))`

const toInvited = (own: Scoped, id: string, invitation: Invitation, { by, now }: AuditContext) =>
  Effect.gen(function* () {
    yield* dropTokens(own, id)
    yield* release(own, id)
    yield* own`UPDATE partner p SET status = 'Invited', connection = NULL, their_token = NULL WHERE ${own.rowsOf("p")} AND p.id = ${id}`
    yield* putToken(own, id, "Registration", invitation, now, by.operatorId)
  })

const toRegistered = (own: Scoped, id: string, { connection, ourVerifier, theirToken }: Registration, now: number) =>
  Effect.gen(function* () {
    yield* release(own, id)
    yield* claim(own, id, connection.parties, false)
    yield* putToken(own, id, "Access", { verifier: ourVerifier, expiresAt: undefined }, now)
    yield* own`
      UPDATE partner p SET status = 'Registered', connection = ${JSON.stringify(connection)}::text::jsonb, their_token = ${theirToken}
      WHERE ${own.rowsOf("p")} AND p.id = ${id}`
  })

/**
 * Checks that the token with which a handshake began is still in force. Tokens are locked with the newest first, in the same order as at
 * their first use, which ends the previous one (`Partners.bearer`). So the two cannot deadlock.
 */
const holding = (own: Scoped, before: Partner, { begun, ourVerifier }: Registration) =>
  Effect.gen(function* () {
    const verifier = begun.by === "Partner" ? begun.presented : ourVerifier
    const tokens = yield* own<{ readonly held: boolean }>`
      SELECT t.verifier = ${verifier} AS held FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${before.id}
      ORDER BY t.use = 'Access' DESC, t.use = 'Retiring' DESC, t.verifier FOR UPDATE`
    if (!tokens.some(({ held }) => held)) {
      return yield* conflict(
        "token_gone",
        "The partner was registered, invited again or ended its registration meanwhile, so nothing was changed."
      )
    }
    if (begun.by === "Partner" && before.status === "Suspended") {
      return yield* conflict("suspended", "This partner was suspended meanwhile.")
    }
  })

/**
 * Checks that no other renewal has completed since the partner began this one. Otherwise the partner has given this one up, or has its
 * answer already.
 */
const notOvertaken = (own: Scoped, id: string, theirToken: string | undefined) =>
  Effect.gen(function* () {
    const rows = yield* own`
      SELECT 1 FROM partner p WHERE ${own.rowsOf("p")} AND p.id = ${id} AND p.their_token IS NOT DISTINCT FROM ${theirToken ?? null}::text`
    if (rows.length > 0) return
    return yield* conflict(
      "overtaken",
      "Another renewal was completed before this one, and its credentials are in force: read them with GET."
    )
  })

/** The partner has the token that it presents, so that token stays valid for a while. A token that it never used becomes invalid. */
const retirePresented = (own: Scoped, id: string, presented: Uint8Array, until: Date) =>
  Effect.gen(function* () {
    yield* own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Retiring'
      AND t.verifier <> ${presented}`
    yield* own`UPDATE partner_token t SET use = 'Retiring', expires_at = ${until}
      WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.verifier = ${presented} AND t.use <> 'Retiring'`
  })

/**
 * Retires our tokens after a renewal that we began. The partner has its latest token or, if it has not used that one yet, possibly the one
 * before.
 */
const retireOurs = (own: Scoped, id: string, given: Uint8Array, until: Date) =>
  Effect.gen(function* () {
    // The expected token that we sent to the partner is about to become its access token.
    yield* own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.verifier = ${given}`
    yield* own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Retiring'
      AND EXISTS (SELECT 1 FROM partner_token a WHERE a.partner_id = t.partner_id AND a.use = 'Access' AND a.used_at IS NOT NULL)`
    yield* own`UPDATE partner_token t SET expires_at = ${until}, use = CASE WHEN EXISTS (
        SELECT 1 FROM partner_token r WHERE r.partner_id = t.partner_id AND r.use = 'Retiring') THEN 'Expected' ELSE 'Retiring' END
      WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Access'`
  })

/** Retires the earlier tokens in a renewal. */
const retire = (own: Scoped, id: string, { begun, ourVerifier }: Registration, now: number) =>
  Effect.gen(function* () {
    const until = new Date(now + retiringTokenHours * hourMillis)
    if (begun.by === "Us") return yield* retireOurs(own, id, ourVerifier, until)
    yield* notOvertaken(own, id, begun.theirToken)
    return yield* retirePresented(own, id, begun.presented, until)
  })

export const toUnregistered = (own: Scoped, id: string) =>
  Effect.andThen(
    dropTokens(own, id),
    own`UPDATE partner p SET status = 'Unregistered', connection = NULL, their_token = NULL WHERE ${own.rowsOf("p")} AND p.id = ${id}`
  )

/** Runs a change of a partner within one transaction, with its fact. */
const changes =
  ({ journaled, secrets, sql }: Recording, find: Find, recordOf: (partner: Partner) => PartnerRecord) =>
  <E>(
    type: "PartnerInvited" | "PartnerRegistered" | "PartnerUnregistered",
    id: string,
    audit: AuditContext,
    change: (before: Partner, own: Scoped) => Effect.Effect<unknown, E>
  ) => {
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    return journaled(
      Effect.gen(function* () {
        const before = yield* find(sql, own, id)
        yield* change(before, own)
        yield* own`UPDATE partner p SET updated_at = ${new Date(now)} WHERE ${own.rowsOf("p")} AND p.id = ${id}`
        const after = yield* find(sql, own, id)
        const fact = factOf(type, `partner:${id}`, secrets.uuid(now), audit)
        const body = { by: by.actor, before: recordOf(before), after: recordOf(after) }
        return { result: after, facts: [{ ...fact, body }] }
      })
    )
  }

export const registrations = (records: Recording, find: Find, recordOf: (partner: Partner) => PartnerRecord) => {
  const { journaled, sql } = records
  const changing = changes(records, find, recordOf)
  return {
    invite: Effect.fn("Partners.invite")((id: string, invitation: Invitation, audit: AuditContext) =>
      changing("PartnerInvited", id, audit, (_, own) => toInvited(own, id, invitation, audit))
    ),
    register: Effect.fn("Partners.register")((id: string, registration: Registration, audit: AuditContext) =>
      changing("PartnerRegistered", id, audit, (before, own) =>
        Effect.gen(function* () {
          yield* holding(own, before, registration)
          if (isRegistered(before)) return yield* conflict("registered", "This partner is already registered.")
          yield* dropTokens(own, id)
          return yield* toRegistered(own, id, registration, audit.now)
        })
      )
    ),
    renew: Effect.fn("Partners.renew")((id: string, registration: Registration, audit: AuditContext) =>
      changing("PartnerRegistered", id, audit, (before, own) =>
        Effect.gen(function* () {
          if (!isRegistered(before)) return yield* notRegistered()
          yield* holding(own, before, registration)
          yield* retire(own, id, registration, audit.now)
          return yield* toRegistered(own, id, registration, audit.now)
        })
      )
    ),
    unregister: Effect.fn("Partners.unregister")((id: string, audit: AuditContext) =>
      Effect.asVoid(
        changing("PartnerUnregistered", id, audit, (before, own) =>
          Effect.gen(function* () {
            if (!isRegistered(before)) return yield* notRegistered()
            return yield* toUnregistered(own, id)
          })
        )
      )
    ),
    expect: Effect.fn("Partners.expect")((id: string, invitation: Invitation, { by, now }: AuditContext) => {
      const own = scopedTo(sql, by.organisationId)
      return journaled(
        Effect.gen(function* () {
          yield* find(sql, own, id)
          yield* makeRoom(own, id, now)
          yield* putToken(own, id, "Expected", invitation, now)
          return { result: undefined, facts: [] }
        })
      )
    }),
    withdraw: Effect.fn("Partners.withdraw")((id: string, verifier: Uint8Array, { by }: AuditContext) => {
      const own = scopedTo(sql, by.organisationId)
      const dropped = own`DELETE FROM partner_token t
        WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.verifier = ${verifier} AND t.use = 'Expected'`
      return journaled(Effect.as(dropped, { result: undefined, facts: [] }))
    }),
    theirToken: Effect.fn("Partners.theirToken")(function* (organisationId: string, id: string) {
      if (!isUuid(id)) return undefined
      const own = scopedTo(sql, organisationId)
      const row = yield* guarded(
        rowOf(Schema.Struct({ token: optional(Schema.String) }))(
          own`SELECT p.their_token AS token FROM partner p WHERE ${own.rowsOf("p")} AND p.id = ${id}`
        )
      )
      return row?.token
    })
  }
}
