/** What a partner sees, in REST v2: the objects as OCPI would send them, without sending anything. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Uuid } from "../../Fields.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

/** OCPI's lists that partners read here, and the partner's own tokens as we have stored them. */
const Module = Schema.Literals(["locations", "tariffs", "sessions", "cdrs", "tokens"])

const Seen = Schema.Record(Schema.String, Schema.Unknown).annotate({
  identifier: "SeenObject",
  description: "In the format of the partner's OCPI version, or of our newest before it has registered"
})

export class PartnerViewApi extends HttpApiGroup.make("partner-view").add(
  HttpApiEndpoint.get("view", "/v2/partners/:partnerId/view/:module", {
    params: { partnerId: Uuid, module: Module },
    query: PageQuery,
    success: listOf(Seen),
    error: NotFound404
  }).annotateMerge(operation("Read what a partner sees of a module, exactly as it is sent", "partners:read"))
) {}
