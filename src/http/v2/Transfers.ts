/** Where chargers put and fetch files: one-time URLs of this service, as the endpoints of commands ask for them. */
import { Context, Effect, Layer } from "effect"
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

const none = new Conflict({
  code: "no_file_store",
  message: "This service keeps no files. Give a location of your own."
})

/** For a service without a file store. */
export const layerNone = Layer.succeed(
  Transfers,
  Transfers.of({ upload: () => Effect.fail(none), download: () => Effect.fail(none) })
)
