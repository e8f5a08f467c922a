/**
 * Storage of commands. REST and partners issue them, and the charger's actor takes them one by one. The database is the queue, so that a command
 * survives the process that accepted it and is never sent twice.
 */
import { Context, type Effect, type Stream } from "effect"
import type { ChargerCommand } from "./ChargerCommand.ts"
import type { Command, CommandStatus, NewCommand } from "./Command.ts"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable, TooMany } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** A command that the actor is about to send; its status is `Sent` already. */
export interface TakenCommand {
  readonly id: string
  readonly command: ChargerCommand
  /** Another may wait behind it. */
  readonly hasNext: boolean
}

export interface CommandFilter {
  readonly chargerId?: string | undefined
  readonly status?: CommandStatus | undefined
  readonly fileId?: string | undefined
}

export class Commands extends Context.Service<
  Commands,
  {
    /**
     * Stores a command and its fact `CommandIssued`. Without `expiresInSeconds`, for a charger that is not connected, its status is `Failed`
     * at once. `NotFound` for a charger that is not the caller's; `Conflict` `too_many_commands` when too many wait for it; `TooMany` over
     * the cap of chargers that one key may command in a minute.
     */
    readonly issue: (
      command: NewCommand,
      audit: AuditContext
    ) => Effect.Effect<Command, NotFound | Conflict | InvalidInput | TooMany | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Command, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest & CommandFilter
    ) => Effect.Effect<Page<Command>, InvalidInput | StorageUnavailable>
    /** The command when it has ended, or as it is after `millis`; `issued` is what `issue` has just answered, if it was just issued. */
    readonly wait: (
      organisationId: string,
      id: string,
      millis: number,
      issued?: Command
    ) => Effect.Effect<Command, NotFound | StorageUnavailable>
    /**
     * Takes the oldest command that waits for a charger and marks it in the same transaction as sent by the connection of this epoch. Undefined if none
     * waits or a newer connection exists.
     */
    readonly take: (
      chargerId: string,
      epoch: number,
      now: number
    ) => Effect.Effect<TakenCommand | undefined, StorageUnavailable>
    /** Ids of chargers for which any node has just stored a command, and of all that have one waiting after words may have been missed. */
    readonly waiting: Stream.Stream<string>
    /** A positive 31-bit number that no other reservation, log request or firmware request has had. */
    readonly takeNumber: Effect.Effect<number, StorageUnavailable>
  }
>()("voltlane/Commands") {}
