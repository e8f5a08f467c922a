/**
 * Registrations of partners, a part of the port `Partners`: which tokens of both sides are good. Each change is one transaction, so that a crash
 * leaves the tokens before it or those after it.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, type NotFound } from "../domain/Errors.ts"
import {
  expectedTokensMax,
  isRegistered,
  type Partner,
  retiringTokenHours,
  type TokenUse
} from "../domain/party/Partner.ts"
import type { Invitation, Registration } from "../domain/ports/Partners.ts"
import type { Writing } from "../domain/ports/Sites.ts"
import type { PartnerRecord } from "../domain/RecordFact.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { factOf, type Recording } from "./Facts.ts"
import { claim, release } from "./PartnerParties.ts"
import { optional, rowOf } from "./rows.ts"
import { scopedTo, type Scoped } from "./Scoped.ts"
import { guarded } from "./SqlErrors.ts"

const hourMillis = 3_600_000

type Find = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  id: string
) => Effect.Effect<Partner, NotFound | Effect.Error<ReturnType<Scoped>>>

/** Stores a token of ours, in place of the one of its kind. */
export const putToken = (
  own: Scoped,
  partnerId: string,
  use: TokenUse,
  { expiresAt, verifier }: { readonly verifier: Uint8Array; readonly expiresAt: number | undefined },
  now: number
) => own`
  INSERT INTO partner_token (verifier, partner_id, organisation_id, use, expires_at, created_at)
  VALUES (${verifier}, ${partnerId}, ${own.id}, ${use}, ${expiresAt === undefined ? null : new Date(expiresAt)}, ${new Date(now)})
  ON CONFLICT (partner_id, use) WHERE use <> 'Expected' DO UPDATE SET verifier = excluded.verifier, expires_at = excluded.expires_at, used_at = NULL,
    created_at = excluded.created_at`

const notRegistered = () =>
  new Conflict({ code: "not_registered", message: "This partner is not registered: invite it, or register with it." })

const dropTokens = (own: Scoped, id: string) =>
  own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id}`

/** Lets go of expected tokens that are over, and of the oldest where one more would be too many. */
const makeRoom = (own: Scoped, id: string, now: number) => own`
  DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Expected' AND (
    t.expires_at <= ${new Date(now)} OR t.verifier NOT IN (
      SELECT e.verifier FROM partner_token e WHERE ${own.rowsOf("e")} AND e.partner_id = ${id} AND e.use = 'Expected'
      ORDER BY e.created_at DESC, e.verifier LIMIT ${expectedTokensMax - 1}))`

const toInvited = (own: Scoped, id: string, invitation: Invitation, now: number) =>
  Effect.gen(function* () {
    yield* dropTokens(own, id)
    yield* release(own, id)
    yield* own`UPDATE partner p SET status = 'Invited', connection = NULL, their_token = NULL WHERE ${own.rowsOf("p")} AND p.id = ${id}`
    yield* putToken(own, id, "Registration", invitation, now)
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

/** The token that is used now stays good for a while; one that was never used since the last time is nobody's. */
const retire = (own: Scoped, id: string, now: number) =>
  Effect.gen(function* () {
    const until = new Date(now + retiringTokenHours * hourMillis)
    // What we have told the partner to call by is about to become what it calls by.
    yield* own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Expected'`
    yield* own`DELETE FROM partner_token t WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Retiring'
      AND EXISTS (SELECT 1 FROM partner_token a WHERE a.partner_id = t.partner_id AND a.use = 'Access' AND a.used_at IS NOT NULL)`
    yield* own`UPDATE partner_token t SET use = 'Retiring', expires_at = ${until}
      WHERE ${own.rowsOf("t")} AND t.partner_id = ${id} AND t.use = 'Access' AND NOT EXISTS (
        SELECT 1 FROM partner_token r WHERE r.partner_id = t.partner_id AND r.use = 'Retiring')`
  })

const toUnregistered = (own: Scoped, id: string) =>
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
    writing: Writing,
    change: (before: Partner, own: Scoped) => Effect.Effect<unknown, E>
  ) => {
    const { by, now } = writing
    const own = scopedTo(sql, by.organisationId)
    return journaled(
      Effect.gen(function* () {
        const before = yield* find(sql, own, id)
        yield* change(before, own)
        yield* own`UPDATE partner p SET updated_at = ${new Date(now)} WHERE ${own.rowsOf("p")} AND p.id = ${id}`
        const after = yield* find(sql, own, id)
        const fact = factOf(type, `partner:${id}`, secrets.uuid(now), writing)
        const body = { by: by.actor, before: recordOf(before), after: recordOf(after) }
        return { result: after, facts: [{ ...fact, body }] }
      })
    )
  }

export const registrations = (records: Recording, find: Find, recordOf: (partner: Partner) => PartnerRecord) => {
  const { journaled, sql } = records
  const changing = changes(records, find, recordOf)
  return {
    invite: Effect.fn("Partners.invite")((id: string, invitation: Invitation, writing: Writing) =>
      changing("PartnerInvited", id, writing, (_, own) => toInvited(own, id, invitation, writing.now))
    ),
    register: Effect.fn("Partners.register")((id: string, registration: Registration, writing: Writing) =>
      changing("PartnerRegistered", id, writing, (before, own) =>
        Effect.gen(function* () {
          if (isRegistered(before)) {
            return yield* new Conflict({ code: "registered", message: "This partner is registered already." })
          }
          yield* dropTokens(own, id)
          return yield* toRegistered(own, id, registration, writing.now)
        })
      )
    ),
    renew: Effect.fn("Partners.renew")((id: string, registration: Registration, writing: Writing) =>
      changing("PartnerRegistered", id, writing, (before, own) =>
        Effect.gen(function* () {
          if (!isRegistered(before)) return yield* notRegistered()
          yield* retire(own, id, writing.now)
          return yield* toRegistered(own, id, registration, writing.now)
        })
      )
    ),
    unregister: Effect.fn("Partners.unregister")((id: string, writing: Writing) =>
      Effect.asVoid(
        changing("PartnerUnregistered", id, writing, (before, own) =>
          Effect.gen(function* () {
            if (!isRegistered(before)) return yield* notRegistered()
            return yield* toUnregistered(own, id)
          })
        )
      )
    ),
    expect: Effect.fn("Partners.expect")((id: string, invitation: Invitation, { by, now }: Writing) => {
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
