/**
 * The way from the rest of the service to a charger, addressed by its id. Today every charger is reached in this process; a link that
 * finds the charger's node in the directory and crosses to it will be another implementation of the same port.
 */
import { Context, type Effect } from "effect"
import type { ChargerCommand, CommandResult } from "../charger/ChargerCommand.ts"
import type { ChargerOffline } from "../Errors.ts"

export class ChargerLink extends Context.Service<
  ChargerLink,
  {
    /** Queues a command behind those already waiting (one CALL outstanding per charger) and answers what came of it. */
    readonly send: (chargerId: string, command: ChargerCommand) => Effect.Effect<CommandResult, ChargerOffline>
    /** Ends the charger's connection, e.g. because it was removed or its credentials changed. */
    readonly disconnect: (chargerId: string, reason: string) => Effect.Effect<void>
    readonly connectedCount: () => number
  }
>()("voltlane/ChargerLink") {}
