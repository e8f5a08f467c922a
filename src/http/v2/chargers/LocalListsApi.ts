/** Chargers' local authorisation lists in REST v2: how far each is in sync with the tokens. They are sent by commands. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChargerId, Time } from "../../Fields.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { localListStates } from "../../../domain/command/LocalLists.ts"

export const LocalList = Schema.Struct({
  version: Schema.NullOr(Schema.Int).annotate({ description: "Of the list that the charger has, as far as is known" }),
  inStep: Schema.Boolean.annotate({ description: "Whether it has every change of the tokens" }),
  state: Schema.Literals(localListStates).annotate({
    description:
      "`Manual`: sent by hand, not kept in step. `Unknown`: to be asked or sent. `Sending`: a message is on its way. `Disabled`: switched " +
      "off at the charger. `Unsupported`: the charger has none. `Failed`: refused, and tried again later"
  }),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "Why it is not in step, where something is in the way"
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
      "Whether the charger's local authorisation list is in step (while the organisation's localLists is Managed)",
      "chargers:read"
    )
  )
) {}
