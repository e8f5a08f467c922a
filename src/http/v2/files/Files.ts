/** The endpoints of files over the domain's port. */
import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, InvalidInput } from "../../../domain/Errors.ts"
import { type FileProgress, type StoredFile, stalledMillis, transferMillis } from "../../../domain/file/StoredFile.ts"
import { Files } from "../../../domain/file/Files.ts"
import { Retrying } from "../../../domain/operator/Idempotency.ts"
import { Api } from "../Api.ts"
import { declaredBytes } from "../../files/DeclaredBytes.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import type { File } from "./FilesApi.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"

export const toProgress = (progress: FileProgress | undefined) => progress ?? null

const toFile = (file: StoredFile): typeof File.Type => ({
  id: file.id,
  chargerId: file.chargerId ?? null,
  kind: file.kind,
  name: file.name,
  state: file.state,
  size: file.size,
  receivedBytes: file.receivedBytes,
  sha256: file.sha256 ?? null,
  commandId: file.commandId ?? null,
  progress: toProgress(file.progress),
  createdAt: file.createdAt,
  completedAt: file.completedAt ?? null
})

const stalled = Stream.fail("stalled" as const)
const tooSlow = new InvalidInput({ pointer: "", detail: "The upload took too long" })

const removed = new Conflict({ code: "file_removed", message: "The file was stored, but has been removed since." })

export const layer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fn(function* (handlers) {
    const files = yield* Files
    const publicUrl = yield* PublicUrl
    /** The file that an earlier try of the same request stored. It may have been removed since. */
    const stored = (organisation: string, id: string) =>
      Effect.catchTag(files.get(organisation, id), "NotFound", () => Effect.fail(removed))
    return handlers.handleAll({
      list: Effect.fn("v2.files.list")(function* ({ query, request }) {
        const { chargerId, kind } = query
        const page = yield* files.list(yield* organisationId, { ...pageRequest(query), chargerId, kind })
        return yield* listed(publicUrl, request.url, page, toFile)
      }),
      store: Effect.fn("v2.files.store")(function* ({ payload, query, request }) {
        const { reached } = yield* Retrying
        const content = Stream.timeoutOrElse(payload, { duration: stalledMillis, orElse: () => stalled })
        const storing = files
          .store(query.name ?? "firmware.bin", content, yield* audit, declaredBytes(request))
          .pipe(Effect.timeoutOrElse({ duration: transferMillis, orElse: () => Effect.fail(tooSlow) }))
        const file = yield* reached === undefined ? storing : stored(yield* organisationId, reached)
        return located(publicUrl, `/v2/files/${file.id}`, toFile(file))
      }),
      get: Effect.fn("v2.files.get")(function* ({ params }) {
        return toFile(yield* files.get(yield* organisationId, params.id))
      }),
      content: Effect.fn("v2.files.content")(function* ({ params }) {
        return yield* files.content(yield* organisationId, params.id)
      }),
      remove: Effect.fn("v2.files.remove")(function* ({ params }) {
        yield* files.remove(params.id, yield* audit)
      })
    })
  })
)
