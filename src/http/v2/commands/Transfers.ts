/** One-time URLs of this service to which chargers upload files or from which they download them, for the endpoints of commands. */
import { Context, Effect, Layer } from "effect"
import { downloadWaitsMillis } from "../../../domain/file/StoredFile.ts"
import { Files } from "../../../domain/file/Files.ts"
import type { Conflict, NotFound, StorageUnavailable } from "../../../domain/Errors.ts"

/** A URL and the file that it gives access to. */
export interface Transfer {
  readonly url: string
  readonly fileId: string
}

type Transferring = Effect.Effect<Transfer, Conflict | NotFound | StorageUnavailable>

export class Transfers extends Context.Service<
  Transfers,
  {
    /** The absolute URL to which a charger may upload one file. */
    readonly upload: (
      organisationId: string,
      chargerId: string,
      kind: "Diagnostics" | "Log",
      now: number
    ) => Transferring
    /** The absolute URL from which a charger may download a stored file from now on, until well after `retrieveAt` (ms epoch). */
    readonly download: (
      organisationId: string,
      chargerId: string,
      fileId: string,
      retrieveAt: number,
      now: number
    ) => Transferring
  }
>()("voltlane/http/v2/Transfers") {}

/** Makes one-time URLs below `base`, which has no trailing slash. */
export const layer = (base: string) =>
  Layer.effect(
    Transfers,
    Effect.map(Files, (files) =>
      Transfers.of({
        upload: (organisationId, chargerId, kind, now) =>
          Effect.map(files.expect(organisationId, chargerId, kind, now), ({ id, token }) => ({
            url: `${base}/files/up/${token}`,
            fileId: id
          })),
        download: (organisationId, chargerId, fileId, retrieveAt, now) =>
          Effect.map(
            files.offer(organisationId, chargerId, fileId, Math.max(retrieveAt, now) + downloadWaitsMillis, now),
            // Firmware updaters derive the file type from the end of the URL.
            ({ name, token }) => ({ url: `${base}/files/down/${token}/${encodeURIComponent(name)}`, fileId })
          )
      })
    )
  )
