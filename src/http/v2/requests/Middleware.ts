/**
 * The middleware of every endpoint of REST v2, as definitions only (the implementations are the files named
 * `…Live.ts`): who calls, with what right, once or again, and how failures are said. A client needs nothing but these.
 */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import type { Permission } from "../../../domain/operator/Permission.ts"
import {
  Conflict409,
  InvalidInput400,
  PermissionDenied403,
  StorageUnavailable503,
  TooMany429,
  Unauthorized401
} from "./Failures.ts"

/** Who makes this request. Everything that is read or written is scoped by its organisation. */
export class Caller extends Context.Service<Caller, Principal>()("voltlane/http/v2/Caller") {}

/** The permissions that an endpoint needs, all of them. An endpoint without this annotation is refused when routes are built. */
export class RequiredPermissions extends Context.Service<RequiredPermissions, ReadonlyArray<Permission>>()(
  "voltlane/http/v2/RequiredPermissions"
) {}

/**
 * The media type of an endpoint whose body is no JSON and goes on as it comes: its own handler bounds it, and `Idempotency-Key` distinguishes two such
 * bodies apart by their length alone.
 */
export class StreamedBody extends Context.Service<StreamedBody, string>()("voltlane/http/v2/StreamedBody") {}

/**
 * True of an endpoint whose POST calls, or waits for, anything but the database: its work cannot be one transaction, and goes through `Retrying`
 * where it is done.
 */
export const Staged = Context.Reference<boolean>("voltlane/http/v2/Staged", { defaultValue: () => false })

/**
 * True of an endpoint that people without a sign-in use: it signs them in, by a password or a link. Its caller is unknown, and limited by
 * the network that the request comes from.
 */
export const Open = Context.Reference<boolean>("voltlane/http/v2/Open", { defaultValue: () => false })

/**
 * True of an endpoint that does much harm in wrong hands: keys, grants and commands to many chargers. A person who has a second factor is asked for it
 * again where it was proved longer than 15 minutes ago, so that a browser that was left alone makes no key.
 */
export const AsksFactor = Context.Reference<boolean>("voltlane/http/v2/AsksFactor", { defaultValue: () => false })

/** What an open endpoint says of itself. */
export const openOperation = (summary: string): Context.Context<RequiredPermissions> =>
  Context.merge(
    OpenApi.annotations({ summary, override: { "x-required-permissions": [], security: [] } }),
    Context.merge(Context.make(RequiredPermissions, []), Context.make(Open, true))
  )

/** What every endpoint says of itself: one line for people, and the permissions it needs (also in the OpenAPI document). */
export const operation = (
  summary: string,
  ...permissions: ReadonlyArray<Permission>
): Context.Context<RequiredPermissions> =>
  Context.merge(
    OpenApi.annotations({ summary, override: { "x-required-permissions": permissions } }),
    Context.make(RequiredPermissions, permissions)
  )

/** The same of an endpoint that asks for the second factor again. */
export const graveOperation = (
  summary: string,
  ...permissions: ReadonlyArray<Permission>
): Context.Context<RequiredPermissions> =>
  Context.merge(
    Context.merge(operation(summary, ...permissions), Context.make(AsksFactor, true)),
    OpenApi.annotations({ summary, override: { "x-required-permissions": permissions, "x-second-factor": true } })
  )

/**
 * Finds out who calls, by the header `x-api-key` or else by the cookie of a sign-in, and whether the endpoint's permissions are there. Both are schemes of
 * one middleware, so that no route can forget one of them. On plain http the cookie is named `voltlane`.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "voltlane/http/v2/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.apiKey({ key: "x-api-key", in: "header" }),
      signIn: HttpApiSecurity.apiKey({ key: "__Host-voltlane", in: "cookie" })
    },
    error: [Unauthorized401, PermissionDenied403, StorageUnavailable503, TooMany429]
  }
) {}

/** Answers a POST that carries an `Idempotency-Key` once, and its repetitions with the same answer. */
export class Idempotent extends HttpApiMiddleware.Service<Idempotent, { requires: Caller }>()(
  "voltlane/http/v2/Idempotent",
  { error: [Conflict409, InvalidInput400, StorageUnavailable503] }
) {}

/** Works on a few requests of each key and organisation at a time; the others wait for their turn. */
export class FairShare extends HttpApiMiddleware.Service<FairShare, { requires: Caller }>()(
  "voltlane/http/v2/FairShare",
  { error: TooMany429 }
) {}

/** Makes a few large answers at a time for each key, until they are read. */
export class FewLargeAnswers extends HttpApiMiddleware.Service<FewLargeAnswers, { requires: Caller }>()(
  "voltlane/http/v2/FewLargeAnswers",
  { error: TooMany429 }
) {}

/** Sends the `ETag` of an object, answers 304 to who has it, and 412 to a change of what has changed since. */
export class Conditional extends HttpApiMiddleware.Service<Conditional, { requires: Caller }>()(
  "voltlane/http/v2/Conditional",
  { error: StorageUnavailable503 }
) {}

/** Fields of an endpoint's answer, at any depth, that devices and partners report: no request changes them, and `If-Match` does not look at them. */
export class Reported extends Context.Service<Reported, ReadonlyArray<string>>()("voltlane/http/v2/Reported") {}

/** Refuses a body that is too large or no JSON before anybody reads it. */
export class BoundedBody extends HttpApiMiddleware.Service<BoundedBody, { requires: Caller }>()(
  "voltlane/http/v2/BoundedBody",
  { error: InvalidInput400 }
) {}

/** Refuses a query or a body that is sent to an endpoint which declares none. What an endpoint declares, its schemas are strict about. */
export class Undeclared extends HttpApiMiddleware.Service<Undeclared>()("voltlane/http/v2/Undeclared", {
  error: InvalidInput400
}) {}

/** Outermost: turns every failure and defect into a problem document. */
export class Face extends HttpApiMiddleware.Service<Face>()("voltlane/http/v2/Face", {
  error: StorageUnavailable503
}) {}
