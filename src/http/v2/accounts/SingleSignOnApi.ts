/** Single sign-on: an organisation's identity provider, and how people sign in with it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { challengeName, domainProblem, domainVerifiers } from "../../../domain/operator/SignOnDomain.ts"
import { Email, optionalText, rule, text, Time } from "../../Fields.ts"
import { Conflict409, InvalidInput400, NotFound404, TooMany429 } from "../requests/Failures.ts"
import { openOperation, graveOperation, operation, Staged } from "../requests/Middleware.ts"
import { IdempotencyHeader } from "../requests/Paging.ts"
import { Me, RoleId } from "./AccountFields.ts"

/** The characters that RFC 6749 §3.3 allows in a scope. */
const Scope = Schema.String.check(
  rule(
    (value: string) => /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(value),
    "Must be a scope: printable characters without spaces",
    {
      minLength: 1,
      maxLength: 100
    }
  )
)

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
const domainPattern = `^(?:${label}\\.)+${label}$`

const EmailDomain = Schema.String.check(
  rule(
    (value: string) => value.length <= 253 && new RegExp(domainPattern).test(value),
    "Must be a domain in lower case, such as voltlane.example",
    { pattern: domainPattern, maxLength: 253 }
  ),
  // The record has a longer name than the domain, and names in the DNS have 253 characters at most.
  rule(
    (value: string) => domainProblem(value) === undefined && challengeName(value).length <= 253,
    "Must be a domain of the public DNS, such as voltlane.example"
  )
)

const different = <T>(key: (one: T) => unknown) =>
  rule((given: ReadonlyArray<T>) => new Set(given.map(key)).size === given.length, "Must not contain duplicates")

const GroupRole = Schema.Struct({ group: text(255), roleId: RoleId })

const fields = {
  issuer: text(255),
  clientId: text(255),
  scopes: Schema.Array(Scope).check(Schema.isMaxLength(20)),
  groupsClaim: text(100),
  groupRoles: Schema.Array(GroupRole.annotate({ identifier: "GroupRole" })).check(
    Schema.isMaxLength(100),
    different(({ group }) => group)
  ),
  defaultRoleId: Schema.NullOr(RoleId),
  domains: Schema.Array(EmailDomain).check(
    Schema.isMaxLength(50),
    different((domain) => domain)
  ),
  trustEmail: Schema.Boolean,
  enabled: Schema.Boolean,
  passwordForOwnersOnly: Schema.Boolean
}

export const SingleSignOnSettings = Schema.Struct({
  issuer: fields.issuer,
  clientId: fields.clientId,
  clientSecret: Schema.optionalKey(text(1024)),
  scopes: Schema.optionalKey(fields.scopes),
  groupsClaim: Schema.optionalKey(fields.groupsClaim),
  groupRoles: Schema.optionalKey(fields.groupRoles),
  defaultRoleId: Schema.optionalKey(fields.defaultRoleId),
  domains: Schema.optionalKey(fields.domains),
  trustEmail: Schema.optionalKey(fields.trustEmail),
  enabled: fields.enabled,
  passwordForOwnersOnly: Schema.optionalKey(fields.passwordForOwnersOnly)
}).annotate({ identifier: "SingleSignOnSettings" })

const DomainState = Schema.Literals(["Unverified", "Verified"]).annotate({ identifier: "DomainState" })
const DomainVerifier = Schema.Literals(domainVerifiers).annotate({ identifier: "DomainVerifier" })

export const DomainVerification = Schema.Struct({
  domain: Schema.String,
  state: DomainState,
  recordName: Schema.String,
  recordValue: Schema.String,
  verifiedAt: Schema.NullOr(Time),
  verifiedBy: Schema.NullOr(DomainVerifier),
  confirmedAt: Schema.NullOr(Time)
}).annotate({ identifier: "DomainVerification" })

export const DomainProof = Schema.Struct({
  by: Schema.optionalKey(DomainVerifier)
}).annotate({ identifier: "DomainProof" })

