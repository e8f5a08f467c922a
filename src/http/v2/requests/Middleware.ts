/**
 * The definitions of the middleware of every REST v2 endpoint (the implementations are the files named `…Live.ts`): authentication,
 * permissions, idempotency, and how failures are reported. A client needs only these.
 */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { ifShared, type Permission } from "../../../domain/operator/Permission.ts"
import {
  Conflict409,
  FactorStale403,
  InvalidInput400,
  PermissionDenied403,
  StorageUnavailable503,
  TooMany429,
  Unauthorized401
} from "./Failures.ts"

/** The caller of this request. Everything that is read or written is limited to its organisation. */
export class Caller extends Context.Service<Caller, Principal>()("voltlane/http/v2/Caller") {}

/**
 * The permissions that an endpoint needs, all of them. Requests to an endpoint without this annotation fail with 500; a test checks that
 * every endpoint has it.
 */
export class RequiredPermissions extends Context.Service<RequiredPermissions, ReadonlyArray<Permission>>()(
  "voltlane/http/v2/RequiredPermissions"
) {}

/**
 * The media type of an endpoint whose body is not JSON and is streamed. Its handler limits the size. `Idempotency-Key` distinguishes two
 * such bodies only by their length.
 */
export class StreamedBody extends Context.Service<StreamedBody, string>()("voltlane/http/v2/StreamedBody") {}

/**
 * True for an endpoint whose POST calls or waits for anything other than the database, or checks a password. Its work cannot be one
 * transaction, so it reports its progress through `Retrying`.
 */
export const Staged = Context.Reference<boolean>("voltlane/http/v2/Staged", { defaultValue: () => false })

/**
 * True for an endpoint that people use without being signed in: it signs them in, by a password or a link. Its caller is unknown, and is
 * limited by the network of the request.
 */
export const Open = Context.Reference<boolean>("voltlane/http/v2/Open", { defaultValue: () => false })

/**
 * For an endpoint that does much harm in the wrong hands: its answer has a credential, it gives access, commands many chargers, or changes the
 * second factor itself. A person with a second factor must show it again if the last time was more than 15 minutes ago, so that no one can
 * make a key in a browser that was left unattended. A text is a condition on the request, for example "if `url` is given": then the handler
 * asks, by `askFactor`.
 */
export const AsksFactor = Context.Reference<boolean | string>("voltlane/http/v2/AsksFactor", {
  defaultValue: () => false
})

/** The annotations of an open endpoint. */
export const openOperation = (summary: string): Context.Context<RequiredPermissions> =>
  Context.merge(
    OpenApi.annotations({ summary, override: { "x-required-permissions": [], security: [] } }),
    Context.merge(Context.make(RequiredPermissions, []), Context.make(Open, true))
  )

/** The annotations of every endpoint: a one-line summary, and the permissions that it needs (also in the OpenAPI document). */
export const operation = (
  summary: string,
  ...permissions: ReadonlyArray<Permission>
): Context.Context<RequiredPermissions> =>
  Context.merge(
    OpenApi.annotations({ summary, override: { "x-required-permissions": permissions } }),
    Context.make(RequiredPermissions, permissions)
  )

/** The same for an endpoint whose data belong to no organisation, so that it needs `ifShared` too. */
export const sharedOperation = (
  summary: string,
  ...permissions: ReadonlyArray<Permission>
): Context.Context<RequiredPermissions> =>
  Context.merge(
    operation(summary, ...permissions),
    OpenApi.annotations({
      summary,
      override: {
        "x-required-permissions": permissions,
        "x-required-permissions-with-several-organisations": ifShared
      }
    })
  )

/** The same for an endpoint that asks for the second factor again. */
export const graveOperation = (
  summary: string,
  ...permissions: ReadonlyArray<Permission>
): Context.Context<RequiredPermissions> =>
  Context.merge(
    Context.merge(operation(summary, ...permissions), Context.make(AsksFactor, true)),
    OpenApi.annotations({ summary, override: { "x-required-permissions": permissions, "x-second-factor": true } })
  )

/** The same for an endpoint whose handler asks for the second factor on this condition. */
export const graveOperationIf = (
  condition: string,
  summary: string,
  ...permissions: ReadonlyArray<Permission>
): Context.Context<RequiredPermissions> =>
  Context.merge(
    Context.merge(operation(summary, ...permissions), Context.make(AsksFactor, condition)),
    OpenApi.annotations({ summary, override: { "x-required-permissions": permissions, "x-second-factor": condition } })
  )

/**
 * Identifies the caller by the header `x-api-key` or else by the cookie of a sign-in, and checks the endpoint's permissions. Both are
 * schemes of one middleware, so that no route can omit one of them. On plain http the cookie is named `voltlane`.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "voltlane/http/v2/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.apiKey({ key: "x-api-key", in: "header" }),
      signIn: HttpApiSecurity.apiKey({ key: "__Host-voltlane", in: "cookie" })
    },
    error: [Unauthorized401, PermissionDenied403, FactorStale403, StorageUnavailable503, TooMany429]
  }
) {}

/** Processes a POST with an `Idempotency-Key` once, and answers its repetitions with the same answer. */
export class Idempotent extends HttpApiMiddleware.Service<Idempotent, { requires: Caller }>()(
  "voltlane/http/v2/Idempotent",
  { error: [Conflict409, InvalidInput400, StorageUnavailable503, TooMany429] }
) {}

/** Processes a few requests of each key and organisation at a time; the others wait. */
export class FairShare extends HttpApiMiddleware.Service<FairShare, { requires: Caller }>()(
  "voltlane/http/v2/FairShare",
  { error: TooMany429 }
) {}

/** Allows a few large answers at a time for each key, until they are read. */
export class FewLargeAnswers extends HttpApiMiddleware.Service<FewLargeAnswers, { requires: Caller }>()(
  "voltlane/http/v2/FewLargeAnswers",
  { error: TooMany429 }
) {}

/** Sends the `ETag` of an object, answers 304 to a client that has it, and 412 to a change of an object that has changed since. */
export class Conditional extends HttpApiMiddleware.Service<Conditional, { requires: Caller }>()(
  "voltlane/http/v2/Conditional",
  { error: StorageUnavailable503 }
) {}

/** Fields of an endpoint's answer, at any depth, that devices and partners report. No request changes them, so `If-Match` ignores them. */
export class Reported extends Context.Service<Reported, ReadonlyArray<string>>()("voltlane/http/v2/Reported") {}

/** Refuses a body that is too large or not JSON before a handler reads it. */
export class BoundedBody extends HttpApiMiddleware.Service<BoundedBody, { requires: Caller }>()(
  "voltlane/http/v2/BoundedBody",
  { error: InvalidInput400 }
) {}

/** Refuses a query or body at an endpoint that declares none. Declared ones are checked strictly by their schemas. */
export class Undeclared extends HttpApiMiddleware.Service<Undeclared>()("voltlane/http/v2/Undeclared", {
  error: InvalidInput400
}) {}

/** Outermost: turns every failure and defect into a problem document. */
export class Face extends HttpApiMiddleware.Service<Face>()("voltlane/http/v2/Face", {
  error: StorageUnavailable503
}) {}
