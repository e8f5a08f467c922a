/** Charge detail records (OCPI 2.2.1 §10.2.1), as their sender: each partner is listed those that it pays, and no one is ever changed. */
import { Effect } from "effect"
import { RoamingCdrs } from "../../domain/cdr/RoamingCdrs.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { pageReply, readWindow } from "./Paging.ts"

/** Credit records go to partners with a version that has them, unless the partner takes none. */
const takenBy = ({ bearer: { partner }, wire }: Exchange) => ({
  organisationId: partner.organisationId,
  partnerId: partner.id,
  takesCredits: wire.cdrs.hasCredits && partner.switches.noCreditCdrs !== true
})

/** `base` is our OCPI address without a slash at its end. */
export const cdrsHandlers = ({ base }: { readonly base: string }) =>
  Effect.map(RoamingCdrs, (cdrs) => {
    const list: Handler = (exchange) =>
      Effect.gen(function* () {
        const window = yield* readWindow(exchange)
        const windowed = yield* cdrs.window(takenBy(exchange), window)
        return pageReply(exchange, { base, module: "cdrs" }, window, windowed, exchange.wire.cdrs.encode)
      })

    return new Map<string, Handler>([["GET cdrs", list]])
  })
