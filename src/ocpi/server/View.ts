/**
 * The port `PartnerView`: calls the handlers of lists as the partner would, and returns their answers unchanged. The partner's own tokens
 * are shown as we have stored them.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { NotFound } from "../../domain/Errors.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import { PartnerView } from "../../domain/roaming/PartnerView.ts"
import { RoamingTokens } from "../../domain/token/RoamingTokens.ts"
import type { Window } from "../../domain/values/Window.ts"
import type { Exchange, Handler, Handlers } from "../modules/Exchange.ts"
import { cdrsHandlers } from "../modules/Cdrs.ts"
import { locationsHandlers } from "../modules/Locations.ts"
import { sessionsHandlers } from "../modules/Sessions.ts"
import { tariffsHandlers } from "../modules/Tariffs.ts"
import { pageReply, readWindow } from "../modules/Paging.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { routingOf } from "../modules/Routing.ts"
import { versions } from "../protocol/Version.ts"

const Listed = Schema.Struct({ data: Schema.Array(Schema.Unknown) })
const decodeBody = Schema.decodeUnknownEffect(Schema.fromJsonString(Listed))

const queryOf = ({ limit, offset }: Window): URLSearchParams =>
  new URLSearchParams({ offset: String(offset), limit: String(limit) })

/** The request that the partner would send, in its version. */
const exchangeOf = (partner: Partner, window: Window, now: number): Exchange | undefined => {
  const used = partner.connection?.version
  const facts = versions.find(({ version }) => version === used) ?? versions[0]
  if (facts === undefined) return undefined
  return {
    bearer: { partner, use: "Access" },
    token: "",
    facts,
    routing: routingOf({}),
    wire: wireObjects[facts.version],
    params: {},
    query: queryOf(window),
    body: Effect.undefined,
    correlationId: "",
    now
  }
}

/** The partner's tokens as we have stored them. OCPI has no list of them on our side, since the partner has the original. */
const tokensHandlers = Effect.map(RoamingTokens, (tokens) => {
  const list: Handler = (exchange) =>
    Effect.gen(function* () {
      const { id, organisationId } = exchange.bearer.partner
      const window = yield* readWindow(exchange)
      const found = yield* tokens.window(organisationId, id, window)
      return yield* pageReply(exchange, { base: "", module: "tokens" }, window, found, exchange.wire.tokens.encode)
    })
  return new Map<string, Handler>([["GET tokens", list]])
})

const page = (handlers: Handlers) =>
  Effect.fn("PartnerView.page")(function* (partner: Partner, module: string, window: Window) {
    const handler = handlers.get(`GET ${module}`)
    const exchange = exchangeOf(partner, window, yield* Clock.currentTimeMillis)
    if (handler === undefined || exchange === undefined) return yield* new NotFound({ kind: "view", id: module })
    // We wrote this request, so any error in it is a defect.
    const reply = yield* handler(exchange).pipe(
      Effect.catchTags({ Refused: Effect.die, NotFound: Effect.die, Conflict: Effect.die, InvalidInput: Effect.die })
    )
    const { data: items } =
      reply.body === undefined ? reply : yield* Effect.orDie(decodeBody(new TextDecoder().decode(reply.body)))
    const total = Number(reply.headers?.["x-total-count"])
    return { version: exchange.facts.version, items: Array.isArray(items) ? items : [], total }
  })

/** Provides `PartnerView` with the same handlers that partners use. */
export const layer = Layer.effect(
  PartnerView,
  Effect.gen(function* () {
    // Links would not work in this view.
    const place = { base: "" }
    const modules = [
      yield* cdrsHandlers(place),
      yield* locationsHandlers(place),
      yield* sessionsHandlers(place),
      yield* tariffsHandlers(place),
      yield* tokensHandlers
    ]
    const lists = modules.flatMap((handlers) => [...handlers]).filter(([name]) => /^GET \w+$/.test(name))
    return PartnerView.of({ page: page(new Map(lists)) })
  })
)
