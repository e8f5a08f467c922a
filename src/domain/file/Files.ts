/**
 * Where files of chargers are kept. Uploads come by a token that is good for one of them, firmware goes by a token of one charger;
 * operators read and write by their organisation.
 */
import { Context, type Effect, type Stream } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable, TooMany } from "../Errors.ts"
import type { ByteRange, FileKind, StoredFile } from "./StoredFile.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export type FileContent = Stream.Stream<Uint8Array, StorageUnavailable>

/** A file of which a token is good. */
export interface Fetched {
  readonly file: StoredFile
  /** The whole of it, or a part that lies within. */
  readonly read: (range?: ByteRange) => FileContent
}

export class Files extends Context.Service<
  Files,
  {
    /** Expects one file of a charger; answers its id and the token by which it may come, which is given to no one else and stored nowhere. */
    readonly expect: (
      organisationId: string,
      chargerId: string,
      kind: Exclude<FileKind, "Firmware">,
      now: number
    ) => Effect.Effect<{ readonly id: string; readonly token: string }, StorageUnavailable>
    /**
     * Takes the file of a token. `NotFound` for one that is unknown or too old; `Conflict` `already_uploaded`, `upload_replaced` when it began
     * again meanwhile, or `file_quota` when the organisation's files are full; `InvalidInput` when it is too large, came too slowly or broke
     * off; `TooMany` beyond what an organisation may upload at once. A file that did not come whole leaves nothing, and may come again. Where its
     * sender says how many bytes it will have, there must be room for all of them before the first.
     */
    readonly receive: (
      token: string,
      name: string,
      content: Stream.Stream<Uint8Array, unknown>,
      now: number,
      declaredBytes?: number
    ) => Effect.Effect<StoredFile, NotFound | Conflict | InvalidInput | StorageUnavailable | TooMany>
    /**
     * Takes a firmware image. `Conflict` `file_quota`, or `file_removed` when it was removed meanwhile; `InvalidInput` when it is empty, too
     * large, came too slowly or broke off; `TooMany` as above.
     */
    readonly store: (
      name: string,
      content: Stream.Stream<Uint8Array, unknown>,
      audit: AuditContext,
      declaredBytes?: number
    ) => Effect.Effect<StoredFile, Conflict | InvalidInput | StorageUnavailable | TooMany>
    /**
     * A token by which a charger may fetch a firmware image, as often as it likes until `until` (ms epoch), and the image's name. `NotFound`
     * for a file that is not the organisation's; `Conflict` `no_firmware` for one that is no image, or is not whole.
     */
    readonly offer: (
      organisationId: string,
      chargerId: string,
      id: string,
      until: number,
      now: number
    ) => Effect.Effect<{ readonly token: string; readonly name: string }, NotFound | Conflict | StorageUnavailable>
    /** The file of a token; `NotFound` for one that is unknown or too old. */
    readonly fetch: (token: string, now: number) => Effect.Effect<Fetched, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly chargerId?: string | undefined; readonly kind?: FileKind | undefined }
    ) => Effect.Effect<Page<StoredFile>, InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<StoredFile, NotFound | StorageUnavailable>
    /** `NotFound` for one that has not come. */
    readonly content: (organisationId: string, id: string) => Effect.Effect<FileContent, NotFound | StorageUnavailable>
    /** Removes a file, its content and the tokens that are good for it. */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/Files") {}
