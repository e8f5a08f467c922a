/** The address that a request comes from, as far as it can be trusted: that of the socket, or the one that a trusted proxy reports. */
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

export class ClientAddress extends Context.Service<
  ClientAddress,
  (request: HttpServerRequest.HttpServerRequest) => string
>()("voltlane/http/v2/ClientAddress") {}
