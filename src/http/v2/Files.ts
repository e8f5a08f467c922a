/** The endpoints of files over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { StoredFile } from "../../domain/file/StoredFile.ts"
import { Files } from "../../domain/ports/Files.ts"
import { Api } from "./Api.ts"
import { organisationId } from "./Caller.ts"
import type { File } from "./FilesApi.ts"
import { listed, pageRequest, PublicUrl } from "./Paging.ts"

const toFile = (file: StoredFile): typeof File.Type => ({
  id: file.id,
  chargerId: file.chargerId,
  kind: file.kind,
  name: file.name,
  state: file.state,
  size: file.size,
  sha256: file.sha256 ?? null,
  createdAt: file.createdAt,
  completedAt: file.completedAt ?? null
})

export const layer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fn(function* (handlers) {
    const files = yield* Files
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.files.list")(function* ({ query, request }) {
        const page = yield* files.list(yield* organisationId, { ...pageRequest(query), chargerId: query.chargerId })
        return listed(publicUrl, request.url, page, toFile)
      }),
      get: Effect.fn("v2.files.get")(function* ({ params }) {
        return toFile(yield* files.get(yield* organisationId, params.id))
      }),
      content: Effect.fn("v2.files.content")(function* ({ params }) {
        return yield* files.content(yield* organisationId, params.id)
      })
    })
  })
)
