/** Examples of REST v2's refusals, made by the same functions that answer them. */
import {
  Conflict,
  InvalidInput,
  NotFound,
  PermissionDenied,
  StorageUnavailable,
  TooMany
} from "../../../domain/Errors.ts"
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { domainProblem, faceProblem, validationProblem, type Problem } from "../requests/Problem.ts"
import { ids } from "./Common.ts"

const at = (problem: Problem, instance: string): Problem => ({ ...problem, instance })

const invalid = new InvalidInput({ pointer: "/limit", detail: "Must be a whole number from 1 to 500" })

export const refusals: Descriptions["refusals"] = {
  "400": at(validationProblem([{ pointer: invalid.pointer, detail: invalid.detail }]), "/cpo/v2/sites"),
  "401": at(faceProblem("unauthorized", "This key is unknown or was revoked."), "/cpo/v2/sites"),
  "403": at(domainProblem(new PermissionDenied({ requiredPermissions: ["sites:write"] })), "/cpo/v2/sites"),
  "404": at(domainProblem(new NotFound({ kind: "site", id: ids.site })), `/cpo/v2/sites/${ids.site}`),
  "405": at(faceProblem("method_not_allowed", "This path supports only GET, HEAD, POST."), "/cpo/v2/sites"),
  "408": at(
    faceProblem("request_timeout", "The body was not received in time. Send the request again."),
    "/cpo/v2/sites"
  ),
  "409": at(
    domainProblem(
      new Conflict({
        code: "site_not_empty",
        message: "This site has chargers. Move them to another site or delete them first."
      })
    ),
    `/cpo/v2/sites/${ids.site}`
  ),
  "412": at(
    faceProblem(
      "precondition_failed",
      "The object has changed since: read it again, and send If-Match with its new ETag."
    ),
    "/cpo/v2/sites"
  ),
  "413": at(faceProblem("payload_too_large", "The body is too large: at most 1 MiB is allowed."), "/cpo/v2/sites"),
  "415": at(
    faceProblem("unsupported_media_type", "The body must be JSON: send the header content-type: application/json."),
    "/cpo/v2/sites"
  ),
  "429": at(
    domainProblem(new TooMany({ code: "too_many", message: "Too many requests at once.", retryAfterSeconds: 60 })),
    "/cpo/v2/events"
  ),
  "500": at(faceProblem("internal_error", "The service failed; it has been logged. Try again later."), "/cpo/v2/sites"),
  "503": at(domainProblem(new StorageUnavailable({ message: "", reason: "down" })), "/cpo/v2/sites")
}

/** Descriptions of answers, by HTTP status. */
export const statuses: Descriptions["statuses"] = {
  "200": "The requested or changed object, in its present state",
  "201": "Created",
  "202": "Stored; the charger will carry it out",
  "204": "Done; the answer has no body",
  "304": "The object is unchanged since the ETag in `If-None-Match`: no body is sent",
  "400": "The request is invalid: `errors` says where and why",
  "401": "The key is missing, unknown or revoked, the sign-in has ended, or a password or code is wrong: see `code`",
  "403":
    "The caller lacks permissions, which `requiredPermissions` names, must prove the second factor again (`second_factor_stale`), a page of another site sent the request (`cross_origin`), or a sign-in came over plain http although the service has TLS (`https_required`)",
  "404": "Nothing has this id, or you have no access to it",
  "405": "The path supports other methods: the header `Allow` lists them",
  "408": "The body was not received in time",
  "409": "The request conflicts with the present state: `code` says how",
  "412": "The object was changed after the ETag in `If-Match` was issued, or has no ETag",
  "413": "The body is too large",
  "415": "The body has a media type that the operation does not support",
  "429": "Too many requests: the header `Retry-After` says when to try again",
  "500": "The service failed; it has been logged",
  "503": "The database cannot be reached or is busy: the header `Retry-After` says when to try again"
}
