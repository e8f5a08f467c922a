/** The caller's own account, and what people may change about it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Locale, Name, Uuid } from "../../Fields.ts"
import { Conflict409, InvalidInput400, NotFound404 } from "../requests/Failures.ts"
import { graveOperation, graveOperationIf, operation, Staged } from "../requests/Middleware.ts"
import { Assertion } from "./WebAuthn.ts"
import { IdempotencyHeader } from "../requests/Paging.ts"
import { Code, Me, Password } from "./AccountFields.ts"

export const MeChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  locale: Schema.optionalKey(Locale)
}).annotate({ identifier: "MeChange" })

export const PasswordChange = Schema.Struct({
  currentPassword: Password,
  newPassword: Password
}).annotate({ identifier: "PasswordChange" })

export const OrganisationChoice = Schema.Struct({ organisationId: Uuid }).annotate({
  identifier: "OrganisationChoice"
})

export const TotpStart = Schema.Struct({ password: Password }).annotate({ identifier: "TotpStart" })

const TotpSecret = Schema.Struct({ secret: Schema.String, uri: Schema.String }).annotate({ identifier: "TotpSecret" })

export const TotpChange = Schema.Struct({ enabled: Schema.Boolean, code: Code }).annotate({ identifier: "TotpChange" })

const TotpState = Schema.Struct({
  enabled: Schema.Boolean,
  recoveryCodes: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Ten codes that replace a code of the app once each; shown only once"
  })
}).annotate({ identifier: "TotpState" })

export const RecoveryCodesStart = Schema.Struct({ code: Code }).annotate({ identifier: "RecoveryCodesStart" })

const RecoveryCodes = Schema.Struct({ codes: Schema.Array(Schema.String) }).annotate({ identifier: "RecoveryCodes" })

export const FactorProof = Schema.Struct({
  code: Schema.optionalKey(Code),
  credential: Schema.optionalKey(Assertion)
}).annotate({ identifier: "FactorProof" })

export class MeApi extends HttpApiGroup.make("me").add(
  HttpApiEndpoint.get("get", "/v2/me", { success: Me }).annotateMerge(
    operation("Read the caller, its organisation and permissions, and the addresses of this service")
  ),
  HttpApiEndpoint.patch("update", "/v2/me", { payload: MeChange, success: Me, error: Conflict409 }).annotateMerge(
    operation("Change your own name and language")
  ),
  HttpApiEndpoint.put("changePassword", "/v2/me/password", {
    payload: PasswordChange,
    success: Me,
    error: [Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Change your own password; all other sign-ins end")),
  HttpApiEndpoint.put("changeOrganisation", "/v2/me/organisation", {
    payload: OrganisationChoice,
    success: Me,
    error: [Conflict409, NotFound404]
  }).annotateMerge(operation("Switch to another organisation that you work for")),
  HttpApiEndpoint.post("beginTotp", "/v2/me/totp", {
    headers: IdempotencyHeader,
    payload: TotpStart,
    success: TotpSecret.pipe(HttpApiSchema.status(201)),
    error: Conflict409
  })
    .annotateMerge(graveOperation("Create a secret for an authenticator app"))
    // The check of a password takes long, and the embedded database runs one transaction at a time.
    .annotate(Staged, true),
  HttpApiEndpoint.put("changeTotp", "/v2/me/totp", {
    payload: TotpChange,
    success: TotpState,
    error: Conflict409
  }).annotateMerge(
    graveOperationIf(
      "if `enabled` is true",
      "Switch the second factor on with a first code of the app, or off with a code"
    )
  ),
  HttpApiEndpoint.put("proveFactor", "/v2/me/second-factor", {
    payload: FactorProof,
    success: Me,
    error: [Conflict409, InvalidInput400]
  }).annotateMerge(operation("Prove your second factor again, which some operations require after 15 minutes")),
  HttpApiEndpoint.post("createRecoveryCodes", "/v2/me/recovery-codes", {
    headers: IdempotencyHeader,
    payload: RecoveryCodesStart,
    success: RecoveryCodes.pipe(HttpApiSchema.status(201)),
    error: Conflict409
  })
    .annotateMerge(operation("Create ten new recovery codes; the previous ones no longer work"))
    // A wrong code is counted, also if the request is refused.
    .annotate(Staged, true)
) {}
