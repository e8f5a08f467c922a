/** The address that a request comes from, as far as it can be believed: that of the socket, or what a trusted proxy says. */
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

export class ClientAddress extends Context.Service<
  ClientAddress,
  (request: HttpServerRequest.HttpServerRequest) => string
>()("voltlane/http/v2/ClientAddress") {}
