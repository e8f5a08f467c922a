/** The port `Partners` over SQL: the partners and what they may do. Their registrations are in `PartnerRegistrations`. */
import { Effect, Equal, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { isRegistered, type Partner, shownConnection, switchedBy } from "../../domain/roaming/Partner.ts"
import { type NewPartner, type PartnerPatch, Partners } from "../../domain/roaming/Partners.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PartnerRecord } from "../../domain/event/RecordFact.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { byteaArray } from "../kernel/Arrays.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { claim, partiesOf } from "./PartnerParties.ts"
import { putToken, registrations } from "./PartnerRegistrations.ts"
import { bearerRow, partnerColumns, partnerOf, partnerRow, partnerRows } from "./PartnerRows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

const pages = pagedList("partners", UuidKey, (partner: Partner) => partner.id)

export const findPartner = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const row = isUuid(id)
      ? yield* partnerRow(own`SELECT ${partnerColumns(sql)} FROM partner p WHERE ${own.rowsOf("p")} AND p.id = ${id}`)
      : undefined
    return row === undefined ? yield* new NotFound({ kind: "partner", id }) : partnerOf(row)
  })

/** A partner's part in the journal, without its tokens and the secrets in its addresses. */
export const recordOf = ({ connection, expected, id, name, status, switches }: Partner): PartnerRecord => ({
  id,
  name,
  status,
  switches,
  ...(expected === undefined ? {} : { expected }),
  ...(connection === undefined ? {} : { connection: shownConnection(connection) })
})

const create = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Partners.create")(function* (input: NewPartner, audit: AuditContext) {
    yield* storable({ name: input.name })
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const { expected, invitation, name, switches } = input
    const id = secrets.uuid(now)
    const write = Effect.gen(function* () {
      yield* own`
        INSERT INTO partner (id, organisation_id, name, status, switches, created_at, updated_at)
        VALUES (${id}, ${own.id}, ${name}, 'Invited', ${JSON.stringify(switches)}::text::jsonb, ${new Date(now)}, ${new Date(now)})`
      yield* claim(own, id, partiesOf(expected), true)
      yield* putToken(own, id, "Registration", invitation, now, by.operatorId)
      const partner = yield* findPartner(sql, own, id)
      const fact = factOf("PartnerCreated", `partner:${id}`, id, audit)
      return { result: partner, facts: [{ ...fact, body: { by: by.actor, after: recordOf(partner) } }] }
    })
    return yield* Effect.catchTag(journaled(refusingValues(write)), "NotFound", Effect.die)
  })

const update = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Partners.update")(function* (id: string, patch: PartnerPatch, audit: AuditContext) {
    yield* storable({ patch })
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* findPartner(sql, own, id)
      const { name = before.name, suspended = before.status === "Suspended" } = patch
      const switches = switchedBy(before.switches, patch.switches ?? {})
      yield* own`
        UPDATE partner p SET name = ${name}, suspended = ${suspended}, switches = ${JSON.stringify(switches)}::text::jsonb
        WHERE ${own.rowsOf("p")} AND p.id = ${id}`
      const changed = yield* findPartner(sql, own, id)
      if (Equal.equals(before, changed)) return { result: before, facts: [] }
      yield* own`UPDATE partner p SET updated_at = ${new Date(now)} WHERE ${own.rowsOf("p")} AND p.id = ${id}`
      const after = { ...changed, updatedAt: now }
      const fact = factOf("PartnerChanged", `partner:${id}`, secrets.uuid(now), audit)
      return {
        result: after,
        facts: [{ ...fact, body: { by: by.actor, before: recordOf(before), after: recordOf(after) } }]
      }
    })
    return yield* journaled(refusingValues(write))
  })

const remove = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Partners.remove")(function* (id: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* findPartner(sql, own, id)
      yield* own`DELETE FROM partner p WHERE ${own.rowsOf("p")} AND p.id = ${id}`
      const fact = factOf("PartnerRemoved", `partner:${id}`, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before: recordOf(before) } }] }
    })
    yield* journaled(write)
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Partners.list")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT ${partnerColumns(sql)} FROM partner p
        WHERE ${own.rowsOf("p")} ${after === undefined ? sql`` : sql`AND p.id < ${after}`}
        ORDER BY p.id DESC LIMIT ${pages.rows(request)}`,
        rows: (found) => Effect.map(partnerRows(found), (rows) => rows.map(partnerOf)),
        item: (partner) => partner
      })
    )
  })

/** Finds the partner by its token. When a token is first used, the retiring one before it becomes invalid. */
const bearer = ({ sql, writable }: Recording) =>
  Effect.fn("Partners.bearer")(function* (verifiers: ReadonlyArray<Uint8Array>, now: number) {
    const at = new Date(now)
    const row = yield* guarded(
      bearerRow(sql`
        SELECT ${partnerColumns(sql)}, t.use, t.used_at IS NULL AS "isFirst", w.place::int - 1 AS reading
        FROM unnest(${byteaArray(verifiers)}) WITH ORDINALITY AS w(verifier, place)
        JOIN partner_token t ON t.verifier = w.verifier AND (t.expires_at IS NULL OR t.expires_at > ${at})
        JOIN partner p ON p.id = t.partner_id AND p.organisation_id = t.organisation_id
        ORDER BY w.place LIMIT 1`)
    )
    if (row === undefined) return undefined
    const { isFirst, reading, use, ...partner } = row
    if (use === "Access" && isFirst) {
      // Selected by the token itself: a rotation may have replaced it meanwhile with one that was not used yet.
      const used = sql`
        WITH used AS (
          UPDATE partner_token SET used_at = ${at} WHERE verifier = ${verifiers[reading]} AND use = 'Access' AND used_at IS NULL
          RETURNING partner_id
        )
        DELETE FROM partner_token t USING used WHERE t.partner_id = used.partner_id AND t.use = 'Retiring'`
      // If nothing can be written, the next call will record it; the partner's call must not fail for that.
      yield* Effect.ignore(Effect.andThen(writable, guardedWrite(used)))
    }
    const found = partnerOf(partner)
    // We sent the partner this token in a renewal. That it uses the token shows that its side of the renewal is complete, whether or not we
    // received its answer.
    return { partner: found, use: use === "Expected" && isRegistered(found) ? "Access" : use, reading }
  })

export const layer: Layer.Layer<Partners, never, RecordingServices> = Layer.effect(
  Partners,
  Effect.map(recording, (records) =>
    Partners.of({
      create: create(records),
      get: Effect.fn("Partners.get")((organisationId, id) =>
        guarded(findPartner(records.sql, scopedTo(records.sql, organisationId), id))
      ),
      list: list(records.sql),
      update: update(records),
      remove: remove(records),
      bearer: bearer(records),
      ...registrations(records, findPartner, recordOf)
    })
  )
)
