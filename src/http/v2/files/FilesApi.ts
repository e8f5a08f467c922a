/** Files in REST v2: uploads by chargers after the commands GetDiagnostics and GetLog, and firmware that chargers download. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { fileKinds, maxFileBytes } from "../../../domain/file/StoredFile.ts"
import { ChargerId, rule, Time, Uuid } from "../../Fields.ts"
import { Conflict409, InvalidInput400, NotFound404, TooMany429 } from "../requests/Failures.ts"
import { operation, Staged, StreamedBody } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

/** What the charger last reported about a transfer. */
export const Progress = Schema.Struct({
  status: Schema.String.annotate({
    description: "The status as the charger reported it, such as Uploading, Uploaded, Installed"
  }),
  at: Time
}).annotate({ identifier: "Progress" })

export const File = Schema.Struct({
  id: Schema.String,
  chargerId: Schema.NullOr(Schema.String).annotate({ description: "Null for firmware" }),
  kind: Schema.Literals(fileKinds),
  name: Schema.String.annotate({ description: "The charger's name for the file; empty before the upload" }),
  state: Schema.Literals(["Waiting", "Stored"]),
  size: Schema.Int.annotate({ description: "Size in bytes; 0 before the upload" }),
  receivedBytes: Schema.Int.annotate({ description: "While an upload runs, the bytes received so far" }),
  sha256: Schema.NullOr(Schema.String),
  commandId: Schema.NullOr(Schema.String).annotate({
    description: "The command that requested it. Commands that send firmware: `GET /v2/commands?fileId=`"
  }),
  progress: Schema.NullOr(Progress).annotate({ description: "The charger's last status of it" }),
  createdAt: Time,
  completedAt: Schema.NullOr(Time)
}).annotate({ identifier: "File" })

/** A name that every charger can handle in a URL. */
const FirmwareName = Schema.String.check(
  rule(
    (name: string) => /^[A-Za-z0-9._-]{1,100}$/.test(name) && !/^\.+$/.test(name),
    "Must have 1 to 100 characters of A-Z a-z 0-9 . _ - (it is part of a URL for chargers)",
    { pattern: "^[A-Za-z0-9._-]{1,100}$" }
  )
)

const params = { id: Uuid }

export class FilesApi extends HttpApiGroup.make("files").add(
  HttpApiEndpoint.get("list", "/v2/files", {
    query: {
      ...PageQuery,
      chargerId: Schema.optionalKey(ChargerId),
      kind: Schema.optionalKey(Schema.Literals(fileKinds))
    },
    success: listOf(File)
  }).annotateMerge(operation("List files, newest first", "chargers:read")),
  HttpApiEndpoint.post("store", "/v2/files", {
    query: { name: Schema.optionalKey(FirmwareName.annotate({ description: "Default firmware.bin" })) },
    headers: IdempotencyHeader,
    // A body that is too large is refused by the store, with a problem document of REST v2.
    payload: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    success: createdAt(File.pipe(HttpApiSchema.status(201))),
    error: [InvalidInput400, Conflict409, TooMany429]
  })
    .annotateMerge(operation(`Store a firmware image of at most ${maxFileBytes} bytes`, "chargers:write"))
    .annotate(StreamedBody, "application/octet-stream")
    .annotate(Staged, true),
  HttpApiEndpoint.get("get", "/v2/files/:id", { params, success: File, error: NotFound404 }).annotateMerge(
    operation("Read a file's size, state and hash", "chargers:read")
  ),
  HttpApiEndpoint.get("content", "/v2/files/:id/content", {
    params,
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: NotFound404
  }).annotateMerge(operation("Download a file", "chargers:read")),
  HttpApiEndpoint.delete("remove", "/v2/files/:id", { params, error: NotFound404 }).annotateMerge(
    operation("Remove a file; chargers can no longer download it", "chargers:write")
  )
) {}
