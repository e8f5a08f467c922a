/** Chargers' local authorisation lists in REST v2: how far each is in sync with the tokens. They are sent by commands. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChargerId, Time } from "../../Fields.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { localListStates } from "../../../domain/command/LocalLists.ts"

export const LocalList = Schema.Struct({
  version: Schema.NullOr(Schema.Int).annotate({ description: "The version of the charger's list, as far as known" }),
  inStep: Schema.Boolean.annotate({ description: "Whether the list has all changes of the tokens" }),
  state: Schema.Literals(localListStates).annotate({
    description:
      "`Manual`: sent by commands, not kept up to date. `Unknown`: the list has to be queried or sent. `Sending`: a message is on its way. `Disabled`: switched " +
      "off at the charger. `Unsupported`: the charger has no list. `Failed`: refused, and tried again later"
  }),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "Why the list is not up to date, if there is a reason"
  }),
  updatedAt: Schema.NullOr(Time)
}).annotate({ identifier: "LocalList" })

export class LocalListsApi extends HttpApiGroup.make("local-lists").add(
  HttpApiEndpoint.get("get", "/v2/chargers/:chargerId/local-list", {
    params: { chargerId: ChargerId },
    success: LocalList,
    error: NotFound404
  }).annotateMerge(
    operation(
      "Read whether the charger's local authorisation list is up to date (while the organisation's localLists is Managed)",
      "chargers:read"
    )
  )
) {}
