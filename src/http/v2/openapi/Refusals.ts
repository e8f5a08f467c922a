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
  "401": at(faceProblem("unauthorized", "This key is not known, or was revoked."), "/cpo/v2/sites"),
  "403": at(domainProblem(new PermissionDenied({ requiredPermissions: ["sites:write"] })), "/cpo/v2/sites"),
  "404": at(domainProblem(new NotFound({ kind: "site", id: ids.site })), `/cpo/v2/sites/${ids.site}`),
  "405": at(faceProblem("method_not_allowed", "This path takes GET, HEAD, POST."), "/cpo/v2/sites"),
  "408": at(faceProblem("request_timeout", "The body did not come in time."), "/cpo/v2/sites"),
  "409": at(
    domainProblem(
      new Conflict({
        code: "site_not_empty",
        message: "Chargers stand at this site. Move them to another site or remove them first."
      })
    ),
    `/cpo/v2/sites/${ids.site}`
  ),
  "412": at(
    faceProblem("precondition_failed", "It was changed since this ETag was answered: read it again."),
    "/cpo/v2/sites"
  ),
  "413": at(faceProblem("payload_too_large", "A body may have at most 1 MiB."), "/cpo/v2/sites"),
  "415": at(
    faceProblem("unsupported_media_type", "Bodies are JSON: send the header content-type: application/json."),
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
  "200": "What was asked for, or what was changed, in its present state",
  "201": "Created",
  "202": "Stored, to be done by the charger",
  "204": "Done; there is nothing to show",
  "304": "What `If-None-Match` names is unchanged: nothing is sent again",
  "400": "The request does not fit: `errors` says where and why",
  "401": "The key is missing, not known or revoked, the sign-in has ended, or a password or code is wrong: see `code`",
  "403":
    "The caller lacks permissions: `requiredPermissions` names them. Or a page of another site sent the request: `cross_origin`",
  "404": "Nothing here has that id, or it is not yours",
  "405": "The path takes other methods: the header `Allow` names them",
  "408": "The body did not come in time",
  "409": "It contradicts the present state: `code` says how",
  "412": "It was changed since the ETag of `If-Match` was answered, or has none",
  "413": "The body is too large",
  "415": "The body is of another kind than the operation takes",
  "429": "Too much at once: the header `Retry-After` says when to come again",
  "500": "The service failed; it has been logged",
  "503": "The database cannot be reached or is busy: the header `Retry-After` says when to come again"
}
