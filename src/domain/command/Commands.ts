/**
 * Storage of commands. Operators (over REST) and partners issue them, and the charger's actor takes them one by one. The database is the queue, so
 * that a command survives the process that accepted it and is never sent twice.
 */
import { Context, type Effect, type Stream } from "effect"
import type { ChargerCommand } from "./ChargerCommand.ts"
import type { Command, CommandStatus, NewCommand } from "./Command.ts"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable, TooMany } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** A command that the actor is about to send. Its status is already `Sent`. */
export interface TakenCommand {
  readonly id: string
  readonly command: ChargerCommand
  /** True if another command may wait behind it. */
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
     * Stores a command and its fact `CommandIssued`. If the charger is not connected and `expiresInSeconds` is missing, the status is `Failed` at
     * once. `NotFound` for a charger of another organisation. `Conflict` `too_many_commands` if too many commands wait for the charger. `TooMany` if
     * the caller exceeds `chargersPerMinute` (see `CommandCaps`).
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
    /** The command once it has ended, or as it is after `millis`. `issued` is the result of `issue` if it has just been issued. */
    readonly wait: (
      organisationId: string,
      id: string,
      millis: number,
      issued?: Command
    ) => Effect.Effect<Command, NotFound | StorageUnavailable>
    /**
     * Takes the oldest command that waits for a charger and, in the same transaction, marks it as sent by the connection with this epoch. Undefined
     * if none waits or a newer connection exists.
     */
    readonly take: (
      chargerId: string,
      epoch: number,
      now: number
    ) => Effect.Effect<TakenCommand | undefined, StorageUnavailable>
    /**
     * Emits the id of a charger when any node has stored a command for it. After notifications may have been missed, emits the ids of all chargers
     * with waiting commands.
     */
    readonly waiting: Stream.Stream<string>
    /** A positive 31-bit number that no other reservation, log request or firmware request has had. */
    readonly takeNumber: Effect.Effect<number, StorageUnavailable>
  }
>()("voltlane/Commands") {}
