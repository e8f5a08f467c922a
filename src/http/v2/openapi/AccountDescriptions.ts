/** Descriptions and examples of people's accounts: sign-ins, set-up, own account, operators, roles and invitations. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const email = "lea@voltlane.example"
const emailOf = ["The email address that the person signs in with", email] as const
const password = "violet tram over nine hills"
const token = "4QfPZ0mXy1cBtS7hJkWn3vRgDa8eLuoTiK5b2NqYpE6"
const link = `https://cpo.example/invitation#${token}`
const locale = ["Language tag (BCP 47) of the person's language", "sv-SE"] as const
const roleOf = [
  "What the operator may do, before additions and removals",
  { id: "Operations", name: "Operations" }
] as const
const roleId = ["The name of a built-in role, or the id of one of the organisation's own", "Operations"] as const
const given = ["The permissions that the role grants", ["sites:read", "chargers:read"]] as const
const additions = ["Permissions in addition to those of the role", ["tariffs:write"]] as const
const removals = ["Permissions of the role that this operator lacks", []] as const
const newPassword = "The password to sign in with: at least 12 characters, and not one that attackers try first"

export const accountTags: Descriptions["tags"] = {
  "sign-ins": "Sign-in and sign-out, for people",
  "set-up": "The first operator's account",
  me: "The caller, and the caller's own account",
  passkeys: "Passkeys: keys on people's devices that they sign in with",
  operators: "The people who work for the organisation",
  roles: "What operators may do",
  invitations: "Links that let people join the organisation"
}

export const accountOperations: Descriptions["operations"] = {
  "sign-ins.create":
    "Returns the signed-in operator and sets a cookie, which expires after 12 h without requests and after 7 days in any case. 401 `sign_in_refused` means that the email or the password is wrong, without saying which; 401 `second_factor_required` means that the same request is needed again with `code`. After five failures from one network, or from one known device, each further attempt has to wait longer (429 `sign_in_delayed` with Retry-After).",
  "sign-ins.list": "One for each browser. A key has no sign-ins and gets an empty list.",
  "sign-ins.removeOthers": "The calling sign-in stays. Open streams of the others end within a second.",
  "sign-ins.removeCurrent": "Its cookie no longer works, even if it was copied elsewhere.",
  "sign-ins.remove": "The calling sign-in can be ended too. 404 for sign-ins of other people.",
  "set-up.create":
    "The first start prints a link; `token` is the part after its `#`. It works once: the first operator gets this email, name and password, and is signed in.",
  "me.get":
    "Needs no permission. `operator` and `role` are null if the caller is a key; `permissions` lists what the caller may do now; `addresses` are the addresses to give to chargers and partners.",
  "me.update": "Fields that are left out do not change. Needs a sign-in.",
  "me.changePassword": "This sign-in continues with a new cookie, and all others of the person end.",
  "me.changeOrganisation":
    "This sign-in continues with a new cookie, in the given organisation. 404 for an organisation that the person does not work for.",
  "me.beginTotp":
    "For an authenticator app (RFC 6238). Nothing changes until `PUT /v2/me/totp` confirms it with a first code.",
  "me.changeTotp":
    "To switch it on, send the first code of the new secret; the answer has ten recovery codes, and if it is the person's first second factor, this sign-in counts as one with a second factor. To switch it off, send a code of the app or a recovery code.",
  "me.proveFactor":
    "With a code of the app or a recovery code, or with a passkey that answers `POST /v2/sign-ins/passkey-challenges`. This sign-in continues with a new cookie. Operations with `x-second-factor` (`true`, or the condition on the request) are refused with 403 `second_factor_stale` for people who have a second factor and last proved it more than 15 minutes ago; keys, people without one, and sign-ins by an identity provider are exempt.",
  "me.createRecoveryCodes": "Needs a code of the app or one of the previous recovery codes.",
  "passkeys.list": "Lists the passkeys without their keys. An API key has no passkeys: sign in.",
  "passkeys.begin":
    "Pass the answer to `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`. The challenge is valid for five minutes.",
  "passkeys.create":
    "Under the id that the device has chosen, with the device's answer (WebAuthn level 3, attestation `none`). If it is the person's first second factor, this sign-in counts as one with a second factor from then on. 409 `passkey_void` if the challenge was answered before or belongs to someone else, `too_many_passkeys`, `passkey_exists`.",
  "passkeys.rename": "The name helps people to recognise the device.",
  "passkeys.remove": "The passkey no longer works; sign-ins that were made with it continue.",
  "passkeys.challenge":
    "Pass the answer to `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. The challenge is valid for five minutes and works once.",
  "passkeys.signIn":
    "With the device's answer. Counts as two factors: the device, and what unlocked it. 401 `passkey_refused` gives no reason for the refusal.",
  "operators.list": "All operators there have ever been, including disabled ones, because the audit log names them.",
  "operators.get": "With the role, and the permissions that result from it, the additions and the removals.",
  "operators.update":
    "Fields that are left out do not change. Disabling an operator ends their sign-ins, and stops their keys within a second and the open links that they made for good; what goes on is listed by `GET /v2/operators/{operatorId}/access`. 403 if the operator has, or would get, a permission that the caller lacks; 409 `last_owner` for the last active owner.",
  "operators.reset":
    "Pass the link on yourself: the service does not send it. It works once, within 72 h; using it sets a new password, removes the second factor and ends all sign-ins. 409 `other_organisations` for a person who also works for another organisation. It no longer works once its maker may not give what the operator may do (`link_void`), or the operator has changed the password, second factor or passkeys.",
  "operators.access":
    "Keys, webhooks whose URL the operator set or whose secret the operator was shown, open links, and partners' registration tokens that were not used. Without the kinds that the caller may not read. At most 500 of each kind, newest first.",
  "operators.closeAccess":
    "Revokes keys, switches webhooks off, withdraws links and ends registration tokens, all in one transaction. Needs the write permission of each kind too. What no longer works, and what another operator made, is ignored.",
  "roles.list": "The five built-in roles come first; they cannot be changed.",
  "roles.get": "A built-in role by its name, or one of the organisation's own by its id.",
  "roles.create": "It can have only permissions that the caller has. Operators get the role by their `roleId`.",
  "roles.update": "Applies to all operators of this role at their next request.",
  "roles.remove": "409 `role_in_use` while an operator or an invitation has the role.",
  "invitations.list": "Invitations that are neither accepted nor withdrawn nor expired.",
  "invitations.create":
    "Pass the link on yourself: the service does not send it. It works once, within 72 h. A second invitation for the same address replaces the first. The caller must have all permissions of the role, also when the link is used: it ends when its maker is disabled or loses one of them, and when the key that made it ends.",
  "invitations.remove": "Its link no longer works.",
  "invitations.accept":
    "With the secret after `#` in the link. With `name` the person gets a new account with this password. Without it, or if the password belongs to an account with the invited address, that account joins, with `code` if it has a second factor. So the answer does not reveal whether the address has an account to those who do not know its password. For a reset link the password is the new one."
}

/** As devices send it, shortened. */
const credentialId = "xQ0kQ6jH5o1m8w2pV7c9Zg"
const clientDataJSON = "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"

