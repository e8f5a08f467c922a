/** Descriptions and examples of single sign-on: an organisation's identity provider, and signing in with it. */
import type { Descriptions } from "../../openapi/Descriptions.ts"

const issuer = "https://login.voltlane.example"
const redirectUri = "https://cpo.example/sign-in/return"
const group = "charging-operations"
const domain = "voltlane.example"

const issuerOf = ["The provider's issuer, exactly as the provider publishes it", issuer] as const
const clientId = ["The client id under which this service is registered at the provider", "voltlane"] as const
const scopes = ["Scopes to request in addition to `openid`", ["email", "profile"]] as const
const groupsClaim = ["The claim that lists a person's groups, in the ID token or the userinfo", "groups"] as const
const groupRoles = [
  "The role for each group; the first matching entry applies",
  [{ group, roleId: "Operations" }]
] as const
const groupOf = ["The provider's name for the group", group] as const
const roleId = ["The name of a built-in role, or the id of one of the organisation's own", "Operations"] as const
const defaultRoleId = ["The role of people without a matching group; null: they are refused", null] as const
const domains = [
  "Domains of email addresses, in lower case. Once such a domain is verified, people with a verified address in it may join without an invitation",
  [domain]
] as const
const trustEmail = [
  "True: addresses count as verified if the provider does not say whether they are. Only for a provider whose addresses your own administrators assign",
  false
] as const
const isEnabled = ["Whether people can sign in with it", true] as const
const passwordForOwnersOnly = ["True: only owners can use a sign-in by password. Keys are not affected", false] as const

export const singleSignOnTags: Descriptions["tags"] = {
  "single-sign-on": "Sign-in with the organisation's own identity provider"
}

export const singleSignOnOperations: Descriptions["operations"] = {
  "single-sign-on.get": "Without the client secret. 404 if no identity provider is set.",
  "single-sign-on.set":
    "Replaces all settings; those that are left out get their defaults. Without `clientSecret` the stored secret stays, unless the issuer or client id changes. 403 for a caller with fewer permissions than an owner, because control of the provider allows signing in as any operator. 409 `local_owner_needed` if no active owner has a password.",
  "single-sign-on.remove":
    "No one can sign in with it any more; existing sign-ins continue. The links between identities and operators are kept in case the same provider is set again.",
  "single-sign-on.verifyDomain":
    "Looks for the TXT record `recordName` with the value `recordValue`, and verifies the domain if it is there. Until then the domain does nothing: several organisations may name it, and no one is sent to a provider because of it or joins by it. The record is looked up again every day; without it the domain is unverified after 7 days. With `by` `Operator` no record is needed, and the permission `platform:admin` is. 409 `domain_record_missing`, `domain_lookup_failed` if the DNS does not answer, `domain_taken` if another organisation has it verified.",
  "single-sign-on.test":
    "Reads the discovery document and the keys of any issuer, before or after it is set. Nothing is changed. The client id and secret are not tested: that takes a sign-in.",
  "single-sign-on.offer":
    "For the sign-in page. Includes the organisation's name if only one offers single sign-on, so that the page need not ask.",
  "single-sign-on.begin":
    "Returns the address to send the browser to, and sets a cookie that ties the provider's answer to this browser for ten minutes. The organisation is found by its country code and party id (`organisation`), else by the domain of `email` if it is verified, else it is the only one with single sign-on. 409 `single_sign_on_unknown` if none matches, or more than one.",
  "single-sign-on.complete":
    "The page at `redirectUri` sends the query string that it got from the provider. Returns the signed-in operator and sets the cookie of a sign-in, as with a password. 409 `sign_on_lost` for an answer that does not belong to a request of this browser, `provider_answer_invalid` for one that fails a check, and a separate code for each reason to refuse a person."
}

export const singleSignOnBodies: Descriptions["bodies"] = {
  "single-sign-on.set": {
    groups: {
      issuer,
      clientId: "voltlane",
      clientSecret: "gX3kP0vQ9sT1",
      groupRoles: [{ group, roleId: "Operations" }],
      domains: [domain],
      enabled: true
    }
  },
  "single-sign-on.test": { provider: { issuer } },
  "single-sign-on.verifyDomain": { byRecord: {} },
  "single-sign-on.begin": { byCode: { organisation: "NL-VLT" }, byEmail: { email: `lea@${domain}` } },
  "single-sign-on.complete": { returned: { query: "code=SplxlOBeZQQYbYS6WxSbIA&state=4QfPZ0mXy1cBtS7hJkWn3v" } }
}