export const SingleSignOn = Schema.Struct({
  issuer: Schema.String,
  clientId: Schema.String,
  hasClientSecret: Schema.Boolean,
  scopes: Schema.Array(Schema.String),
  groupsClaim: Schema.String,
  groupRoles: Schema.Array(Schema.Struct({ group: Schema.String, roleId: Schema.String })),
  defaultRoleId: Schema.NullOr(Schema.String),
  domains: Schema.Array(Schema.String),
  verifications: Schema.Array(DomainVerification),
  trustEmail: Schema.Boolean,
  enabled: Schema.Boolean,
  passwordForOwnersOnly: Schema.Boolean,
  redirectUri: Schema.String,
  updatedAt: Time
}).annotate({ identifier: "SingleSignOn" })

export const SingleSignOnTest = Schema.Struct({ issuer: fields.issuer }).annotate({ identifier: "SingleSignOnTest" })

export const SingleSignOnFindings = Schema.Struct({
  ok: Schema.Boolean,
  problems: Schema.Array(Schema.String),
  authorizationEndpoint: Schema.NullOr(Schema.String),
  tokenEndpoint: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SingleSignOnFindings" })

export const SignOnOffer = Schema.Struct({
  offered: Schema.Boolean,
  organisationName: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SignOnOffer" })

export const NewSignOn = Schema.Struct({
  organisation: Schema.optionalKey(optionalText(255)),
  email: Schema.optionalKey(Email)
}).annotate({ identifier: "NewSignOn" })

export const SignOn = Schema.Struct({ url: Schema.String, organisationName: Schema.String }).annotate({
  identifier: "SignOn"
})

export const SignOnReturn = Schema.Struct({ query: Schema.String.check(Schema.isMaxLength(8192)) }).annotate({
  identifier: "SignOnReturn"
})

const settings = "/v2/single-sign-on"
const signOn = "/v2/sign-ins/single-sign-on"
const writing = ["organisation:write", "operators:write", "roles:write"] as const

export class SingleSignOnApi extends HttpApiGroup.make("single-sign-on").add(
  HttpApiEndpoint.get("get", settings, { success: SingleSignOn, error: NotFound404 }).annotateMerge(
    operation("Read the organisation's identity provider", "organisation:read", "operators:read")
  ),
  HttpApiEndpoint.put("set", settings, {
    payload: SingleSignOnSettings,
    success: SingleSignOn,
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Set the organisation's identity provider", ...writing)),
  HttpApiEndpoint.delete("remove", settings, { success: HttpApiSchema.NoContent, error: NotFound404 }).annotateMerge(
    graveOperation("Remove the organisation's identity provider", ...writing)
  ),
  HttpApiEndpoint.post("verifyDomain", `${settings}/domains/:domain/verify`, {
    headers: IdempotencyHeader,
    params: { domain: Schema.String.check(Schema.isMaxLength(253)) },
    payload: DomainProof,
    success: SingleSignOn.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409, InvalidInput400]
  })
    .annotateMerge(graveOperation("Verify a domain of email addresses", ...writing))
    .annotate(Staged, true),
  HttpApiEndpoint.post("test", `${settings}/test`, {
    headers: IdempotencyHeader,
    payload: SingleSignOnTest,
    success: SingleSignOnFindings.pipe(HttpApiSchema.status(201)),
    error: InvalidInput400
  })
    .annotateMerge(operation("Check what an identity provider publishes, and report problems", ...writing))
    .annotate(Staged, true),
  HttpApiEndpoint.get("offer", signOn, { success: SignOnOffer }).annotateMerge(
    openOperation("Read whether people can sign in with an identity provider")
  ),
  HttpApiEndpoint.post("begin", signOn, {
    payload: NewSignOn,
    success: SignOn.pipe(HttpApiSchema.status(201)),
    error: [Conflict409, InvalidInput400]
  })
    .annotateMerge(openOperation("Begin to sign in with an organisation's identity provider"))
    .annotate(Staged, true),
  HttpApiEndpoint.post("complete", `${signOn}/return`, {
    payload: SignOnReturn,
    success: Me.pipe(HttpApiSchema.status(201)),
    error: [Conflict409, InvalidInput400, TooMany429]
  })
    .annotateMerge(openOperation("Sign in with the identity provider's answer"))
    .annotate(Staged, true)
) {}
