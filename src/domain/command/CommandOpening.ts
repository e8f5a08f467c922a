/**
 * How a command as REST takes it becomes one that a charger is sent: what its parameters leave out is found for this charger. A port, since the shapes of
 * parameters are REST's and the values are the repositories'; commands of one request and those of rollouts are opened alike.
 */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { ChargerCommand } from "./ChargerCommand.ts"

export interface OpenedCommand {
  readonly command: ChargerCommand
  /** What is stored of the parameters: as they were given, secrets masked, and what was chosen beside them. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly expiresInSeconds: number | undefined
  readonly sessionId: string | undefined
  readonly fileId: string | undefined
  /** A password that was made for it and is stored nowhere else. */
  readonly password: string | undefined
}

export class CommandOpening extends Context.Service<
  CommandOpening,
  {
    /** `body` as `POST /v2/chargers/{id}/commands` takes it. `NotFound` for a charger that is not the organisation's. */
    readonly open: (
      organisationId: string,
      chargerId: string,
      body: Readonly<Record<string, unknown>>
    ) => Effect.Effect<OpenedCommand, NotFound | Conflict | InvalidInput | StorageUnavailable>
  }
>()("voltlane/CommandOpening") {}
