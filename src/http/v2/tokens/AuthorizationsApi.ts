/** The verdicts for presented cards, in REST v2: every Authorize and every start of a session, newest first. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { flag } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"
import { Attempt } from "./ExplanationSchema.ts"

export const ListedAttempt = Schema.Struct({
  id: Schema.String,
  tokenUid: Schema.String,
  ...Attempt.fields
}).annotate({ identifier: "ListedAuthorization" })

export class AuthorizationsApi extends HttpApiGroup.make("authorizations").add(
  HttpApiEndpoint.get("list", "/v2/authorizations", {
    query: { ...PageQuery, refused: Schema.optionalKey(flag("true: only refused attempts")) },
    success: listOf(ListedAttempt)
  }).annotateMerge(operation("List decisions on cards, newest first", "tokens:read"))
) {}
