/** Where chargers put and fetch files: one-time URLs of this service, as the endpoints of commands ask for them. */
import { Context, Effect, Layer } from "effect"
import { downloadWaitsMillis } from "../../../domain/file/StoredFile.ts"
import { Files } from "../../../domain/file/Files.ts"
import type { Conflict, NotFound, StorageUnavailable } from "../../../domain/Errors.ts"

/** The file that a URL is good for. */
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
    /** The absolute URL at which a charger may fetch a stored file from now on, until well after `retrieveAt` (ms epoch). */
    readonly download: (
      organisationId: string,
      chargerId: string,
      fileId: string,
      retrieveAt: number,
      now: number
    ) => Transferring
  }
>()("voltlane/http/v2/Transfers") {}

/** One-time URLs below `base`, which has no slash at its end. */
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
            // Firmware updaters take the file's kind from the end of its URL.
            ({ name, token }) => ({ url: `${base}/files/down/${token}/${encodeURIComponent(name)}`, fileId })
          )
      })
    )
  )
