/**
 * Tariffs (OCPI 2.2.1 §11, Sender): those that are assigned, each in its current version. They belong to the organisation and are published
 * under its default party, even if they apply to another party's locations. A request to another party gets the same list.
 */
import { Effect } from "effect"
import { Parties } from "../../domain/roaming/Parties.ts"
import { Tariffs } from "../../domain/tariff/Tariffs.ts"
import type { Handler } from "./Exchange.ts"
import { pageReply, readWindow } from "./Paging.ts"
import type { ListOptions } from "./Locations.ts"

export const tariffsHandlers = ({ base }: ListOptions) =>
  Effect.gen(function* () {
    const parties = yield* Parties
    const tariffs = yield* Tariffs

    const list: Handler = (exchange) =>
      Effect.gen(function* () {
        const { organisationId } = exchange.bearer.partner
        const window = yield* readWindow({ query: exchange.query })
        const page = yield* tariffs.offered(organisationId, window)
        const [party] = yield* parties.list(organisationId)
        if (party === undefined) return yield* Effect.die("an organisation without a party")
        return yield* pageReply(exchange, { base, module: "tariffs" }, window, page, (tariff) =>
          exchange.wire.tariff.encode({ party, tariff })
        )
      })

    return new Map<string, Handler>([["GET tariffs", list]])
  })
