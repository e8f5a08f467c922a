/** Where files of chargers are kept. Uploads come by a token that is good for one of them; operators read them by their organisation. */
import { Context, type Effect, type Stream } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { StoredFile } from "../file/StoredFile.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export class Files extends Context.Service<
  Files,
  {
    /** Expects one file of a charger; answers the token by which it may come, which is told to nobody else and stored nowhere. */
    readonly expect: (
      organisationId: string,
      chargerId: string,
      kind: StoredFile["kind"],
      now: number
    ) => Effect.Effect<string, StorageUnavailable>
    /**
     * Takes the file of a token. `NotFound` for one that is unknown or too old; `Conflict` `already_uploaded`; `InvalidInput` when it is too
     * large or broke off. A file that did not come whole leaves nothing, and may come again.
     */
    readonly receive: (
      token: string,
      name: string,
      content: Stream.Stream<Uint8Array, unknown>,
      now: number
    ) => Effect.Effect<StoredFile, NotFound | Conflict | InvalidInput | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly chargerId?: string | undefined }
    ) => Effect.Effect<Page<StoredFile>, InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<StoredFile, NotFound | StorageUnavailable>
    /** `NotFound` for one that has not come. */
    readonly content: (
      organisationId: string,
      id: string
    ) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnavailable>, NotFound | StorageUnavailable>
  }
>()("voltlane/Files") {}
