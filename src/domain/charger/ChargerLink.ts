/**
 * Calls from the rest of the service to a charger's actor, by the charger's id. Today every actor is in this process. A link to actors on other
 * nodes would be another implementation of this port.
 */
import { Context, type Effect } from "effect"
import type { ChargerCommand } from "../command/ChargerCommand.ts"

/** A command that has just been stored. `sent` is set if it was stored as sent, so that the actor must send it now. */
export interface JustStored<A> {
  readonly result: A
  readonly sent: { readonly id: string; readonly command: ChargerCommand } | undefined
}

export class ChargerLink extends Context.Service<
  ChargerLink,
  {
    /**
     * Announces that a command was stored for a charger. Its actor sends the command as soon as no other CALL is open. Does nothing if the charger
     * is not connected to this process.
     */
    readonly wake: (chargerId: string) => Effect.Effect<void>
    /**
     * Runs `store`, which stores a command, while the charger's actor sends nothing else. The command can then be stored as already sent by the
     * connection with this epoch, and is sent at once instead of waiting in the database. `store` gets no epoch if the charger is not connected to
     * this process, belongs to another organisation, or is busy; the command then waits its turn. In both cases the actor is notified.
     */
    readonly sending: <A, E, R>(
      organisationId: string,
      chargerId: string,
      store: (epoch: number | undefined) => Effect.Effect<JustStored<A>, E, R>
    ) => Effect.Effect<A, E, R>
    /**
     * Announces that an operator has accepted or rejected a charger. This applies from the charger's next message. An accepted charger is asked to
     * boot.
     */
    readonly reconsider: (chargerId: string) => Effect.Effect<void>
    /** Announces that an organisation's settings have changed. They apply from the next message of each of its chargers. */
    readonly reconsiderAll: (organisationId: string) => Effect.Effect<void>
    /** Ends the charger's connection, e.g. because it was removed or its credentials changed. */
    readonly disconnect: (chargerId: string, reason: string) => Effect.Effect<void>
    readonly connectedCount: () => number
  }
>()("voltlane/ChargerLink") {}
