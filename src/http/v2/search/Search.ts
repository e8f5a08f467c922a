/** The endpoint of search over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Found, inOrder, kindsFor, Search, type SearchedKind } from "../../../domain/search/Search.ts"
import { Api } from "../Api.ts"
import { Caller } from "../requests/Middleware.ts"
import type { FoundItem } from "./SearchApi.ts"

/** The console's page for each kind. */
const pages: Readonly<Record<SearchedKind, string>> = {
  charger: "/chargers",
  site: "/sites",
  session: "/sessions",
  token: "/cards",
  cdr: "/cdrs",
  partner: "/roaming",
  tariff: "/tariffs",
  operator: "/settings/operators"
}

/** Operators share one page. */
const pathOf = ({ id, kind }: Found): string =>
  kind === "operator" ? pages[kind] : `${pages[kind]}/${encodeURIComponent(id)}`

const toItem = (found: Found): typeof FoundItem.Type => ({
  kind: found.kind,
  id: found.id,
  title: found.title,
  subtitle: found.subtitle,
  path: pathOf(found)
})

export const layer = HttpApiBuilder.group(
  Api,
  "search",
  Effect.fn(function* (handlers) {
    const search = yield* Search
    return handlers.handleAll({
      find: Effect.fn("v2.search.find")(function* ({ query }) {
        const { organisationId, permissions } = yield* Caller
        const found = yield* search.find(organisationId, query.q.trim(), kindsFor(permissions))
        return { items: inOrder(found).map(toItem) }
      })
    })
  })
)
