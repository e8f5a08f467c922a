/**
 * Calls from the rest of the service to a charger's actor, by the charger's id. Today every actor is in this process. A link to actors on other
 * nodes would be another implementation of this port.
 */
import { Context, type Effect } from "effect"

export class ChargerLink extends Context.Service<
  ChargerLink,
  {
    /** Announces that a command was stored for a charger; its actor sends it as soon as no other CALL is open. Does nothing if the charger is not here. */
    readonly wake: (chargerId: string) => Effect.Effect<void>
    /** Announces that an operator has accepted or rejected a charger. This applies from the charger's next message; an accepted one is asked to boot. */
    readonly reconsider: (chargerId: string) => Effect.Effect<void>
    /** Announces that an organisation's settings have changed. They apply from the next message of each of its chargers. */
    readonly reconsiderAll: (organisationId: string) => Effect.Effect<void>
    /** Ends the charger's connection, e.g. because it was removed or its credentials changed. */
    readonly disconnect: (chargerId: string, reason: string) => Effect.Effect<void>
    readonly connectedCount: () => number
  }
>()("voltlane/ChargerLink") {}
