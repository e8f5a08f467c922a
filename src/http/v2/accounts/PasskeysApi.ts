/** Passkeys in REST v2: adding one to an account, and signing in with one. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { passkeysMost } from "../../../domain/operator/Passkeys.ts"
import { Name, Time } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { graveOperation, openOperation, operation, Staged } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { Me, Password } from "./AccountFields.ts"
import { Assertion, Attestation } from "./WebAuthn.ts"

export const Passkey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  createdAt: Time,
  usedAt: Schema.NullOr(Time)
}).annotate({ identifier: "Passkey" })

export const PasskeyStart = Schema.Struct({ password: Password }).annotate({ identifier: "PasskeyStart" })

const Credential = Schema.Struct({ type: Schema.Literal("public-key"), id: Schema.String })

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, §5.1.9). */
export const PasskeyOptions = Schema.Struct({
  challenge: Schema.String,
  rp: Schema.Struct({ id: Schema.String, name: Schema.String }),
  user: Schema.Struct({ id: Schema.String, name: Schema.String, displayName: Schema.String }),
  pubKeyCredParams: Schema.Array(Schema.Struct({ type: Schema.Literal("public-key"), alg: Schema.Int })),
  timeout: Schema.Int,
  attestation: Schema.Literal("none"),
  authenticatorSelection: Schema.Struct({
    residentKey: Schema.Literal("required"),
    requireResidentKey: Schema.Boolean,
    userVerification: Schema.Literal("required")
  }),
  excludeCredentials: Schema.Array(Credential)
}).annotate({ identifier: "PasskeyOptions" })

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, §5.1.10). */
export const PasskeyChallenge = Schema.Struct({
  challenge: Schema.String,
  rpId: Schema.String,
  timeout: Schema.Int,
  userVerification: Schema.Literal("required")
}).annotate({ identifier: "PasskeyChallenge" })

export const NewPasskey = Schema.Struct({ name: Name, response: Attestation }).annotate({ identifier: "NewPasskey" })

export const PasskeyName = Schema.Struct({ name: Name }).annotate({ identifier: "PasskeyName" })

export const PasskeySignIn = Schema.Struct({ credential: Assertion }).annotate({ identifier: "PasskeySignIn" })

const params = {
  passkeyId: Schema.String.check(Schema.isPattern(/^[\w-]{1,1400}$/)).annotate({ description: "A passkey's `id`" })
}

export class PasskeysApi extends HttpApiGroup.make("passkeys").add(
  HttpApiEndpoint.get("list", "/v2/me/passkeys", {
    query: PageQuery,
    success: listOf(Passkey),
    error: Conflict409
  }).annotateMerge(operation("List your own passkeys, oldest first")),
  HttpApiEndpoint.post("begin", "/v2/me/passkeys/options", {
    headers: IdempotencyHeader,
    payload: PasskeyStart,
    success: PasskeyOptions.pipe(HttpApiSchema.status(201)),
    error: Conflict409
  })
    .annotateMerge(graveOperation("Begin to add a passkey: get the options for the browser's device"))
    // The check of a password takes long, and the embedded database runs one transaction at a time.
    .annotate(Staged, true),
  HttpApiEndpoint.put("create", "/v2/me/passkeys/:passkeyId", {
    params,
    payload: NewPasskey,
    success: Passkey,
    error: [Conflict409, NotFound404]
  }).annotateMerge(graveOperation(`Add the passkey that the device has created; at most ${passkeysMost}`)),
  HttpApiEndpoint.patch("rename", "/v2/me/passkeys/:passkeyId", {
    params,
    payload: PasskeyName,
    success: Passkey,
    error: [Conflict409, NotFound404]
  }).annotateMerge(operation("Rename one of your own passkeys")),
  HttpApiEndpoint.delete("remove", "/v2/me/passkeys/:passkeyId", {
    params,
    success: HttpApiSchema.NoContent,
    error: [Conflict409, NotFound404]
  }).annotateMerge(graveOperation("Remove one of your own passkeys")),
  HttpApiEndpoint.post("challenge", "/v2/sign-ins/passkey-challenges", {
    success: PasskeyChallenge.pipe(HttpApiSchema.status(201))
  }).annotateMerge(openOperation("Begin to sign in with a passkey: get the options for the browser's device")),
  HttpApiEndpoint.post("signIn", "/v2/sign-ins/passkeys", {
    payload: PasskeySignIn,
    success: Me.pipe(HttpApiSchema.status(201))
  }).annotateMerge(openOperation("Sign in with a passkey"))
) {}
