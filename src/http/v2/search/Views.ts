/** The endpoints of saved views over the domain's port. Views saved with a key belong to the key's operator. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict } from "../../../domain/Errors.ts"
import { type SavedView, SavedViews } from "../../../domain/search/SavedViews.ts"
import { pageOfAll } from "../accounts/WholeList.ts"
import { Api } from "../Api.ts"
import { audit } from "../requests/Caller.ts"
import { Caller } from "../requests/Middleware.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { View } from "./ViewsApi.ts"

const needsOperator = new Conflict({
  code: "needs_operator",
  message: "Views belong to a person: sign in, or use a key of an operator."
})

const person = Effect.flatMap(Caller, ({ operatorId, organisationId }) =>
  operatorId === undefined ? Effect.fail(needsOperator) : Effect.succeed({ operatorId, organisationId })
)

const shownTo =
  (operatorId: string) =>
  (view: SavedView): typeof View.Type => ({
    id: view.id,
    name: view.name,
    path: view.path,
    shared: view.shared,
    own: view.operatorId === operatorId,
    createdAt: view.createdAt
  })

export const layer = HttpApiBuilder.group(
  Api,
  "views",
  Effect.fn(function* (handlers) {
    const views = yield* SavedViews
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.views.list")(function* ({ query, request }) {
        const { operatorId, organisationId } = yield* person
        const page = yield* pageOfAll(yield* views.list(organisationId, operatorId), pageRequest(query))
        return yield* listed(publicUrl, request.url, page, shownTo(operatorId))
      }),
      create: Effect.fn("v2.views.create")(function* ({ payload }) {
        const { operatorId } = yield* person
        const made = yield* views.create({ shared: false, ...payload }, operatorId, yield* audit)
        return located(publicUrl, `/v2/me/views/${made.id}`, shownTo(operatorId)(made))
      }),
      remove: Effect.fn("v2.views.remove")(function* ({ params: { viewId } }) {
        const { operatorId, organisationId } = yield* person
        yield* views.remove(organisationId, operatorId, viewId)
      })
    })
  })
)
