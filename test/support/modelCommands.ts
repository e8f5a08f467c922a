/**
 * A queue of commands small enough to be obviously correct: rows with a status, changed as the database changes them. `take` hands out a command to
 * be sent.
 */
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { CommandStatus } from "../../src/domain/command/Command.ts"
import type { CommandAnswered } from "../../src/domain/charger/Fact.ts"
import type { TakenCommand } from "../../src/domain/command/Commands.ts"

export interface CommandRow {
  readonly id: string
  readonly chargerId: string
  readonly command: ChargerCommand
  readonly expiresAt: number | undefined
  status: CommandStatus
  epoch: number | undefined
  result: unknown
}

export class ModelCommands {
  readonly rows: Array<CommandRow> = []
  /** The epoch of each charger's open connection. */
  readonly open = new Map<string, number>()

  /** `sentBy` is the epoch of the connection whose actor sends the command at once. */
  issue(id: string, chargerId: string, command: ChargerCommand, expiresAt?: number, sentBy?: number): CommandRow {
    const waits = this.open.has(chargerId) || expiresAt !== undefined
    const isNext = !this.rows.some((row) => row.chargerId === chargerId && /Pending|Sent/.test(row.status))
    const sent = sentBy !== undefined && this.open.get(chargerId) === sentBy && isNext
    const row: CommandRow = {
      id,
      chargerId,
      command,
      expiresAt,
      status: sent ? "Sent" : waits ? "Pending" : "Failed",
      epoch: sent ? sentBy : undefined,
      result: waits ? undefined : { errorCode: "NotConnected" }
    }
    this.rows.push(row)
    return row
  }

  take(chargerId: string, epoch: number, now: number): TakenCommand | undefined {
    if (this.open.get(chargerId) !== epoch) return undefined
    const mine = this.rows.filter((row) => row.chargerId === chargerId)
    const row =
      mine.find(({ epoch: by, status }) => status === "Sent" && by === epoch) ??
      mine.find(({ expiresAt, status }) => status === "Pending" && (expiresAt === undefined || expiresAt > now))
    if (row === undefined) return undefined
    row.status = "Sent"
    row.epoch = epoch
    const hasNext = mine.some((one) => one.status === "Pending")
    return { id: row.id, command: row.command, hasNext }
  }

  answered({ body }: CommandAnswered): void {
    const row = this.rows.find(({ id }) => id === body.commandId)
    if (row === undefined || (row.status !== "Pending" && row.status !== "Sent")) return
    row.status = body.status
    row.result = body.result
  }

  opened(chargerId: string, epoch: number): void {
    this.open.set(chargerId, epoch)
    this.abandon(chargerId)
  }

  closed(chargerId: string, epoch: number): void {
    if (this.open.get(chargerId) !== epoch) return
    this.open.delete(chargerId)
    this.abandon(chargerId)
  }

  expire(now: number): void {
    for (const row of this.rows) {
      if (row.status === "Pending" && row.expiresAt !== undefined && row.expiresAt <= now) row.status = "Expired"
    }
  }

  private abandon(chargerId: string): void {
    const epoch = this.open.get(chargerId)
    for (const row of this.rows) {
      if (row.chargerId !== chargerId) continue
      const lost = row.status === "Sent" && row.epoch !== epoch
      if (!lost && !(row.status === "Pending" && row.expiresAt === undefined && epoch === undefined)) continue
      row.status = "Failed"
      row.result = { errorCode: lost ? "ConnectionLost" : "NotConnected" }
    }
  }
}
