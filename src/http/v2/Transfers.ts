/** Where chargers put and fetch files: one-time URLs of this service, as the endpoints of commands ask for them. */
import { Context, Effect, Layer } from "effect"
import { Files } from "../../domain/ports/Files.ts"
import { Conflict, type NotFound, type StorageUnavailable } from "../../domain/Errors.ts"

type Url = Effect.Effect<string, Conflict | NotFound | StorageUnavailable>

export class Transfers extends Context.Service<
  Transfers,
  {
    /** The absolute URL to which a charger may upload one file. */
    readonly upload: (organisationId: string, chargerId: string, kind: "Diagnostics" | "Log", now: number) => Url
    /** The absolute URL at which a charger may fetch a stored file. */
    readonly download: (organisationId: string, chargerId: string, fileId: string, now: number) => Url
  }
>()("voltlane/http/v2/Transfers") {}

const noFirmware = new Conflict({
  code: "no_firmware_store",
  message: "This service keeps no firmware. Give a location of your own."
})

/** One-time URLs below `publicUrl`. */
export const layer = (publicUrl: string) =>
  Layer.effect(
    Transfers,
    Effect.map(Files, (files) =>
      Transfers.of({
        upload: (organisationId, chargerId, kind, now) =>
          Effect.map(files.expect(organisationId, chargerId, kind, now), (token) => `${publicUrl}/files/up/${token}`),
        download: () => Effect.fail(noFirmware)
      })
    )
  )
