/**
 * The way from the rest of the service to a charger, addressed by its id. Today every charger is reached in this process; a link that
 * finds the charger's node in the directory and crosses to it will be another implementation of the same port.
 */
import { Context, type Effect } from "effect"

export class ChargerLink extends Context.Service<
  ChargerLink,
  {
    /** Announces that a command was stored for a charger: its actor takes it as soon as its line is free. Nothing for one that is not here. */
    readonly wake: (chargerId: string) => Effect.Effect<void>
    /** Announces that an operator has accepted or rejected a charger: it holds from the charger's next message, and one now accepted boots. */
    readonly reconsider: (chargerId: string) => Effect.Effect<void>
    /** Announces that an organisation's settings have changed: they hold from the next message of each of its chargers. */
    readonly reconsiderAll: (organisationId: string) => Effect.Effect<void>
    /** Ends the charger's connection, e.g. because it was removed or its credentials changed. */
    readonly disconnect: (chargerId: string, reason: string) => Effect.Effect<void>
    readonly connectedCount: () => number
  }
>()("voltlane/ChargerLink") {}
