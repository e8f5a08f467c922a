/**
 * Converts a command from its REST form into one that can be sent to a charger, and fills in the values that its parameters leave out. It is a port,
 * since REST defines the shape of the parameters and the repositories provide the values. Single commands and those of rollouts use the same
 * conversion.
 */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { ChargerCommand } from "./ChargerCommand.ts"

export interface OpenedCommand {
  readonly command: ChargerCommand
  /** The parameters to store: those of the request, with secrets masked, and the values that the service filled in. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly expiresInSeconds: number | undefined
  readonly sessionId: string | undefined
  readonly fileId: string | undefined
  /** A password that was generated for it and is stored nowhere else. */
  readonly password: string | undefined
}

export class CommandOpening extends Context.Service<
  CommandOpening,
  {
    /** `body` is the body of `POST /v2/chargers/{id}/commands`. `NotFound` for a charger of another organisation. */
    readonly open: (
      organisationId: string,
      chargerId: string,
      body: Readonly<Record<string, unknown>>
    ) => Effect.Effect<OpenedCommand, NotFound | Conflict | InvalidInput | StorageUnavailable>
  }
>()("voltlane/CommandOpening") {}
