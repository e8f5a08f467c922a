/**
 * Signing in, and the caller's own sign-ins. A person who is not signed in uses the open endpoints: by password, or by a link that works
 * once.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { strengths } from "../../../domain/operator/SignIn.ts"
import { Email, Name, Time, Uuid } from "../../Fields.ts"
import { Conflict409, InvalidInput400, NotFound404 } from "../requests/Failures.ts"
import { openOperation, operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"
import { Code, LinkToken, Me, Password } from "./AccountFields.ts"

export const NewSignIn = Schema.Struct({
  email: Email,
  password: Password,
  code: Schema.optionalKey(Code)
}).annotate({ identifier: "NewSignIn" })

export const SignIn = Schema.Struct({
  id: Schema.String,
  current: Schema.Boolean,
  organisationId: Schema.String,
  strength: Schema.Literals(strengths),
  singleSignOn: Schema.Boolean,
  network: Schema.String,
  agent: Schema.String,
  createdAt: Time,
  seenAt: Time
}).annotate({ identifier: "SignIn" })

export const NewSetUp = Schema.Struct({
  token: LinkToken,
  email: Email,
  name: Name,
  password: Password
}).annotate({ identifier: "NewSetUp" })

const signedIn = Me.pipe(HttpApiSchema.status(201))

export class SignInsApi extends HttpApiGroup.make("sign-ins").add(
  HttpApiEndpoint.post("create", "/v2/sign-ins", {
    payload: NewSignIn,
    success: signedIn,
    error: [Conflict409, InvalidInput400]
  }).annotateMerge(openOperation("Sign in with email and password")),
  HttpApiEndpoint.get("list", "/v2/sign-ins", { query: PageQuery, success: listOf(SignIn) }).annotateMerge(
    operation("List your own sign-ins, newest first")
  ),
  HttpApiEndpoint.delete("removeOthers", "/v2/sign-ins", {
    success: HttpApiSchema.NoContent,
    error: Conflict409
  }).annotateMerge(operation("End all of your sign-ins except this one")),
  HttpApiEndpoint.delete("removeCurrent", "/v2/sign-ins/current", {
    success: HttpApiSchema.NoContent,
    error: Conflict409
  }).annotateMerge(operation("Sign out")),
  HttpApiEndpoint.delete("remove", "/v2/sign-ins/:signInId", {
    params: { signInId: Uuid },
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("End one of your own sign-ins"))
) {}

export class SetUpApi extends HttpApiGroup.make("set-up").add(
  HttpApiEndpoint.post("create", "/v2/set-up", {
    payload: NewSetUp,
    success: signedIn,
    error: [Conflict409, InvalidInput400]
  }).annotateMerge(openOperation("Create the first operator's account, with the link from the first start"))
) {}
