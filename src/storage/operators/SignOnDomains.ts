/** Storage of the domains that organisations name for single sign-on: who has one verified, and who loses it. Part of `SingleSignOns`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { neededForSingleSignOn } from "../../domain/operator/SingleSignOn.ts"
import {
  afterCheck,
  challengeName,
  challengeValue,
  type DomainVerifier,
  isProved,
  type SignOnDomain
} from "../../domain/operator/SignOnDomain.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { toBase62 } from "../../domain/values/KeyFormat.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { within } from "./Operators.ts"
import { domainsWhere, settingsOf } from "./SingleSignOnRows.ts"

/** A domain that an organisation names for the first time. */
export const newDomain = (secrets: Pick<Secrets["Service"], "randomBytes">, domain: string): SignOnDomain => ({
  domain,
  token: toBase62(secrets.randomBytes(24), 33),
  verifiedAt: undefined,
  verifiedBy: undefined,
  checkedAt: undefined,
  confirmedAt: undefined
})

/** Stores which domains an organisation names; what is known of those that it named before stays. */
export const putDomains = (own: Scoped, domains: ReadonlyArray<SignOnDomain>) =>
  Effect.gen(function* () {
    // Above every place in use, so that what is left there is what is no longer named.
    const first = 1000
    for (const [place, { domain, token }] of domains.entries()) {
      yield* own`
        INSERT INTO single_sign_on_domain (organisation_id, domain, place, token)
        VALUES (${own.id}, ${domain}, ${first + place}, ${token})
        ON CONFLICT (organisation_id, domain) DO UPDATE SET place = excluded.place`
    }
    yield* own`DELETE FROM single_sign_on_domain d WHERE ${own.rowsOf("d")} AND d.place < ${first}`
    yield* own`UPDATE single_sign_on_domain d SET place = d.place - ${first}::int WHERE ${own.rowsOf("d")}`
  })

const domainFact = (
  type: "SignOnDomainVerified" | "SignOnDomainLost",
  { domain, verifiedBy }: { readonly domain: string; readonly verifiedBy?: DomainVerifier | undefined },
  factId: string,
  audit: Parameters<typeof factOf>[3]
) => {
  const fact = factOf(type, `organisation:${audit.by.organisationId}`, factId, audit)
  const record = { domain, verifiedBy: verifiedBy ?? "" }
  return {
    ...fact,
    body: { by: audit.by.actor, ...(type === "SignOnDomainLost" ? { before: record } : { after: record }) }
  }
}

const recordMissing = (domain: SignOnDomain) =>
  new Conflict({
    code: "domain_record_missing",
    message: `The TXT record ${challengeName(domain.domain)} with the value ${challengeValue(domain)} was not found. New records take some minutes to appear.`
  })

const taken = new Conflict({
  code: "domain_taken",
  message: "Another organisation of this service has verified this domain, and its proof is still valid."
})

const holderRow = rowOf(Schema.Struct({ organisationId: Schema.String }))

/** Another organisation that has verified the domain. */
const holderOf = (sql: SqlClient.SqlClient, own: string, domain: string) =>
  Effect.gen(function* () {
    const row = yield* holderRow(sql`
      SELECT d.organisation_id AS "organisationId" FROM single_sign_on_domain d
      WHERE d.domain = ${domain} AND d.verified_at IS NOT NULL AND d.organisation_id <> ${own}`)
    if (row === undefined) return undefined
    const theirs = scopedTo(sql, row.organisationId)
    const [found] = yield* domainsWhere(sql, sql`${theirs.rowsOf("d")} AND d.domain = ${domain}`)
    return found === undefined ? undefined : { ...found, organisationId: row.organisationId }
  })

/** The domain does nothing any more, and can be verified again. */
const lose = (sql: SqlClient.SqlClient, organisationId: string, domain: string) => {
  const theirs = scopedTo(sql, organisationId)
  return theirs`UPDATE single_sign_on_domain d SET verified_at = NULL, verified_by = NULL
    WHERE ${theirs.rowsOf("d")} AND d.domain = ${domain}`
}

export const verifyDomain = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("SingleSignOns.verifyDomain")(function* (
    domain: string,
    values: ReadonlyArray<string> | undefined,
    audit: AuditContext
  ) {
    const { organisationId } = audit.by
    const own = scopedTo(sql, organisationId)
    const write = Effect.gen(function* () {
      yield* within(audit, neededForSingleSignOn, values === undefined ? ["platform:admin"] : [])
      const settings = unstorableText(domain) ? undefined : yield* settingsOf(sql, own)
      const known = settings?.domains.find((one) => one.domain === domain)
      if (settings === undefined || known === undefined) return yield* new NotFound({ kind: "domain", id: domain })
      if (values !== undefined && !isProved(known, values)) return yield* recordMissing(known)
      const facts = []
      const holder = yield* holderOf(sql, organisationId, domain)
      if (holder !== undefined) {
        const isGone = values !== undefined && holder.verifiedBy === "Dns" && !isProved(holder, values)
        if (!isGone) return yield* taken
        yield* lose(sql, holder.organisationId, domain)
        const theirs = { by: { organisationId: holder.organisationId, actor: "platform" }, now: audit.now }
        facts.push(domainFact("SignOnDomainLost", holder, secrets.uuid(audit.now), theirs))
      }
      const verifiedBy: DomainVerifier = values === undefined ? "Operator" : "Dns"
      const at = new Date(audit.now)
      yield* own`UPDATE single_sign_on_domain d
        SET verified_at = ${at}, verified_by = ${verifiedBy}, checked_at = ${at}, confirmed_at = ${at}
        WHERE ${own.rowsOf("d")} AND d.domain = ${domain}`
      facts.push(domainFact("SignOnDomainVerified", { domain, verifiedBy }, secrets.uuid(audit.now), audit))
      return { result: (yield* settingsOf(sql, own)) ?? settings, facts }
    })
    return yield* journaled(write)
  })

const dueRows = rowsOf(Schema.Struct({ organisationId: Schema.String, domain: Schema.String }))

export const dueDomains = (sql: SqlClient.SqlClient) =>
  Effect.fn("SingleSignOns.dueDomains")((before: number, limit: number) =>
    guarded(
      dueRows(sql`
        SELECT d.organisation_id AS "organisationId", d.domain FROM single_sign_on_domain d
        WHERE d.verified_by = 'Dns' AND d.checked_at <= ${new Date(before)} ORDER BY d.checked_at LIMIT ${limit}`)
    )
  )

export const recheckDomain = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("SingleSignOns.recheckDomain")(function* (
    organisationId: string,
    domain: string,
    values: ReadonlyArray<string> | undefined,
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const write = Effect.gen(function* () {
      const [known] = yield* domainsWhere(sql, sql`${own.rowsOf("d")} AND d.domain = ${domain}`)
      if (known?.verifiedBy !== "Dns") return { result: undefined, facts: [] }
      const outcome = afterCheck(known, values, now)
      const confirmedAt = outcome === "Confirmed" ? new Date(now) : null
      yield* own`UPDATE single_sign_on_domain d
        SET checked_at = ${new Date(now)}, confirmed_at = coalesce(${confirmedAt}::timestamptz, d.confirmed_at)
        WHERE ${own.rowsOf("d")} AND d.domain = ${domain}`
      if (outcome !== "Lost") return { result: undefined, facts: [] }
      yield* lose(sql, organisationId, domain)
      const audit = { by: { organisationId, actor: "platform" }, now }
      return { result: undefined, facts: [domainFact("SignOnDomainLost", known, secrets.uuid(now), audit)] }
    })
    yield* journaled(write)
  })
