/** The organisation's own drivers' tokens (cards) in REST v2. Uids are compared ignoring case, like OCPP's idTag. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ChargerId, optionalText, text, Time } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { uidMax } from "../sessions/SessionsApi.ts"
import { TokenExplanation } from "./ExplanationSchema.ts"
import { tokenStatuses, tokenTypes } from "../../../domain/token/Token.ts"

/** OCPI's limit. A charger that uses OCPP 1.6 sends at most 20 characters. */
const Uid = text(36)

const Type = Schema.Literals(tokenTypes)
const Status = Schema.Literals(tokenStatuses)

const details = {
  parentUid: Schema.optionalKey(
    Schema.NullOr(Uid).annotate({ description: "The group this token belongs to (OCPP's parentIdTag)" })
  ),
  expiresAt: Schema.optionalKey(Schema.NullOr(Time)),
  visualNumber: Schema.optionalKey(
    Schema.NullOr(optionalText(64)).annotate({ description: "The number printed on the card" })
  ),
  note: Schema.optionalKey(Schema.NullOr(optionalText(1000)))
}

export const NewToken = Schema.Struct({
  uid: Uid.annotate({ description: "The RFID or idTag. OCPP 1.6 chargers send at most 20 characters." }),
  type: Schema.optionalKey(Type.annotate({ description: "Default RFID" })),
  status: Schema.optionalKey(Status.annotate({ description: "Default Accepted" })),
  ...details
}).annotate({ identifier: "NewToken" })

export const TokenChange = Schema.Struct({
  type: Schema.optionalKey(Type),
  status: Schema.optionalKey(Status),
  ...details
}).annotate({ identifier: "TokenChange" })

export const Token = Schema.Struct({
  uid: Schema.String,
  type: Type,
  status: Status,
  parentUid: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Time),
  visualNumber: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "Token" })

const params = { uid: Uid }

export class TokensApi extends HttpApiGroup.make("tokens").add(
  HttpApiEndpoint.post("create", "/v2/tokens", {
    headers: IdempotencyHeader,
    payload: NewToken,
    success: createdAt(Token.pipe(HttpApiSchema.status(201))),
    error: Conflict409
  }).annotateMerge(operation("Create a driver's token", "tokens:write")),
  HttpApiEndpoint.get("list", "/v2/tokens", {
    query: {
      ...PageQuery,
      status: Schema.optionalKey(Status),
      q: Schema.optionalKey(
        text(100).annotate({
          description: "Text that occurs in the uid, parentUid, visualNumber or note; case does not matter"
        })
      )
    },
    success: listOf(Token)
  }).annotateMerge(operation("List drivers' tokens", "tokens:read")),
  HttpApiEndpoint.get("get", "/v2/tokens/:uid", { params, success: Token, error: NotFound404 }).annotateMerge(
    operation("Read a driver's token", "tokens:read")
  ),
  HttpApiEndpoint.get("explanation", "/v2/tokens/:uid/explanation", {
    // Any card that a charger read, not only an own one.
    params: { uid: text(uidMax) },
    query: {
      chargerId: Schema.optionalKey(ChargerId.annotate({ description: "At this charger; default: any charger" }))
    },
    success: TokenExplanation,
    error: NotFound404
  }).annotateMerge(operation("Explain why a card may or may not charge", "tokens:read", "chargers:read")),
  HttpApiEndpoint.patch("update", "/v2/tokens/:uid", {
    params,
    payload: TokenChange,
    success: Token,
    error: NotFound404
  }).annotateMerge(operation("Change a driver's token; null clears a field", "tokens:write")),
  HttpApiEndpoint.delete("remove", "/v2/tokens/:uid", {
    params,
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(operation("Delete a driver's token; sessions keep its uid", "tokens:write"))
) {}
