/** Search in REST v2: by names and ids of all kinds of objects that the caller may read. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { foundInAll, foundOfKind, searchedKinds, type SearchedKind } from "../../../domain/search/Search.ts"
import { rule, text } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"

const kinds = Object.keys(searchedKinds) as ReadonlyArray<SearchedKind> as readonly [
  SearchedKind,
  ...Array<SearchedKind>
]

export const FoundItem = Schema.Struct({
  kind: Schema.Literals(kinds),
  id: Schema.String,
  title: Schema.String,
  subtitle: Schema.String,
  path: Schema.String
}).annotate({ identifier: "FoundItem" })

const Query = text(100)
  .check(rule((value: string) => value.trim().length >= 2, "Must have at least 2 characters", { minLength: 2 }))
  .annotate({ description: "A part of a name or id, at least 2 characters; case does not matter" })

export class SearchApi extends HttpApiGroup.make("search").add(
  HttpApiEndpoint.get("find", "/v2/search", {
    query: { q: Query },
    success: Schema.Struct({
      items: Schema.Array(FoundItem).annotate({ description: `Best matches first; at most ${foundInAll}` })
    }).annotate({ identifier: "SearchAnswer" })
  }).annotateMerge(
    operation(
      `Search names and ids, at most ${foundOfKind} results of each kind. Kinds that the caller may not read are left out`
    )
  )
) {}