export const singleSignOnDescriptions: Descriptions["properties"] = {
  "SingleSignOnSettings.issuer": issuerOf,
  "SingleSignOnSettings.clientId": clientId,
  "SingleSignOnSettings.clientSecret": ["The client secret; it is never shown again", "gX3kP0vQ9sT1"],
  "SingleSignOnSettings.scopes": scopes,
  "SingleSignOnSettings.groupsClaim": groupsClaim,
  "SingleSignOnSettings.groupRoles": groupRoles,
  "SingleSignOnSettings.defaultRoleId": defaultRoleId,
  "SingleSignOnSettings.domains": domains,
  "SingleSignOnSettings.trustEmail": trustEmail,
  "SingleSignOnSettings.enabled": isEnabled,
  "SingleSignOnSettings.passwordForOwnersOnly": passwordForOwnersOnly,
  "GroupRole.group": groupOf,
  "GroupRole.roleId": roleId,
  "SingleSignOn.issuer": issuerOf,
  "SingleSignOn.clientId": clientId,
  "SingleSignOn.hasClientSecret": ["Whether a client secret is stored", true],
  "SingleSignOn.scopes": scopes,
  "SingleSignOn.groupsClaim": groupsClaim,
  "SingleSignOn.groupRoles": groupRoles,
  "SingleSignOn.groupRoles.group": groupOf,
  "SingleSignOn.groupRoles.roleId": roleId,
  "SingleSignOn.defaultRoleId": defaultRoleId,
  "SingleSignOn.domains": domains,
  "SingleSignOn.trustEmail": trustEmail,
  "SingleSignOn.enabled": isEnabled,
  "SingleSignOn.passwordForOwnersOnly": passwordForOwnersOnly,
  "SingleSignOn.redirectUri": ["The address to register at the provider", redirectUri],
  "SingleSignOn.verifications": ["For each of the domains, whether it is verified and which record verifies it", []],
  domain: ["A domain of the settings", domain],
  "DomainVerification.domain": ["The domain of email addresses that the record proves", domain],
  "DomainVerification.state": ["Only a verified domain leads people to the provider and lets them join", "Verified"],
  "DomainVerification.recordName": ["The name of the TXT record", `_voltlane-challenge.${domain}`],
  "DomainVerification.recordValue": [
    "The value of the TXT record, different for each organisation",
    "voltlane-verification=3fYxG0v9RkQ2mZs7LwBt5cNd1HaPe8UjK"
  ],
  "DomainVerification.verifiedAt": ["When it was verified; null if it is not", "2026-11-20T09:30:00.000Z"],
  "DomainVerification.verifiedBy": ["By its record, or by an operator of the platform; null if it is not", "Dns"],
  "DomainVerification.confirmedAt": ["When the record was last found", "2026-11-24T09:30:00.000Z"],
  "DomainProof.by": ["`Operator`: without a record, by an operator of the platform", "Dns"],
  "SingleSignOnTest.issuer": issuerOf,
  "SingleSignOnFindings.ok": ["True if no problem was found", true],
  "SingleSignOnFindings.problems": ["The problems, as human-readable text", []],
  "SingleSignOnFindings.authorizationEndpoint": ["Where browsers are sent; null if unknown", `${issuer}/authorize`],
  "SingleSignOnFindings.tokenEndpoint": ["Where this service requests tokens; null if unknown", `${issuer}/token`],
  "SignOnOffer.offered": ["Whether any organisation of this service offers single sign-on", true],
  "SignOnOffer.organisationName": ["The organisation's name, if only one offers it; else null", "Voltlane B.V."],
  "NewSignOn.organisation": ["Country code and party id of the organisation", "NL-VLT"],
  "NewSignOn.email": ["An email address, of which only the domain is used", `lea@${domain}`],
  "SignOn.url": [
    "The address to send the browser to, as a top-level navigation",
    `${issuer}/authorize?client_id=voltlane`
  ],
  "SignOn.organisationName": ["The organisation that was found", "Voltlane B.V."],
  "SignOnReturn.query": [
    "The query string of the address that the provider sent the browser to, without `?`",
    "code=…&state=…"
  ],

  "Me.singleSignOn": ["Whether this sign-in was proved by the organisation's identity provider", false],
  "SignIn.singleSignOn": [
    "Whether it was proved by the organisation's identity provider; if so, it is valid only for that organisation",
    false
  ],
  "Operator.singleSignOn": ["Whether the operator signs in with the organisation's identity provider", false]
}
