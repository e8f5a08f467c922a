/** The port `SingleSignOns` over SQL: an organisation's settings, and the admission of people that its provider vouches for. */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { SingleSignOnRecord } from "../../domain/event/RecordFact.ts"
import type { RoleRef } from "../../domain/operator/Accounts.ts"
import { neededForSingleSignOn, type SingleSignOn } from "../../domain/operator/SingleSignOn.ts"
import { type SignOnChoice, SingleSignOns } from "../../domain/operator/SingleSignOns.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { textArray } from "../kernel/Arrays.ts"
import { factOf, type Recording, recording, type RecordingServices } from "../kernel/Facts.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable, unstorableText } from "../kernel/Storable.ts"
import { grantWith, ownersOf, within } from "./Operators.ts"
import { admit } from "./SignOnAdmission.ts"
import { dueDomains, newDomain, putDomains, recheckDomain, verifyDomain } from "./SignOnDomains.ts"
import { settingsOf } from "./SingleSignOnRows.ts"

const find = (sql: SqlClient.SqlClient) =>
  Effect.fn("SingleSignOns.find")((organisationId: string) => guarded(settingsOf(sql, scopedTo(sql, organisationId))))

const nameOf = (ref: RoleRef): string => ref.role ?? ref.roleId

const recordOf = (settings: SingleSignOn): SingleSignOnRecord => ({
  issuer: settings.issuer,
  clientId: settings.clientId,
  hasClientSecret: settings.clientSecret !== undefined,
  scopes: settings.scopes,
  groupsClaim: settings.groupsClaim,
  groupRoles: settings.groupRoles.map(({ group, role }) => ({ group, role: nameOf(role) })),
  ...(settings.defaultRole === undefined ? {} : { defaultRole: nameOf(settings.defaultRole) }),
  domains: settings.domains.map(({ domain }) => domain),
  trustEmail: settings.trustEmail,
  enabled: settings.enabled,
  passwordForOwnersOnly: settings.passwordForOwnersOnly
})

const localOwnerNeeded = new Conflict({
  code: "local_owner_needed",
  message:
    "No active owner has a password, so a failure of the identity provider would lock everyone out. Set a password for an owner first."
})

type Given = Parameters<SingleSignOns["Service"]["set"]>[0]

const putRoles = (own: Scoped, { defaultRole, groupRoles }: SingleSignOn) =>
  Effect.gen(function* () {
    yield* own`DELETE FROM single_sign_on_role g WHERE ${own.rowsOf("g")}`
    const all: ReadonlyArray<readonly [group: string | null, role: RoleRef]> = [
      ...groupRoles.map(({ group, role }) => [group, role] as const),
      ...(defaultRole === undefined ? [] : [[null, defaultRole] as const])
    ]
    for (const [place, [group, ref]] of all.entries()) {
      yield* own`INSERT INTO single_sign_on_role (organisation_id, place, group_name, role, role_id)
        VALUES (${own.id}, ${place}, ${group}, ${ref.role ?? null}, ${ref.roleId ?? null}::uuid)`
    }
  })

const set = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("SingleSignOns.set")(function* (given: Given, audit: AuditContext) {
    yield* storable(given)
    const organisationId = audit.by.organisationId
    const own = scopedTo(sql, organisationId)
    const write = Effect.gen(function* () {
      yield* within(audit, neededForSingleSignOn)
      const before = yield* settingsOf(sql, own)
      for (const { role } of given.groupRoles) yield* grantWith(sql, own, role)
      if (given.defaultRole !== undefined) yield* grantWith(sql, own, given.defaultRole)
      if (given.enabled && !(yield* ownersOf(sql, own)).some(({ hasPassword }) => hasPassword)) {
        return yield* localOwnerNeeded
      }
      // A secret is sent only to the provider that it belongs to.
      const isSame = before?.issuer === given.issuer && before.clientId === given.clientId
      const clientSecret = given.clientSecret ?? (isSame ? before.clientSecret : undefined)
      const domains = given.domains.map(
        (domain) => before?.domains.find((one) => one.domain === domain) ?? newDomain(secrets, domain)
      )
      const after: SingleSignOn = { ...given, domains, clientSecret, organisationId, updatedAt: audit.now }
      yield* own`
        INSERT INTO single_sign_on AS x (organisation_id, issuer, client_id, client_secret, scopes, groups_claim, trust_email, enabled,
          password_for_owners_only, updated_at)
        VALUES (${own.id}, ${after.issuer}, ${after.clientId}, ${clientSecret ?? null}, ${textArray(after.scopes)}, ${after.groupsClaim},
          ${after.trustEmail}, ${after.enabled}, ${after.passwordForOwnersOnly}, ${new Date(audit.now)})
        ON CONFLICT (organisation_id) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id,
          client_secret = excluded.client_secret, scopes = excluded.scopes, groups_claim = excluded.groups_claim,
          trust_email = excluded.trust_email, enabled = excluded.enabled, password_for_owners_only = excluded.password_for_owners_only, updated_at = excluded.updated_at`
      yield* putRoles(own, after)
      yield* putDomains(own, domains)
      const fact = factOf("SingleSignOnChanged", `organisation:${organisationId}`, secrets.uuid(audit.now), audit)
      const records = { ...(before === undefined ? {} : { before: recordOf(before) }), after: recordOf(after) }
      return { result: after, facts: [{ ...fact, body: { by: audit.by.actor, ...records } }] }
    })
    return yield* journaled(refusingValues(write))
  })

const remove = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("SingleSignOns.remove")(function* (audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      yield* within(audit, neededForSingleSignOn)
      const before = yield* settingsOf(sql, own)
      if (before === undefined) return yield* new NotFound({ kind: "single sign-on", id: before ?? "" })
      yield* own`DELETE FROM single_sign_on x WHERE ${own.rowsOf("x")}`
      const subject = `organisation:${audit.by.organisationId}`
      const fact = factOf("SingleSignOnRemoved", subject, secrets.uuid(audit.now), audit)
      return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before: recordOf(before) } }] }
    })
    yield* journaled(write)
  })

const offerRows = rowsOf(Schema.Struct({ organisationId: Schema.String, organisationName: Schema.String }))

const offers = (sql: SqlClient.SqlClient) =>
  Effect.fn("SingleSignOns.offers")(function* (choice: SignOnChoice | undefined) {
    if (choice !== undefined && Object.values(choice).some(unstorableText)) return []
    const where =
      choice === undefined
        ? sql``
        : "domain" in choice
          ? sql`AND EXISTS (SELECT 1 FROM single_sign_on_domain d
              WHERE d.organisation_id = x.organisation_id AND d.domain = ${choice.domain} AND d.verified_at IS NOT NULL)`
          : sql`AND o.country_code = ${choice.countryCode} AND o.party_id = ${choice.partyId}`
    return yield* guarded(
      offerRows(sql`
        SELECT o.id AS "organisationId", o.name AS "organisationName"
        FROM single_sign_on x JOIN organisation o ON o.id = x.organisation_id WHERE x.enabled ${where} LIMIT 2`)
    )
  })

export const layer: Layer.Layer<SingleSignOns, never, RecordingServices> = Layer.effect(
  SingleSignOns,
  Effect.map(recording, (records) =>
    SingleSignOns.of({
      find: find(records.sql),
      set: set(records),
      remove: remove(records),
      verifyDomain: verifyDomain(records),
      dueDomains: dueDomains(records.sql),
      recheckDomain: recheckDomain(records),
      offers: offers(records.sql),
      admit: admit(records)
    })
  )
)
