/** Saved views in REST v2: pages of the console with their filters, saved under a name. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { isViewPath, viewNameMax, viewPathMax, viewsMost } from "../../../domain/search/SavedViews.ts"
import { rule, text, Time, Uuid } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

export const View = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  path: Schema.String,
  shared: Schema.Boolean,
  own: Schema.Boolean,
  createdAt: Time
}).annotate({ identifier: "View" })

const NewView = Schema.Struct({
  name: text(viewNameMax),
  path: text(viewPathMax).check(
    rule(isViewPath, "Must be a path of the console, such as /chargers?is=offline, without a host or a fragment")
  ),
  shared: Schema.optionalKey(Schema.Boolean.annotate({ description: "true: for all operators of the organisation" }))
}).annotate({ identifier: "NewView" })

export class ViewsApi extends HttpApiGroup.make("views").add(
  HttpApiEndpoint.get("list", "/v2/me/views", {
    query: PageQuery,
    success: listOf(View),
    error: Conflict409
  }).annotateMerge(operation("List your own views and those that others share, by name")),
  HttpApiEndpoint.post("create", "/v2/me/views", {
    headers: IdempotencyHeader,
    payload: NewView,
    success: createdAt(View.pipe(HttpApiSchema.status(201))),
    error: Conflict409
  }).annotateMerge(operation(`Save a view; at most ${viewsMost} per person`)),
  HttpApiEndpoint.delete("remove", "/v2/me/views/:viewId", {
    params: { viewId: Uuid },
    success: HttpApiSchema.NoContent,
    error: [Conflict409, NotFound404]
  }).annotateMerge(operation("Remove one of your own views"))
) {}