export const accountBodies: Descriptions["bodies"] = {
  "sign-ins.create": { plain: { email, password }, withCode: { email, password, code: "492039" } },
  "set-up.create": { first: { token, email, name: "Lea Lindqvist", password } },
  "me.update": { language: { locale: "sv-SE" } },
  "me.changePassword": { change: { currentPassword: password, newPassword: "green lamp under blue stairs" } },
  "me.changeOrganisation": { change: { organisationId: ids.organisation } },
  "me.beginTotp": { begin: { password } },
  "me.changeTotp": { on: { enabled: true, code: "492039" }, off: { enabled: false, code: "k3jd-7qpa-xx2m-l5ro" } },
  "me.proveFactor": { code: { code: "492039" } },
  "passkeys.begin": { begin: { password } },
  "passkeys.create": {
    laptop: {
      name: "Laptop",
      response: { clientDataJSON, attestationObject: "o2NmbXRkbm9uZQ", transports: ["internal"] }
    }
  },
  "passkeys.rename": { rename: { name: "Work laptop" } },
  "passkeys.signIn": {
    device: {
      credential: {
        id: credentialId,
        response: { clientDataJSON, authenticatorData: "SZYN5YgOjGh0NBcP", signature: "MEUCIQDx", userHandle: null }
      }
    }
  },
  "me.createRecoveryCodes": { renew: { code: "492039" } },
  "operators.update": {
    role: { roleId: "Money", additions: ["commands:write"], removals: [] },
    disable: { state: "Disabled" }
  },
  "operators.closeAccess": { key: { items: [{ kind: "ApiKey", id: ids.other }] } },
  "roles.create": { shift: { name: "Night shift", permissions: ["chargers:read", "commands:write"] } },
  "roles.update": { more: { permissions: ["chargers:read", "commands:read", "commands:write"] } },
  "invitations.create": { colleague: { email, roleId: "Operations" } },
  "invitations.accept": { join: { token, name: "Lea Lindqvist", password } }
}

