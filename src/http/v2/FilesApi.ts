/** Files that chargers have sent, in REST v2. They come by the commands GetDiagnostics and GetLog. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ChargerId, Time, Uuid } from "../Fields.ts"
import { NotFound404 } from "./Failures.ts"
import { operation } from "./Middleware.ts"
import { listOf, PageQuery } from "./Paging.ts"

export const File = Schema.Struct({
  id: Schema.String,
  chargerId: Schema.String,
  kind: Schema.Literals(["Diagnostics", "Log"]),
  name: Schema.String.annotate({ description: "As the charger named it; empty until it came" }),
  state: Schema.Literals(["Waiting", "Stored"]),
  size: Schema.Int.annotate({ description: "Bytes" }),
  sha256: Schema.NullOr(Schema.String),
  createdAt: Time,
  completedAt: Schema.NullOr(Time)
}).annotate({ identifier: "File" })

const params = { id: Uuid }

export class FilesApi extends HttpApiGroup.make("files").add(
  HttpApiEndpoint.get("list", "/v2/files", {
    query: { ...PageQuery, chargerId: Schema.optionalKey(ChargerId) },
    success: listOf(File)
  }).annotateMerge(operation("List files of chargers, newest first", "chargers:read")),
  HttpApiEndpoint.get("get", "/v2/files/:id", { params, success: File, error: NotFound404 }).annotateMerge(
    operation("Read what is known of a file", "chargers:read")
  ),
  HttpApiEndpoint.get("content", "/v2/files/:id/content", {
    params,
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: NotFound404
  }).annotateMerge(operation("Fetch a file", "chargers:read"))
) {}
