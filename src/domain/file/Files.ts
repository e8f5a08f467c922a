/**
 * Storage of chargers' files. A charger uploads with a token for one upload, and fetches firmware with a token of its own. Operators read and
 * write the files of their organisation.
 */
import { Context, type Effect, type Stream } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable, TooMany } from "../Errors.ts"
import type { ByteRange, FileKind, StoredFile } from "./StoredFile.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export type FileContent = Stream.Stream<Uint8Array, StorageUnavailable>

/** A file that a token gives access to. */
export interface Fetched {
  readonly file: StoredFile
  /** The whole file, or a part of it. */
  readonly read: (range?: ByteRange) => FileContent
}

export class Files extends Context.Service<
  Files,
  {
    /** Prepares for one upload from a charger. Returns the file's id and the upload's token, which is not stored in clear text. */
    readonly expect: (
      organisationId: string,
      chargerId: string,
      kind: Exclude<FileKind, "Firmware">,
      now: number
    ) => Effect.Effect<{ readonly id: string; readonly token: string }, StorageUnavailable>
    /**
     * Stores an upload. `NotFound` if the token is unknown or too old. `Conflict` `already_uploaded`; `upload_replaced` when the upload was started
     * again in the meantime; `file_quota` when the organisation's quota is used up. `InvalidInput` when the upload is too large, too slow or was
     * interrupted. `TooMany` when the organisation has too many uploads at once. An incomplete upload leaves nothing behind and may be repeated. If
     * the sender announces the size, there must be room for all of it before the first byte is read.
     */
    readonly receive: (
      token: string,
      name: string,
      content: Stream.Stream<Uint8Array, unknown>,
      now: number,
      declaredBytes?: number
    ) => Effect.Effect<StoredFile, NotFound | Conflict | InvalidInput | StorageUnavailable | TooMany>
    /**
     * Stores a firmware image. `Conflict` `file_quota`, or `file_removed` when it was removed in the meantime. `InvalidInput` when it is empty, too
     * large, too slow or was interrupted. `TooMany` as above.
     */
    readonly store: (
      name: string,
      content: Stream.Stream<Uint8Array, unknown>,
      audit: AuditContext,
      declaredBytes?: number
    ) => Effect.Effect<StoredFile, Conflict | InvalidInput | StorageUnavailable | TooMany>
    /**
     * Makes a token with which a charger may fetch a firmware image any number of times until `until` (ms epoch). Returns the token and the image's
     * name. `NotFound` for a file of another organisation; `Conflict` `no_firmware` for a file that is not a firmware image, or is incomplete.
     */
    readonly offer: (
      organisationId: string,
      chargerId: string,
      id: string,
      until: number,
      now: number
    ) => Effect.Effect<{ readonly token: string; readonly name: string }, NotFound | Conflict | StorageUnavailable>
    /** The file of a token; `NotFound` if the token is unknown or too old. */
    readonly fetch: (token: string, now: number) => Effect.Effect<Fetched, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly chargerId?: string | undefined; readonly kind?: FileKind | undefined }
    ) => Effect.Effect<Page<StoredFile>, InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<StoredFile, NotFound | StorageUnavailable>
    /** `NotFound` for a file that has not been uploaded yet. */
    readonly content: (organisationId: string, id: string) => Effect.Effect<FileContent, NotFound | StorageUnavailable>
    /** Removes a file, its content and its tokens. */
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/Files") {}
