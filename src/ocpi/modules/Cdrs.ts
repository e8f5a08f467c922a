/** Charge detail records (OCPI 2.2.1 §10.2.1), as their sender. Each partner can list the records that it pays. A record never changes. */
import { Effect } from "effect"
import { RoamingCdrs } from "../../domain/cdr/RoamingCdrs.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { pageReply, readWindow } from "./Paging.ts"

/** Credit records are sent to partners whose version has them, unless the partner's switch `noCreditCdrs` is set. */
const takenBy = ({ bearer: { partner }, wire }: Exchange) => ({
  organisationId: partner.organisationId,
  partnerId: partner.id,
  takesCredits: wire.cdrs.hasCredits && partner.switches.noCreditCdrs !== true
})

/** `base` is our OCPI address without a trailing slash. */
export const cdrsHandlers = ({ base }: { readonly base: string }) =>
  Effect.map(RoamingCdrs, (cdrs) => {
    const list: Handler = (exchange) =>
      Effect.gen(function* () {
        const window = yield* readWindow(exchange)
        const windowed = yield* cdrs.window(takenBy(exchange), window)
        return yield* pageReply(exchange, { base, module: "cdrs" }, window, windowed, exchange.wire.cdrs.encode)
      })

    return new Map<string, Handler>([["GET cdrs", list]])
  })
