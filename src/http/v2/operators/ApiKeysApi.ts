/** Keys to REST v2: made and revoked with the necessary permission. A key is shown only once. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { permissions } from "../../../domain/operator/Permission.ts"
import { parseNetwork } from "../../../domain/values/Network.ts"
import { Name, rule, text, Time, Uuid, whole } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { graveOperation, operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

const Permission = Schema.Literals(permissions)

/** Most networks of a key: offices, servers and their gateways. */
const networksMax = 50

/** Longest overlap of a rotation, in seconds: 30 days. */
const overlapMax = 2_592_000

const Network = text(50).check(
  rule(
    (value: string) => parseNetwork(value) !== undefined,
    "Must be an IPv4 or IPv6 network such as 203.0.113.0/24 or 2001:db8::/32, with no bits set after the prefix, or an address"
  )
)

const bounds = {
  expiresAt: Schema.optionalKey(
    Schema.NullOr(Time).annotate({ description: "When the key expires; null or missing: never" })
  ),
  networks: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Network).check(
        rule(
          (all: ReadonlyArray<string>) => all.length >= 1 && all.length <= networksMax,
          `Must be 1 to ${networksMax} networks`,
          {
            minItems: 1,
            maxItems: networksMax
          }
        )
      )
    ).annotate({ description: "The networks that the key can be used from; null or missing: anywhere" })
  )
}

const Rotation = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    whole(0, overlapMax).annotate({
      description: "How long the old key continues to work; default: a day; 0 ends it at once"
    })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(Time).annotate({ description: "When the new key expires; default: as the old one; null: never" })
  )
}).annotate({ identifier: "ApiKeyRotation" })

export const NewApiKey = Schema.Struct({
  name: Name,
  permissions: Schema.optionalKey(
    Schema.Array(Permission).check(Schema.isMaxLength(permissions.length)).annotate({
      description:
        "At most those of the calling key; default: the same as the calling key; a call never has more permissions than the operator has at that moment"
    })
  ),
  ...bounds
}).annotate({ identifier: "NewApiKey" })

const fields = {
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The first characters of the key, to recognise it by" }),
  permissions: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Null: all permissions of its operator"
  }),
  createdAt: Time,
  lastUsedAt: Schema.NullOr(Time),
  lastUsedFrom: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Time),
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  revokedAt: Schema.NullOr(Time)
}

export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })

const ApiKeyOnce = Schema.Struct({
  ...fields,
  key: Schema.String.annotate({ description: "The key itself; shown only once" })
}).annotate({ identifier: "ApiKeyWithKey" })

export class ApiKeysApi extends HttpApiGroup.make("api-keys").add(
  HttpApiEndpoint.post("create", "/v2/api-keys", {
    headers: IdempotencyHeader,
    payload: NewApiKey,
    success: ApiKeyOnce.pipe(HttpApiSchema.status(201))
  }).annotateMerge(graveOperation("Create a key for this operator", "api-keys:write")),
  HttpApiEndpoint.get("list", "/v2/api-keys", { query: PageQuery, success: listOf(ApiKey) }).annotateMerge(
    operation("List keys, including revoked ones", "api-keys:read")
  ),
  HttpApiEndpoint.post("rotate", "/v2/api-keys/:keyId/rotate", {
    params: { keyId: Uuid },
    headers: IdempotencyHeader,
    payload: Rotation,
    success: ApiKeyOnce.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409]
  }).annotateMerge(
    graveOperation("Replace a key of this operator by a new one; the old one ends after an overlap", "api-keys:write")
  ),
  HttpApiEndpoint.delete("revoke", "/v2/api-keys/:keyId", {
    params: { keyId: Uuid },
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409]
  }).annotateMerge(
    operation(
      "Revoke a key at once. It must not have more permissions than the calling key, nor be the last with every permission",
      "api-keys:write"
    )
  )
) {}