export const accountDescriptions: Descriptions["properties"] = {
  "NewSignIn.email": ["The email address; case does not matter", email],
  "NewSignIn.password": ["The password as the person typed it", password],
  "NewSignIn.code": [
    "For accounts with a second factor: a code of the authenticator app, or a recovery code",
    "492039"
  ],
  "NewSetUp.token": ["The secret after `#` in the link", token],
  "NewSetUp.email": ["The email address to sign in with", email],
  "NewSetUp.name": ["The person's name", "Lea Lindqvist"],
  "NewSetUp.password": [newPassword, password],

  "SignIn.id": ["The sign-in's id, not its cookie", ids.other],
  current: ["Whether it is the sign-in of this request", true],
  "SignIn.organisationId": ["The organisation in which it works", ids.organisation],
  strength: ["How the person proved their identity: by the password alone, or by a second factor too", "SecondFactor"],
  network: ["The network that the person signed in from", "203.0.113.0/24"],
  agent: ["The browser's User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"],
  seenAt: ["When its last request was received"],
  signInId: ["A sign-in's `id`", ids.other],

  "Me.operator": ["The signed-in operator; null if the caller is a key"],
  "Me.operator.id": ["The operator's id", ids.other],
  "Me.operator.email": emailOf,
  "Me.operator.name": ["The person's name", "Lea Lindqvist"],
  "Me.operator.locale": locale,
  "Me.organisation": ["The organisation whose data this caller reads and writes"],
  "Me.organisation.id": ["The organisation's id", ids.organisation],
  "Me.organisation.name": ["The organisation's name", "Voltlane B.V."],
  "Me.organisations": ["The organisations that the person works for; for a key, its own"],
  "Me.organisations.id": ["The organisation's id", ids.organisation],
  "Me.organisations.name": ["The organisation's name", "Voltlane B.V."],
  "Me.permissions": ["What the caller may do now", ["sites:read", "chargers:read"]],
  "Me.role": ["The role's name; null if the caller is a key", "Operations"],
  "Me.secondFactor": ["The state of the second factor; null if the caller is a key"],
  enrolled: ["Whether the account has a second factor", true],
  "Me.secondFactor.used": ["Whether this sign-in was proved with it", true],
  "Me.secondFactor.required": [
    "Whether the organisation requires a second factor; without one, nothing is permitted",
    false
  ],
  wrongCodes: [
    "Wrong codes in the last seven days by a person who knew the password, except those in this browser; null if there were none. If you did not give them, change your password",
    null
  ],
  "WrongCodes.count": ["How many, at least", 3],
  "WrongCodes.lastAt": ["When the last one was given", "2026-05-20T09:12:45.000Z"],
  "WrongCodes.lastNetwork": ["From which network the last one came", "198.51.100.0/24"],
  recoveryCodesLeft: ["The number of recovery codes that are not used yet", 10],
  addresses: ["The addresses of this service, as seen from outside"],
  rest: ["Base URL of this API", "https://cpo.example/cpo/v2"],
  ocpp: ["Base of the chargers' addresses, to which the chargerId is appended", "wss://cpo.example/ocpp"],
  "addresses.ocpi": ["Address of the OCPI versions, for partners", "https://cpo.example/ocpi/versions"],
  mapTiles: ["Where the console loads map tiles from (`MAP_TILES`); null if not set"],
  "mapTiles.template": [
    "The address of a tile; `{z}` is the zoom, `{x}` and `{y}` the tile's column and row in Web Mercator",
    "https://tiles.example.com/{z}/{x}/{y}.png"
  ],
  "mapTiles.attribution": [
    "The attribution to show on the map (`MAP_TILES_ATTRIBUTION`); null if not set",
    "© OpenStreetMap contributors"
  ],
  "Me.version": ["The version of the service", "0.1.0"],

  "MeChange.name": ["The person's name", "Lea Lindqvist"],
  "MeChange.locale": locale,
  currentPassword: ["The current password, which is replaced", password],
  newPassword: [newPassword, "green lamp under blue stairs"],
  "OrganisationChoice.organisationId": ["One of `organisations` of `GET /v2/me`", ids.organisation],
  "TotpStart.password": ["The person's current password", password],
  "TotpSecret.secret": [
    "The secret in base 32, to type into an app; shown only once",
    "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
  ],
  uri: [
    "The same for a QR code",
    "otpauth://totp/Voltlane:lea%40voltlane.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Voltlane"
  ],
  enabled: ["Whether the second factor is on", true],
  "TotpChange.code": ["A code of the authenticator app; to switch it off, a recovery code works too", "492039"],
  recoveryCodes: [
    "Ten codes that replace a code of the app once each; null if none were made",
    ["k3jd-7qpa-xx2m-l5ro"]
  ],
  "FactorProof.code": ["A code of the authenticator app, or a recovery code", "492039"],
  "FactorProof.credential": ["The passkey's answer, instead of `code`"],
  "RecoveryCodesStart.code": ["A code of the authenticator app, or a recovery code", "492039"],
  codes: ["Ten codes that work once each; shown only once", ["k3jd-7qpa-xx2m-l5ro"]],

  "Passkey.id": ["The credential's id, chosen by the device", credentialId],
  "Passkey.name": ["Name of the device", "Laptop"],
  "Passkey.usedAt": ["When it was last used to sign in; null if never"],
  passkeyId: ["A passkey's `id`", credentialId],
  "PasskeyStart.password": ["The person's current password", password],
  "PasskeyOptions.challenge": [
    "The challenge that the device signs, in base64url",
    "k3jd7qpaxx2ml5roS0q1w2e3r4t5y6u7i8o9p0a1s2d"
  ],
  "PasskeyOptions.rp": ["The site that the passkey is for"],
  "PasskeyOptions.rp.id": ["Its host name", "cpo.example"],
  "PasskeyOptions.rp.name": ["Its display name", "Voltlane"],
  "PasskeyOptions.user": ["The account that the passkey is for"],
  "PasskeyOptions.user.id": ["The operator's id, in base64url", "MDE5YTlmM2U"],
  "PasskeyOptions.user.name": ["The email address to sign in with", email],
  "PasskeyOptions.user.displayName": ["The person's name", "Lea Lindqvist"],
  pubKeyCredParams: ["Accepted algorithms, the best first"],
  "PasskeyOptions.pubKeyCredParams.type": ["Always `public-key`", "public-key"],
  alg: ["The algorithm's number in COSE", -7],
  timeout: ["Milliseconds for which the challenge is valid", 300_000],
  attestation: ["`none`: no attestation of the device's maker is requested", "none"],
  authenticatorSelection: ["Requirements on the device"],
  residentKey: ["The device stores the account with the key, so that no email has to be typed", "required"],
  requireResidentKey: ["The same requirement, for older browsers", true],
  userVerification: ["Whether the device must be unlocked by fingerprint, face or PIN", "required"],
  excludeCredentials: ["Passkeys that the account has already, so that a device does not create a second one"],
  "PasskeyOptions.excludeCredentials.type": ["Always `public-key`", "public-key"],
  "PasskeyOptions.excludeCredentials.id": ["The credential's id", credentialId],
  "PasskeyChallenge.challenge": [
    "The challenge that the device signs, in base64url",
    "k3jd7qpaxx2ml5roS0q1w2e3r4t5y6u7i8o9p0a1s2d"
  ],
  rpId: ["The host name that the passkey is for", "cpo.example"],
  "NewPasskey.name": ["Name of the device", "Laptop"],
  "NewPasskey.response": ["The device's answer: AuthenticatorAttestationResponseJSON of WebAuthn"],
  "PasskeyName.name": ["Name of the device", "Work laptop"],
  "PasskeySignIn.credential": ["The device's answer"],
  "PasskeyAssertion.id": ["The credential's id", credentialId],
  "PasskeyAssertion.response": ["AuthenticatorAssertionResponseJSON of WebAuthn"],
  clientDataJSON: ["The browser's client data, in base64url", clientDataJSON],
  attestationObject: ["The attestation object with the new key: CBOR, in base64url", "o2NmbXRkbm9uZQ"],
  transports: ["How the device is connected, such as `internal` or `usb`", ["internal"]],
  authenticatorData: ["The authenticator data, in base64url", "SZYN5YgOjGh0NBcP"],
  signature: ["The device's signature, in base64url", "MEUCIQDx"],
  userHandle: ["The operator's id as the device stores it; ignored", null],

  operatorId: ["An operator's `id`", ids.other],
  "Operator.id": ["The operator's id", ids.other],
  "Operator.email": emailOf,
  "Operator.name": ["The person's name; empty until they have entered one", "Lea Lindqvist"],
  "Operator.locale": locale,
  "Operator.state": [
    "Active: may sign in. Invited: has no password yet. Disabled: neither the operator nor their keys may do anything here",
    "Active"
  ],
  "Operator.role": roleOf,
  "Operator.role.id": ["The role's id; for a built-in role, its name", "Operations"],
  "Operator.role.name": ["The role's name", "Operations"],
  "Operator.additions": additions,
  "Operator.removals": removals,
  "Operator.permissions": ["The resulting permissions", ["sites:read", "chargers:read"]],
  "Operator.secondFactor": ["Whether the account has a second factor", true],
  "OperatorChange.name": ["The person's name", "Lea Lindqvist"],
  "OperatorChange.state": ["`Active` re-enables a disabled operator", "Disabled"],
  "OperatorChange.roleId": roleId,
  "OperatorChange.additions": additions,
  "OperatorChange.removals": removals,
  "OperatorAccess.kind": [
    "`ApiKey`, `Webhook`, `Invitation` of a person, `Reset` link, or `PartnerInvitation`: a registration token that was not used",
    "ApiKey"
  ],
  "OperatorAccess.id": ["The id of the key, webhook or link; for `PartnerInvitation` the partner's", ids.other],
  "OperatorAccess.name": [
    "The name of the key or partner, the webhook's URL, or the email address that the link is for",
    "Billing export"
  ],
  works: ["False for a key of a disabled operator: it works again when the operator is enabled", true],
  "OperatorAccess.expiresAt": ["When it ends by itself; null if it does not", null],
  "AccessClosing.items": ["What to close, from `GET /v2/operators/{operatorId}/access`"],
  "AccessClosing.items.kind": ["The item's `kind`", "ApiKey"],
  "AccessClosing.items.id": ["The item's `id`", ids.other],
  closed: ["What was closed"],
  link: ["The link to pass on; shown only once", link],
  expiresAt: ["When it expires"],

  roleId,
  "Role.id": ["The role's id; for a built-in role, its name", "Operations"],
  "Role.name": ["The role's name", "Operations"],
  "Role.builtIn": ["Whether it is one of the five roles that every organisation has", true],
  "Role.permissions": given,
  "Role.createdAt": ["When it was made; null for a built-in role", null],
  "NewRole.name": ["A name that no other role of the organisation has", "Night shift"],
  "NewRole.permissions": given,
  "RoleChange.name": ["A name that no other role of the organisation has", "Night shift"],
  "RoleChange.permissions": given,

  invitationId: ["An invitation's `id`", ids.other],
  "Invitation.id": ["The invitation's id", ids.other],
  "Invitation.email": ["The email address of the invited person", email],
  "Invitation.role": roleOf,
  "Invitation.role.id": ["The role's id; for a built-in role, its name", "Operations"],
  "Invitation.role.name": ["The role's name", "Operations"],
  "InvitationWithLink.id": ["The invitation's id", ids.other],
  "InvitationWithLink.email": ["The email address of the invited person", email],
  "InvitationWithLink.role": roleOf,
  "InvitationWithLink.role.id": ["The role's id; for a built-in role, its name", "Operations"],
  "InvitationWithLink.role.name": ["The role's name", "Operations"],
  "NewInvitation.email": ["The email address of the invited person", email],
  "NewInvitation.roleId": roleId,
  "LinkAcceptance.token": ["The secret after `#` in the link", token],
  "LinkAcceptance.name": [
    "The person's name, for a new account. Without it an invitation is for the account with this password",
    "Lea Lindqvist"
  ],
  "LinkAcceptance.password": [newPassword, password],
  "LinkAcceptance.code": ["A code of the second factor, if the account has one", "492039"],
  requireSecondFactor: [
    "Whether operators must have a second factor: without one, they can only set one up. Keys are not affected",
    false
  ]
}
