/**
 * What an operator has made that gives access and still works, read from the tables of each kind, and closed in one transaction. Part of
 * `Accounts`.
 */
import { Effect, Schema } from "effect"
import { PermissionDenied } from "../../domain/Errors.ts"
import { lackingToClose, type MadeItem, madeMost, type MadeRef, readable } from "../../domain/operator/MadeAccess.ts"
import { grantedBy } from "../../domain/operator/Role.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { changeWebhook } from "../delivery/Webhooks.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues } from "../kernel/Storable.ts"
import { toUnregistered } from "../roaming/PartnerRegistrations.ts"
import { findPartner, recordOf as partnerRecordOf } from "../roaming/Partners.ts"
import { revoking } from "./ApiKeys.ts"
import { closeLinks, openLinksOf } from "./LinkChecks.ts"
import { grantOfLink } from "./LinkRows.ts"
import { find as findOperator, within } from "./Operators.ts"

const itemRows = rowsOf(
  Schema.Struct({ id: Schema.String, name: Schema.String, createdAt: Millis, expiresAt: optional(Millis) })
)

const keysOf = (own: Scoped, operatorId: string, now: number) =>
  itemRows(own`
    SELECT k.id, k.name, k.created_at AS "createdAt", k.expires_at AS "expiresAt" FROM api_key k
    WHERE ${own.rowsOf("k")} AND k.operator_id = ${operatorId} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ${new Date(now)})
    ORDER BY k.id DESC LIMIT ${madeMost}`)

const webhooksOf = (own: Scoped, operatorId: string) =>
  itemRows(own`
    SELECT w.id, w.url AS name, w.created_at AS "createdAt", NULL::timestamptz AS "expiresAt"
    FROM webhook w JOIN subscription s ON s.id = w.id AND s.active
    WHERE ${own.rowsOf("w")} AND ${operatorId} IN (w.url_by, w.secret_by)
    ORDER BY w.id DESC LIMIT ${madeMost}`)

const partnersOf = (own: Scoped, operatorId: string, now: number) =>
  itemRows(own`
    SELECT p.id, p.name, t.created_at AS "createdAt", t.expires_at AS "expiresAt"
    FROM partner_token t JOIN partner p ON p.id = t.partner_id
    WHERE ${own.rowsOf("t")} AND t.use = 'Registration' AND t.shown_to = ${operatorId}
      AND (t.expires_at IS NULL OR t.expires_at > ${new Date(now)})
    ORDER BY p.id DESC LIMIT ${madeMost}`)

type Reading = Pick<Recording, "secrets" | "sql">

const madeBy = (reading: Reading, own: Scoped, operatorId: string, { by, now }: AuditContext) =>
  Effect.gen(function* () {
    const { active, id } = yield* findOperator(reading.sql, own, operatorId)
    const keys = yield* keysOf(own, id, now)
    const webhooks = yield* webhooksOf(own, id)
    const partners = yield* partnersOf(own, id, now)
    const links = yield* openLinksOf(reading, own, id, now)
    const items: ReadonlyArray<MadeItem> = [
      ...keys.map((key) => ({ ...key, kind: "ApiKey" as const, works: active })),
      ...webhooks.map((webhook) => ({ ...webhook, kind: "Webhook" as const, works: true })),
      ...partners.map((partner) => ({ ...partner, kind: "PartnerInvitation" as const, works: true })),
      ...links.map((link) => ({
        id: link.id,
        name: link.email,
        createdAt: link.createdAt,
        expiresAt: link.expiresAt,
        kind: link.kind === "Invitation" ? ("Invitation" as const) : ("Reset" as const),
        works: true
      }))
    ]
    const kinds = readable(by.permissions)
    return { items: items.filter(({ kind }) => kinds.includes(kind)), links }
  })

export const madeAccess = (records: Recording) =>
  Effect.fn("Accounts.madeAccess")((operatorId: string, audit: AuditContext) =>
    Effect.map(
      guarded(madeBy(records, scopedTo(records.sql, audit.by.organisationId), operatorId, audit)),
      ({ items }) => items
    )
  )

/** Ends the registration token that an invited partner has not used. */
const uninvite = ({ secrets, sql }: Reading, own: Scoped, id: string, audit: AuditContext) =>
  Effect.gen(function* () {
    const before = yield* findPartner(sql, own, id)
    yield* toUnregistered(own, id)
    yield* own`UPDATE partner p SET updated_at = ${new Date(audit.now)} WHERE ${own.rowsOf("p")} AND p.id = ${id}`
    const after = yield* findPartner(sql, own, id)
    const fact = factOf("PartnerUnregistered", `partner:${id}`, secrets.uuid(audit.now), audit)
    return [{ ...fact, body: { by: audit.by.actor, before: partnerRecordOf(before), after: partnerRecordOf(after) } }]
  })

export const closeMade = (records: Recording) =>
  Effect.fn("Accounts.closeMade")(function* (operatorId: string, refs: ReadonlyArray<MadeRef>, audit: AuditContext) {
    const own = scopedTo(records.sql, audit.by.organisationId)
    const lacking = lackingToClose(
      audit.by.permissions,
      refs.map(({ kind }) => kind)
    )
    if (lacking.length > 0) return yield* new PermissionDenied({ requiredPermissions: lacking })
    const write = Effect.gen(function* () {
      const { items, links } = yield* madeBy(records, own, operatorId, audit)
      const chosen = items.filter((item) => refs.some(({ id, kind }) => id === item.id && kind === item.kind))
      const facts = []
      for (const { id, kind } of chosen) {
        switch (kind) {
          case "ApiKey":
            facts.push(...(yield* revoking(records, own, id, audit)))
            break
          case "Webhook":
            facts.push(...(yield* changeWebhook(records, own, id, { active: false }, audit)).facts)
            break
          case "PartnerInvitation":
            facts.push(...(yield* uninvite(records, own, id, audit)))
            break
          case "Invitation":
          case "Reset": {
            const link = links.filter((one) => one.id === id)
            for (const one of link) if (one.kind === "Invitation") yield* within(audit, grantedBy(grantOfLink(one)))
            facts.push(...(yield* closeLinks(records, own, link, audit)))
          }
        }
      }
      return { result: chosen, facts }
    })
    return yield* records.journaled(refusingValues(write))
  })
