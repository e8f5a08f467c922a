/**
 * Answers a request to a charger's address that is not a websocket, for example from a browser: 426, with a sentence about what the address
 * is for. Nothing is looked up, so the answer does not reveal which chargers exist.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** For a charger whose request has `Upgrade: websocket` and is no upgrade all the same. Its attempt is noted by `ocpp/server`. */
const withoutConnection =
  "The request has the header Upgrade, but not Connection: Upgrade, so it opens no websocket and is not answered with 101: send both headers " +
  "(RFC 6455 §4.1), and have a proxy between pass on both.\n"

const paths = ["/ocpp/*", "/ocpp16/*"] as const

/** Routes below `/ocpp` and `/ocpp16` for requests that are not upgrades. Upgrades never get here. */
export const routes = (options: { readonly publicUrl: string }) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const base = options.publicUrl.replace(/\/+$/, "")
      const text =
        `This address is for charging stations, which connect to it by websocket (OCPP 1.6J): set ${base.replace(/^http/, "ws")}/ocpp/{chargerId} ` +
        `as the central system's URL in the charger. People and scripts find the API at ${base}/cpo/docs.\n`
      const answer = (line: string) =>
        HttpServerResponse.text(line, {
          status: 426,
          contentType: "text/plain; charset=utf-8",
          headers: { upgrade: "websocket", connection: "Upgrade", "cache-control": "no-store" }
        })
      const answers = { page: answer(text), almost: answer(withoutConnection) }
      const handler = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
        headers["upgrade"] === undefined ? answers.page : answers.almost
      )
      for (const path of paths) yield* router.add("GET", path, handler)
    })
  )
