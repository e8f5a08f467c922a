/** Descriptions and examples of people's accounts: sign-ins, set-up, own account, operators, roles and invitations. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const email = "lea@voltlane.example"
const emailOf = ["The person's email address, by which they sign in", email] as const
const password = "violet tram over nine hills"
const token = "4QfPZ0mXy1cBtS7hJkWn3vRgDa8eLuoTiK5b2NqYpE6"
const link = `https://cpo.example/invitation#${token}`
const locale = ["Language tag (BCP 47) in which the person reads", "sv-SE"] as const
const roleOf = [
  "What the operator may do, before additions and removals",
  { id: "Operations", name: "Operations" }
] as const
const roleId = ["A built-in role by its name, or the id of an own one", "Operations"] as const
const given = ["The permissions that the role gives", ["sites:read", "chargers:read"]] as const
const additions = ["Permissions beside those of the role", ["tariffs:write"]] as const
const removals = ["Permissions of the role that this operator lacks", []] as const
const newPassword = "The password to sign in with: at least 12 characters, and none that guessers try first"

export const accountTags: Descriptions["tags"] = {
  "sign-ins": "Signing in and out, for people",
  "set-up": "The first operator's account",
  me: "Who calls, and one's own account",
  passkeys: "Keys of people's devices, by which they sign in",
  operators: "The people who work for the organisation",
  roles: "What operators may do",
  invitations: "Links by which people join the organisation"
}

export const accountOperations: Descriptions["operations"] = {
  "sign-ins.create":
    "Answers who signed in and sets a cookie, which ends after 12 h without requests and after 7 days in all. 401 `sign_in_refused` says no more than that email or password is wrong; 401 `second_factor_required` asks for the same again with `code`. After five failures from one network, or from one known device, each further try waits longer (429 `sign_in_delayed` with Retry-After).",
  "sign-ins.list": "One for each browser. A key has none, and gets an empty list.",
  "sign-ins.removeOthers": "The one that asks stays. Open streams of the others end within a second.",
  "sign-ins.removeCurrent": "Its cookie works no more, wherever it was copied to.",
  "sign-ins.remove": "Also the one that asks. 404 for sign-ins of other people.",
  "set-up.create":
    "The first start prints a link; `token` is what follows its `#`. It works once: the first operator gets this email, name and password, and is signed in.",
  "me.get":
    "Needs no permission. `operator` and `role` are null where a key calls; `permissions` are what the caller may do now; `addresses` are those to hand out.",
  "me.update": "Fields that are left out stay as they are. Needs a sign-in.",
  "me.changePassword": "This sign-in goes on under a new cookie, and all others of the person end.",
  "me.changeOrganisation":
    "This sign-in goes on under a new cookie, in the organisation that is named. 404 for one that the person does not work for.",
  "me.beginTotp":
    "For an authenticator app (RFC 6238). Nothing changes until `PUT /v2/me/totp` confirms it with a first code.",
  "me.changeTotp":
    "On: with the first code of the new secret; answers ten recovery codes, and this sign-in counts as one with a second factor. Off: with a code of the app or a recovery code.",
  "me.proveFactor":
    "With a code of the app or a recovery code, or with a passkey that answers `POST /v2/sign-ins/passkey-challenges`. This sign-in goes on under a new cookie. Operations with `x-second-factor` are refused with 403 `second_factor_stale` to people who have a second factor and showed it longer than 15 minutes ago; keys, people without one, and sign-ins by an identity provider are not asked.",
  "me.createRecoveryCodes": "With a code of the app or one of the codes before.",
  "passkeys.list": "Without their keys. A key of this API has none: sign in.",
  "passkeys.begin":
    "Give the answer to `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`. The challenge waits five minutes.",
  "passkeys.create":
    "Under the id that the device has chosen, with what it answered (WebAuthn level 3, attestation `none`). This sign-in counts as one with a second factor from then on. 409 `passkey_void` where the challenge was answered before or belongs to someone else, `too_many_passkeys`, `passkey_exists`.",
  "passkeys.rename": "The name is for people: it says which device it is.",
  "passkeys.remove": "It works no more; sign-ins that it began go on.",
  "passkeys.challenge":
    "Give the answer to `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. The challenge waits five minutes, and works once.",
  "passkeys.signIn":
    "With what the device answered. Counts as two factors: the device, and what unlocked it. 401 `passkey_refused` says no more than that it does not sign in.",
  "operators.list": "All who were ever let in, disabled ones too: the audit log names them.",
  "operators.get": "With the role, and what it grants together with additions and removals.",
  "operators.update":
    "Fields that are left out stay as they are. Disabling ends the operator's sign-ins and stops their keys within a second. 403 where the operator has, or is to get, a permission that the caller lacks; 409 `last_owner` for the last active owner.",
  "operators.reset":
    "Hand the link over yourself: it is sent nowhere. It works once, for 72 h; using it sets a new password, removes the second factor and ends all sign-ins. 409 `other_organisations` for a person who works elsewhere too.",
  "roles.list": "The five built-in ones first; they do not change.",
  "roles.get": "A built-in role by its name, or an own one by its id.",
  "roles.create": "With permissions that the caller has. Operators get it by their `roleId`.",
  "roles.update": "Applies to all operators of this role at their next request.",
  "roles.remove": "409 `role_in_use` while an operator or an invitation has it.",
  "invitations.list": "Those that wait: neither accepted nor taken back nor expired.",
  "invitations.create":
    "Hand the link over yourself: it is sent nowhere. It works once, for 72 h. A second invitation of one address replaces the first. Only a role whose permissions the caller has.",
  "invitations.remove": "Its link works no more.",
  "invitations.accept":
    "By the secret behind `#` of the link. A new account gets the name and password that are sent; who has an account already sends its own password, and `code` where it has a second factor. For a link of a reset the password is the new one."
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
  "roles.create": { shift: { name: "Night shift", permissions: ["chargers:read", "commands:write"] } },
  "roles.update": { more: { permissions: ["chargers:read", "commands:read", "commands:write"] } },
  "invitations.create": { colleague: { email, roleId: "Operations" } },
  "invitations.accept": { join: { token, name: "Lea Lindqvist", password } }
}

export const accountDescriptions: Descriptions["properties"] = {
  "NewSignIn.email": ["The email address, in any case", email],
  "NewSignIn.password": ["The password as the person typed it", password],
  "NewSignIn.code": [
    "A code of the authenticator app, or a recovery code; for accounts with a second factor",
    "492039"
  ],
  "NewSetUp.token": ["The secret behind `#` of the link", token],
  "NewSetUp.email": ["The email address to sign in by", email],
  "NewSetUp.name": ["The person's name", "Lea Lindqvist"],
  "NewSetUp.password": [newPassword, password],

  "SignIn.id": ["The sign-in's id, not its cookie", ids.other],
  current: ["Whether it is the one that asks", true],
  "SignIn.organisationId": ["The organisation in which it works", ids.organisation],
  strength: ["What it was proved by: the password alone, or a second factor too", "SecondFactor"],
  network: ["The network that it came from", "203.0.113.0/24"],
  agent: [
    "The browser's own words about itself",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
  ],
  seenAt: ["When its last request came"],
  signInId: ["A sign-in's `id`", ids.other],

  "Me.operator": ["Who signed in; null where a key calls"],
  "Me.operator.id": ["The operator's id", ids.other],
  "Me.operator.email": emailOf,
  "Me.operator.name": ["The person's name", "Lea Lindqvist"],
  "Me.operator.locale": locale,
  "Me.organisation": ["The organisation that everything is read and written in"],
  "Me.organisation.id": ["The organisation's id", ids.organisation],
  "Me.organisation.name": ["The organisation's name", "Voltlane B.V."],
  "Me.organisations": ["Those that the person works for; of a key its own"],
  "Me.organisations.id": ["The organisation's id", ids.organisation],
  "Me.organisations.name": ["The organisation's name", "Voltlane B.V."],
  "Me.permissions": ["What the caller may do now", ["sites:read", "chargers:read"]],
  "Me.role": ["The role by its name; null where a key calls", "Operations"],
  "Me.secondFactor": ["The state of the second factor; null where a key calls"],
  enrolled: ["Whether the account has one", true],
  "Me.secondFactor.used": ["Whether this sign-in was proved by it", true],
  "Me.secondFactor.required": ["Whether the organisation asks for one; without it nothing is permitted", false],
  recoveryCodesLeft: ["Recovery codes that were not used yet", 10],
  addresses: ["Where this service is reached from outside"],
  rest: ["Base of this API", "https://cpo.example/cpo/v2"],
  ocpp: ["Base of chargers' addresses, before the chargerId", "wss://cpo.example/ocpp"],
  "addresses.ocpi": ["Address of the OCPI versions, for partners", "https://cpo.example/ocpi/versions"],
  mapTiles: ["Where the console gets street tiles from (`MAP_TILES`); null where none are set"],
  "mapTiles.template": [
    "The address of a tile; `{z}` is the zoom, `{x}` and `{y}` the tile's column and row in Web Mercator",
    "https://tiles.example.com/{z}/{x}/{y}.png"
  ],
  "mapTiles.attribution": [
    "What the provider wants to be written on the map (`MAP_TILES_ATTRIBUTION`); null where nothing is set",
    "© OpenStreetMap contributors"
  ],
  "Me.version": ["The version of the service", "0.1.0"],

  "MeChange.name": ["The person's name", "Lea Lindqvist"],
  "MeChange.locale": locale,
  currentPassword: ["The password that is to be replaced", password],
  newPassword: [newPassword, "green lamp under blue stairs"],
  "OrganisationChoice.organisationId": ["One of `organisations` of `GET /v2/me`", ids.organisation],
  "TotpStart.password": ["The person's password, once more", password],
  "TotpSecret.secret": [
    "The secret in base 32, to type into an app: shown now and never again",
    "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
  ],
  uri: [
    "The same for a QR code",
    "otpauth://totp/Voltlane:lea%40voltlane.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Voltlane"
  ],
  enabled: ["Whether the second factor is on", true],
  "TotpChange.code": ["A code of the authenticator app; to switch it off, a recovery code works too", "492039"],
  recoveryCodes: [
    "Ten codes that work once each, in place of the app's; null where none were made",
    ["k3jd-7qpa-xx2m-l5ro"]
  ],
  "FactorProof.code": ["A code of the authenticator app, or a recovery code", "492039"],
  "FactorProof.credential": ["What the passkey answered; instead of `code`"],
  "RecoveryCodesStart.code": ["A code of the authenticator app, or a recovery code", "492039"],
  codes: ["Ten codes that work once each: shown now and never again", ["k3jd-7qpa-xx2m-l5ro"]],

  "Passkey.id": ["The credential's id, as the device has chosen it", credentialId],
  "Passkey.name": ["Which device it is", "Laptop"],
  "Passkey.usedAt": ["When it last signed in; null where it never has"],
  passkeyId: ["A passkey's `id`", credentialId],
  "PasskeyStart.password": ["The person's password, once more", password],
  "PasskeyOptions.challenge": ["What the device signs, in base64url", "k3jd7qpaxx2ml5roS0q1w2e3r4t5y6u7i8o9p0a1s2d"],
  "PasskeyOptions.rp": ["The site that the passkey is for"],
  "PasskeyOptions.rp.id": ["Its host name", "cpo.example"],
  "PasskeyOptions.rp.name": ["Its name for people", "Voltlane"],
  "PasskeyOptions.user": ["The account that the passkey is for"],
  "PasskeyOptions.user.id": ["The operator's id, in base64url", "MDE5YTlmM2U"],
  "PasskeyOptions.user.name": ["The email address to sign in by", email],
  "PasskeyOptions.user.displayName": ["The person's name", "Lea Lindqvist"],
  pubKeyCredParams: ["Algorithms that are taken, the best first"],
  "PasskeyOptions.pubKeyCredParams.type": ["Always `public-key`", "public-key"],
  alg: ["The algorithm's number in COSE", -7],
  timeout: ["Milliseconds for which the challenge waits", 300_000],
  attestation: ["The device's maker is not asked for", "none"],
  authenticatorSelection: ["What the device has to do"],
  residentKey: ["It keeps the account with the key, so that no email has to be typed", "required"],
  requireResidentKey: ["The same for older browsers", true],
  userVerification: ["It is unlocked by a fingerprint, face or PIN", "required"],
  excludeCredentials: ["Passkeys that the account has: a device makes no second one"],
  "PasskeyOptions.excludeCredentials.type": ["Always `public-key`", "public-key"],
  "PasskeyOptions.excludeCredentials.id": ["The credential's id", credentialId],
  "PasskeyChallenge.challenge": ["What the device signs, in base64url", "k3jd7qpaxx2ml5roS0q1w2e3r4t5y6u7i8o9p0a1s2d"],
  rpId: ["The host name that the passkey is for", "cpo.example"],
  "NewPasskey.name": ["Which device it is", "Laptop"],
  "NewPasskey.response": ["AuthenticatorAttestationResponseJSON of WebAuthn: what the device answered"],
  "PasskeyName.name": ["Which device it is", "Work laptop"],
  "PasskeySignIn.credential": ["What the device answered"],
  "PasskeyAssertion.id": ["The credential's id", credentialId],
  "PasskeyAssertion.response": ["AuthenticatorAssertionResponseJSON of WebAuthn"],
  clientDataJSON: ["What the browser says of the ceremony, in base64url", clientDataJSON],
  attestationObject: ["The key that was made, as CBOR in base64url", "o2NmbXRkbm9uZQ"],
  transports: ["How the device is reached, as in `internal` or `usb`", ["internal"]],
  authenticatorData: ["What the device says of itself, in base64url", "SZYN5YgOjGh0NBcP"],
  signature: ["The device's signature, in base64url", "MEUCIQDx"],
  userHandle: ["The operator's id as the device keeps it; not looked at", null],

  operatorId: ["An operator's `id`", ids.other],
  "Operator.id": ["The operator's id", ids.other],
  "Operator.email": emailOf,
  "Operator.name": ["The person's name; empty until they have given one", "Lea Lindqvist"],
  "Operator.locale": locale,
  "Operator.state": [
    "Active: may sign in. Invited: has no password yet. Disabled: may do nothing here, and neither may the operator's keys",
    "Active"
  ],
  "Operator.role": roleOf,
  "Operator.role.id": ["The role's id; of a built-in one its name", "Operations"],
  "Operator.role.name": ["The role's name", "Operations"],
  "Operator.additions": additions,
  "Operator.removals": removals,
  "Operator.permissions": ["What all of it grants", ["sites:read", "chargers:read"]],
  "Operator.secondFactor": ["Whether the account has a second factor", true],
  "OperatorChange.name": ["The person's name", "Lea Lindqvist"],
  "OperatorChange.state": ["Active lets a disabled operator in again", "Disabled"],
  "OperatorChange.roleId": roleId,
  "OperatorChange.additions": additions,
  "OperatorChange.removals": removals,
  link: ["The link to hand over: shown now and never again", link],
  expiresAt: ["Until when it works"],

  roleId,
  "Role.id": ["The role's id; of a built-in one its name", "Operations"],
  "Role.name": ["The role's name", "Operations"],
  "Role.builtIn": ["Whether it is one of the five that every organisation has", true],
  "Role.permissions": given,
  "Role.createdAt": ["When it was made; null of a built-in role", null],
  "NewRole.name": ["A name that no other role of the organisation has", "Night shift"],
  "NewRole.permissions": given,
  "RoleChange.name": ["A name that no other role of the organisation has", "Night shift"],
  "RoleChange.permissions": given,

  invitationId: ["An invitation's `id`", ids.other],
  "Invitation.id": ["The invitation's id", ids.other],
  "Invitation.email": ["Whom it is for", email],
  "Invitation.role": roleOf,
  "Invitation.role.id": ["The role's id; of a built-in one its name", "Operations"],
  "Invitation.role.name": ["The role's name", "Operations"],
  "InvitationWithLink.id": ["The invitation's id", ids.other],
  "InvitationWithLink.email": ["Whom it is for", email],
  "InvitationWithLink.role": roleOf,
  "InvitationWithLink.role.id": ["The role's id; of a built-in one its name", "Operations"],
  "InvitationWithLink.role.name": ["The role's name", "Operations"],
  "NewInvitation.email": ["Whom it is for", email],
  "NewInvitation.roleId": roleId,
  "LinkAcceptance.token": ["The secret behind `#` of the link", token],
  "LinkAcceptance.name": ["The person's name; needed for a new account", "Lea Lindqvist"],
  "LinkAcceptance.password": [newPassword, password],
  "LinkAcceptance.code": ["A code of the second factor, where the account has one", "492039"],
  requireSecondFactor: [
    "Whether operators must have a second factor: without one they may do nothing but set it up. Keys are not concerned",
    false
  ]
}
