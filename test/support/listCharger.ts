/** A charger with a local authorisation list, and a port `Commands` that stores what is to be sent to it. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { endingCommands } from "../../src/storage/commands/CommandEnds.ts"
import { idAt } from "./reported.ts"
import { anOrganisation, noon } from "./repositories.ts"

const unused = () => Effect.die("not used by the background loop")

/** Stores commands as sent, by the charger's connection of epoch 1 or the epoch that the test has set. */
export const storedCommands = Layer.effect(
  Commands,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Commands.of({
      issue: ({ chargerId, command, parameters }, { by, now }) =>
        Effect.gen(function* () {
          const id = idAt(now)
          yield* sql`
            INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, sent_at, sent_epoch)
            SELECT ${id}, ${by.organisationId}, ${chargerId}, ${command._tag}, 'Sent', ${JSON.stringify(command)}::text::jsonb,
              ${JSON.stringify(parameters)}::text::jsonb, ${by.actor}, ${new Date(now)}, ${new Date(now)}, n.epoch
            FROM connection n WHERE n.charger_id = ${chargerId}`
          return undefined as never
        }).pipe(Effect.orDie),
      get: unused,
      list: unused,
      wait: unused,
      take: unused,
      waiting: undefined as never,
      takeNumber: Effect.die("not used by the background loop")
    })
  })
)

let made = 0

/** The configuration that a charger reports; undefined for a key that it does not have. */
type Configuration = Readonly<Record<string, string | undefined>>

/** A charger of an organisation that manages lists, connected, with support for lists, and with its configuration reported. */
export const aListCharger = (configuration: Configuration = {}) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ours = yield* anOrganisation
    yield* (yield* Sites).create({ name: "Home" }, ours.writing())
    yield* sql`UPDATE organisation SET local_lists = 'Managed' WHERE id = ${ours.id}`
    const add = another(ours, configuration)
    return { ours, another: add, ...(yield* add) }
  })

const another = (ours: Effect.Success<typeof anOrganisation>, configuration: Configuration) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const chargerId = `LISTED-${made++}`
    yield* (yield* Chargers).register(
      { chargerId, name: "Listed", siteId: undefined, securityProfile: 0, passwordVerifier: undefined },
      ours.writing()
    )
    const reported = { LocalAuthListEnabled: "true", ...configuration }
    const entries = Object.entries(reported).filter(([, value]) => value !== undefined)
    const keys = JSON.stringify(entries.map(([key, value]) => ({ key, value, readonly: true })))
    yield* sql`INSERT INTO charger_configuration (charger_id, keys, reported_at) VALUES (${chargerId}, ${keys}::text::jsonb, ${new Date(noon)})`
    yield* sql`
      INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at)
      VALUES (${chargerId}, ${ours.id}, 'test', 1, '1.6', 0, '127.0.0.1', ${new Date(noon)})`
    return { chargerId, charger: new ListCharger(chargerId, sql) }
  })

/** The outcome of a command: done and answered, refused, or its answer lost after or before it was done. */
export type Mood = "Well" | "Failed" | "LostAfter" | "LostBefore" | "NotSupported" | "Reconnects"

export class ListCharger {
  version = 0
  /** What it does instead of taking a whole list. */
  atWholeList: "Takes" | "Mismatches" | "Restarts" = "Takes"
  /** By lower-case uid. */
  readonly entries = new Map<string, string>()
  /** The commands that it received, in order. */
  readonly asked: Array<string> = []
  private readonly chargerId: string
  private readonly sql: SqlClient.SqlClient

  constructor(chargerId: string, sql: SqlClient.SqlClient) {
    this.chargerId = chargerId
    this.sql = sql
  }

  private take(command: ChargerCommand): object {
    if (command._tag === "GetLocalListVersion") {
      this.asked.push("version?")
      return { listVersion: this.version }
    }
    if (command._tag !== "SendLocalList") throw new Error(`asked for ${command._tag}`)
    this.asked.push(
      `${command.updateType} ${command.listVersion}: ${command.entries.map((one) => one.tokenUid).join(" ")}`
    )
    const isOld = command.updateType === "Differential" && command.listVersion <= this.version
    if (isOld || (command.updateType === "Full" && this.atWholeList !== "Takes")) return { status: "VersionMismatch" }
    if (command.updateType === "Full") this.entries.clear()
    for (const { authorization, tokenUid } of command.entries) {
      if (authorization === undefined) this.entries.delete(tokenUid.toLowerCase())
      else this.entries.set(tokenUid.toLowerCase(), authorization.status)
    }
    this.version = command.listVersion
    return { status: "Accepted" }
  }

  /** Ends a command as the projection of its fact does. */
  private end(id: string, status: string, result: object) {
    const update = this.sql`
      UPDATE command SET status = ${status}, result = ${JSON.stringify(result)}::text::jsonb, completed_at = ${new Date()}
      WHERE id = ${id}`
    return endingCommands(this.sql, [id], update)
  }

  /** Answers the command that was sent to it; returns false if there was none. */
  answer(mood: Mood = "Well") {
    const charger = this
    return Effect.gen(function* () {
      const open = yield* charger.sql<{ id: string; command: ChargerCommand }>`
        SELECT id, command FROM command WHERE charger_id = ${charger.chargerId} AND status = 'Sent'`
      if (open.length > 1) throw new Error("more than one command about the list is under way")
      const [one] = open
      if (one === undefined) return false
      if (mood === "Failed" || mood === "NotSupported") {
        charger.asked.push(mood)
        const refusal =
          one.command._tag === "SendLocalList" ? { status: mood } : { errorCode: mood, errorDescription: "" }
        yield* charger.end(one.id, one.command._tag === "SendLocalList" ? "Rejected" : "Failed", refusal)
        return true
      }
      if (mood === "Well" || mood === "LostAfter") {
        const result = charger.take(one.command)
        const refused = "status" in result && result.status !== "Accepted"
        if (refused && charger.atWholeList === "Restarts") {
          yield* charger.end(one.id, "Failed", { errorCode: "ConnectionLost", errorDescription: "" })
          yield* charger.reconnect
          return true
        }
        if (mood === "Well") yield* charger.end(one.id, refused ? "Rejected" : "Accepted", result)
      }
      if (mood === "LostAfter" || mood === "LostBefore") {
        charger.asked.push(mood)
        yield* charger.end(one.id, "TimedOut", { errorCode: "Timeout", errorDescription: "" })
      }
      if (mood === "Reconnects") {
        yield* charger.end(one.id, "Failed", { errorCode: "ConnectionLost", errorDescription: "" })
        yield* charger.reconnect
      }
      return true
    })
  }

  get reconnect() {
    return this.sql`UPDATE connection SET epoch = epoch + 1, connected_at = ${new Date()} WHERE charger_id = ${this.chargerId}`
  }

  /** Makes the next try due. */
  get patience() {
    return this.sql`UPDATE local_list SET next_look_at = ${new Date(noon)} WHERE charger_id = ${this.chargerId}`
  }

  /** The commands that were received since the last call. */
  get heard(): ReadonlyArray<string> {
    return this.asked.splice(0)
  }
}
