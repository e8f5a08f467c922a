/**
 * Reads who made a link and whom it is for, as they are now, and asks the domain whether the link is in force. Also closes the links that a
 * change has ended, in the transaction of that change, so that they do not work again when the change is undone. Part of `Accounts`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { effectivePermissions } from "../../domain/operator/FullKey.ts"
import {
  type Credentials,
  credentialsText,
  isLinkInForce,
  type LinkGift,
  type LinkMaker
} from "../../domain/operator/LinkAuthority.ts"
import { grantedBy } from "../../domain/operator/Role.ts"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { type factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { isOpen, linkColumns, grantOfLink, linkFact, linkJoins, type LinkRow, linkRow, linkRows } from "./LinkRows.ts"
import { grantColumns, GrantFields, permissionsOf, withRole } from "./Members.ts"

/** The purpose under which a person's credentials are hashed for their links. */
const purpose = "link-credentials"

const credentialsRow = rowOf(
  Schema.Struct({
    passwordHash: optional(Schema.String),
    totpSecret: optional(Schema.String),
    passkeyIds: Schema.Array(Schema.String)
  })
)

/** The hash of a person's present credentials. */
export const credentialsOf = (
  { secrets, sql }: { readonly secrets: Secrets["Service"]; readonly sql: SqlClient.SqlClient },
  operatorId: string
) =>
  Effect.map(
    credentialsRow(sql`
      SELECT p.password_hash AS "passwordHash", p.totp_secret AS "totpSecret",
        ARRAY(SELECT k.id FROM passkey k WHERE k.operator_id = p.id) AS "passkeyIds"
      FROM operator p WHERE p.id = ${operatorId}`),
    (found) => {
      const none: Credentials = { passwordHash: undefined, totpSecret: undefined, passkeyIds: [] }
      // The opened secret: a change of the service's secret key encrypts it anew, and changes nothing for the person.
      const sealed = found?.totpSecret
      const totpSecret = sealed === undefined ? undefined : secrets.open(sealPurposes.totp, sealed)
      return secrets.verifier(purpose, credentialsText({ ...(found ?? none), totpSecret }))
    }
  )

const memberRow = rowOf(Schema.Struct({ ...GrantFields, worksElsewhere: Schema.Boolean }))

const memberOf = (sql: SqlClient.SqlClient, own: Scoped, operatorId: string) =>
  memberRow(own`
    SELECT ${grantColumns(sql)}, EXISTS (
      SELECT 1 FROM membership e WHERE e.operator_id = m.operator_id AND e.organisation_id <> m.organisation_id) AS "worksElsewhere"
    FROM membership m LEFT JOIN role r ON r.organisation_id = m.organisation_id AND r.id = m.role_id
    WHERE ${own.rowsOf("m")} AND m.operator_id = ${operatorId}`)

const keyRow = rowOf(
  Schema.Struct({
    ...GrantFields,
    keyPermissions: optional(Schema.Array(Schema.String)),
    revokedAt: optional(Millis),
    expiresAt: optional(Millis)
  })
)

const keyPermissions = (sql: SqlClient.SqlClient, own: Scoped, keyId: string, now: number) =>
  Effect.map(
    keyRow(own`
      SELECT k.permissions AS "keyPermissions", k.revoked_at AS "revokedAt", k.expires_at AS "expiresAt", ${grantColumns(sql)}
      FROM api_key k ${withRole(sql, "k")} WHERE ${own.rowsOf("k")} AND k.id = ${keyId}`),
    (key) => {
      const isOver = key?.revokedAt !== undefined || (key?.expiresAt !== undefined && key.expiresAt <= now)
      return key === undefined || isOver
        ? []
        : effectivePermissions({ ...key, operatorPermissions: permissionsOf(key) })
    }
  )

const makerOf = (sql: SqlClient.SqlClient, own: Scoped, link: LinkRow, now: number) =>
  Effect.gen(function* () {
    const { makerBySingleSignOn: bySingleSignOn, makerKeyId, makerOperatorId } = link
    if (makerOperatorId === undefined) return { _tag: "Machine" } satisfies LinkMaker
    if (makerKeyId !== undefined) {
      const permissions = yield* keyPermissions(sql, own, makerKeyId, now)
      return { _tag: "Caller", permissions, bySingleSignOn } satisfies LinkMaker
    }
    const member = yield* memberOf(sql, own, makerOperatorId)
    const permissions = member?.active === true ? permissionsOf(member) : []
    return { _tag: "Caller", permissions, bySingleSignOn } satisfies LinkMaker
  })

