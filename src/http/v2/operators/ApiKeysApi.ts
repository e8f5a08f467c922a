/** Keys to REST v2: made and revoked with the right permission, shown once. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { permissions } from "../../../domain/operator/Permission.ts"
import { Name, Time, Uuid } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

const Permission = Schema.Literals(permissions)

export const NewApiKey = Schema.Struct({
  name: Name,
  permissions: Schema.optionalKey(
    Schema.Array(Permission).check(Schema.isMaxLength(permissions.length)).annotate({
      description:
        "At most those of the calling key, and as many without it; never more than its operator has at the call"
    })
  )
}).annotate({ identifier: "NewApiKey" })

const fields = {
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The start of the key, to recognise it by" }),
  permissions: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "Null: all of its operator's" }),
  createdAt: Time,
  lastUsedAt: Schema.NullOr(Time),
  revokedAt: Schema.NullOr(Time)
}

export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })

const ApiKeyOnce = Schema.Struct({
  ...fields,
  key: Schema.String.annotate({ description: "The key itself: shown now and never again" })
}).annotate({ identifier: "ApiKeyWithKey" })

export class ApiKeysApi extends HttpApiGroup.make("api-keys").add(
  HttpApiEndpoint.post("create", "/v2/api-keys", {
    headers: IdempotencyHeader,
    payload: NewApiKey,
    success: ApiKeyOnce.pipe(HttpApiSchema.status(201))
  }).annotateMerge(operation("Create a key for this operator", "api-keys:write")),
  HttpApiEndpoint.get("list", "/v2/api-keys", { query: PageQuery, success: listOf(ApiKey) }).annotateMerge(
    operation("List keys, revoked ones too", "api-keys:read")
  ),
  HttpApiEndpoint.delete("revoke", "/v2/api-keys/:keyId", {
    params: { keyId: Uuid },
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409]
  }).annotateMerge(
    operation(
      "Revoke a key at once: one that may do no more than the calling key, and not the last that has every permission",
      "api-keys:write"
    )
  )
) {}
