/** Descriptions and examples of single sign-on: an organisation's identity provider, and signing in with it. */
import type { Descriptions } from "../../openapi/Descriptions.ts"

const issuer = "https://login.voltlane.example"
const redirectUri = "https://cpo.example/sign-in/return"
const group = "charging-operations"
const domain = "voltlane.example"

const issuerOf = ["The provider's issuer, exactly as it names itself", issuer] as const
const clientId = ["The id under which this service is registered at the provider", "voltlane"] as const
const scopes = ["What is asked for beside `openid`", ["email", "profile"]] as const
const groupsClaim = ["The claim that lists a person's groups, in the ID token or the userinfo", "groups"] as const
const groupRoles = [
  "Which group gives which role; the first one that fits counts",
  [{ group, roleId: "Operations" }]
] as const
const groupOf = ["A group as the provider names it", group] as const
const roleId = ["A built-in role by its name, or the id of an own one", "Operations"] as const
const defaultRoleId = ["The role of those whom no group fits; null: they are refused", null] as const
const domains = [
  "Domains of email addresses, in lower case. Who has a verified address in one of them may join without an invitation",
  [domain]
] as const
const trustEmail = [
  "True: addresses count as verified where the provider does not say. Only for a provider whose addresses your own administrators give",
  false
] as const
const isEnabled = ["Whether people can sign in by it", true] as const
const passwordForOwnersOnly = [
  "True: a sign-in by password may do nothing, unless it is an owner's. Keys are not concerned",
  false
] as const

export const singleSignOnTags: Descriptions["tags"] = {
  "single-sign-on": "Signing in by the organisation's own identity provider"
}

export const singleSignOnOperations: Descriptions["operations"] = {
  "single-sign-on.get": "Without the client secret. 404 where none is set.",
  "single-sign-on.set":
    "Replaces all of it; what is left out gets its default. Without `clientSecret` the one before stays, unless the issuer or client id changes. 403 for a caller who may do less than an owner: who decides about the provider can sign in as any operator. 409 `local_owner_needed` where no active owner has a password.",
  "single-sign-on.remove":
    "No one signs in by it any more; sign-ins that are there go on. Which identity is which operator is kept for the case that the same provider comes back.",
  "single-sign-on.test":
    "Reads the discovery document and the keys of any issuer, before or after it is set. Nothing is changed. The client id and secret are not tried: that takes a sign-in.",
  "single-sign-on.offer":
    "For the sign-in page. With the name of the organisation where only one offers it, so that nothing needs to be asked.",
  "single-sign-on.begin":
    "Answers where the browser is to go, and sets a cookie that ties the answer to this browser for ten minutes. The organisation is found by its country code and party id (`organisation`), else by the domain of `email`, else it is the only one. 409 `single_sign_on_unknown` where none fits, or two do.",
  "single-sign-on.complete":
    "The page at `redirectUri` sends the query that the provider brought. Answers who signed in and sets the cookie of a sign-in, like a password. 409 `sign_on_lost` for an answer that this browser did not ask for, `provider_answer_invalid` for one that does not pass a check, and a code of its own for each reason for which a person is not let in."
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
  "single-sign-on.begin": { byCode: { organisation: "NL-VLT" }, byEmail: { email: `lea@${domain}` } },
  "single-sign-on.complete": { returned: { query: "code=SplxlOBeZQQYbYS6WxSbIA&state=4QfPZ0mXy1cBtS7hJkWn3v" } }
}

export const singleSignOnDescriptions: Descriptions["properties"] = {
  "SingleSignOnSettings.issuer": issuerOf,
  "SingleSignOnSettings.clientId": clientId,
  "SingleSignOnSettings.clientSecret": ["The client's secret; it is never shown again", "gX3kP0vQ9sT1"],
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
  "SingleSignOnTest.issuer": issuerOf,
  "SingleSignOnFindings.ok": ["Whether nothing was found to be wrong", true],
  "SingleSignOnFindings.problems": ["What is wrong, in words", []],
  "SingleSignOnFindings.authorizationEndpoint": [
    "Where browsers are sent; null if it is not known",
    `${issuer}/authorize`
  ],
  "SingleSignOnFindings.tokenEndpoint": [
    "Where this service asks for tokens; null if it is not known",
    `${issuer}/token`
  ],
  "SignOnOffer.offered": ["Whether any organisation of this service offers it", true],
  "SignOnOffer.organisationName": ["The organisation, where it is the only one; else null", "Voltlane B.V."],
  "NewSignOn.organisation": ["Country code and party id of the organisation", "NL-VLT"],
  "NewSignOn.email": ["An email address, of which the domain counts", `lea@${domain}`],
  "SignOn.url": ["Where the browser is to go, by itself", `${issuer}/authorize?client_id=voltlane`],
  "SignOn.organisationName": ["The organisation that was found", "Voltlane B.V."],
  "SignOnReturn.query": ["What followed `?` in the address that the provider sent the browser to", "code=…&state=…"],

  "Me.singleSignOn": ["Whether this sign-in was proved by the organisation's identity provider", false],
  "SignIn.singleSignOn": [
    "Whether it was proved by the organisation's identity provider; then it works there alone",
    false
  ],
  "Operator.singleSignOn": ["Whether the operator signs in by the organisation's identity provider", false]
}