type Reading = Pick<Recording, "secrets" | "sql">

const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i])

const giftOf = (reading: Reading, own: Scoped, link: LinkRow) =>
  Effect.gen(function* () {
    const { kind, operatorId } = link
    if (kind === "Invitation" || operatorId === undefined) {
      return { _tag: "Membership", permissions: grantedBy(grantOfLink(link)) } satisfies LinkGift
    }
    const member = yield* memberOf(reading.sql, own, operatorId)
    return {
      _tag: "Account",
      permissions: member?.active === true ? permissionsOf(member) : undefined,
      worksElsewhere: member?.worksElsewhere ?? false,
      hasNewCredentials: !isSame(link.credentials, yield* credentialsOf(reading, operatorId))
    } satisfies LinkGift
  })

/** The link, if it is in force. `makers` has what was read of makers in this transaction, by operator and key. */
export const inForce = (
  reading: Reading,
  link: LinkRow | undefined,
  now: number,
  makers = new Map<string, LinkMaker>()
) =>
  Effect.gen(function* () {
    if (link === undefined) return undefined
    const own = scopedTo(reading.sql, link.organisationId)
    const of = [link.makerOperatorId, link.makerKeyId, link.makerBySingleSignOn].join(" ")
    const maker = makers.get(of) ?? (yield* makerOf(reading.sql, own, link, now))
    makers.set(of, maker)
    return isLinkInForce(maker, yield* giftOf(reading, own, link)) ? link : undefined
  })

/** The link with this secret, if it may be used now. */
export const usableLink = (reading: Reading, hash: string, now: number) => {
  const { sql } = reading
  const found = linkRow(
    sql`SELECT ${linkColumns(sql)} FROM account_link l ${linkJoins(sql)} WHERE l.hash = ${hash} AND ${isOpen(sql, now)}`
  )
  return Effect.flatMap(found, (link) => inForce(reading, link, now))
}

type Audited = Parameters<typeof factOf>[3]

const openLinks = (sql: SqlClient.SqlClient, own: Scoped, where: Statement.Fragment, now: number) =>
  linkRows(own`SELECT ${linkColumns(sql)} FROM account_link l ${linkJoins(sql)}
    WHERE ${own.rowsOf("l")} AND ${isOpen(sql, now)} AND ${where} ORDER BY l.id`)

/** The links in force that a person has made, directly or with a key. */
export const openLinksOf = (reading: Reading, own: Scoped, operatorId: string, now: number) =>
  Effect.gen(function* () {
    const made = yield* openLinks(reading.sql, own, reading.sql`l.maker_operator_id = ${operatorId}`, now)
    return yield* Effect.filter(made, (link) => Effect.map(inForce(reading, link, now), (valid) => valid !== undefined))
  })

/** Closes links that are still open, and returns their facts. */
export const closeLinks = (
  { secrets }: Pick<Reading, "secrets">,
  own: Scoped,
  links: ReadonlyArray<LinkRow>,
  audit: Audited
) =>
  Effect.gen(function* () {
    const facts = []
    for (const link of links) {
      const closed = yield* own`UPDATE account_link l SET closed_at = ${new Date(audit.now)}
        WHERE ${own.rowsOf("l")} AND l.id = ${link.id} AND l.closed_at IS NULL RETURNING 1`
      if (closed.length > 0) facts.push(linkFact("LinkRevoked", link, secrets.uuid(audit.now), audit))
    }
    return facts
  })

/**
 * Closes the organisation's open links that are no longer in force. For writes that change what people or keys may do, after the change:
 * otherwise the links would work again when it is undone.
 */
export const closeVoid = (reading: Reading, own: Scoped, audit: Audited) =>
  Effect.gen(function* () {
    const open = yield* openLinks(reading.sql, own, reading.sql`true`, audit.now)
    // Few people make all of an organisation's links, and every writer waits for this transaction.
    const makers = new Map<string, LinkMaker>()
    const over = yield* Effect.filter(open, (link) =>
      Effect.map(inForce(reading, link, audit.now, makers), (valid) => valid === undefined)
    )
    return yield* closeLinks(reading, own, over, audit)
  })

/** Closes all open links of the organisation that people and keys have made. Those of the machine itself remain. */
export const closeMadeByOthers = (reading: Reading, own: Scoped, audit: Audited) =>
  Effect.flatMap(openLinks(reading.sql, own, reading.sql`l.maker_operator_id IS NOT NULL`, audit.now), (links) =>
    closeLinks(reading, own, links, audit)
  )
