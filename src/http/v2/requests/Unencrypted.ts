/** Whether no one may sign in by a request, because it came over plain http and the service has TLS. */
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

export class Unencrypted extends Context.Service<
  Unencrypted,
  (request: HttpServerRequest.HttpServerRequest) => boolean
>()("voltlane/http/v2/Unencrypted") {}
