/**
 * Reservations in the database equal those of the domain: random histories of commands, answers, cancellations and starts
 * on one charger, each step compared with a model that is based on `consumedBy` and `statusAt`.
 */
import type { Secrets } from "../../src/domain/values/Secrets.ts"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Journal } from "../../src/domain/charger/Journal.ts"
import { Reservations } from "../../src/domain/reservation/Reservations.ts"
import { consumedBy, type Reservation, statusAt, type Start } from "../../src/domain/reservation/Reservation.ts"
import * as ReservationsRepository from "../../src/storage/charging/Reservations.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { freshId, seedChargers, type Seeded, started } from "../support/journalFacts.ts"
import { endCommand, issueCommand } from "../support/endedCommands.ts"
import { Random, seeds } from "../support/random.ts"

const minute = 60_000
const begin = Date.UTC(2026, 4, 20, 12)
const cards = ["ANNA", "anna", "BERT", "Zoë"]
const groups = [undefined, "FAMILY", "family", "FLEET"]

/** How a command ends: its status, and its result. */
const endings = [
  ["Accepted", { status: "Accepted" }],
  ["Accepted", { status: "Accepted" }],
  ["Accepted", { status: "Accepted" }],
  ["Rejected", { status: "Occupied" }],
  ["TimedOut", { errorCode: "Timeout" }],
  ["Failed", { errorCode: "ConnectionLost" }],
  ["Failed", { errorCode: "NotSupported" }],
  ["Failed", { errorCode: "UnreadableAnswer" }],
  ["Failed", { errorCode: "NotConnected" }],
  ["Failed", { errorCode: "TooManyCommands" }],
  ["Expired", { errorCode: "Expired" }]
] as const

/** The codes of commands that no charger has seen; those of the first kind were not even taken to be sent. */
const neverTaken: ReadonlySet<string> = new Set(["NotConnected", "Expired"])
const neverSent: ReadonlySet<string> = new Set([...neverTaken, "TooManyCommands"])

type Ending = (typeof endings)[number]

/** The same rules by the functions of the domain, without a database. */
class Model {
  all: ReadonlyArray<Reservation> = []

  private change(matches: (one: Reservation) => boolean, to: (one: Reservation) => Partial<Reservation>): void {
    this.all = this.all.map((one) => (matches(one) ? { ...one, ...to(one) } : one))
  }

  answered(commandId: string, [ended, result]: Ending, at: number): void {
    const code = "errorCode" in result ? result.errorCode : ""
    const isUnknown = ended === "TimedOut" || code === "ConnectionLost" || code === "UnreadableAnswer"
    const refused = neverSent.has(code) ? "Failed" : "Rejected"
    const status = ended === "Accepted" ? "Active" : isUnknown ? "Unknown" : refused
    const reason = ended === "Accepted" ? undefined : "status" in result ? result.status : result.errorCode
    const answered = this.all.find((one) => one.commandId === commandId)
    this.change(
      (one) => one.commandId === commandId && one.status === "Pending",
      () => ({ status, reason, updatedAt: at })
    )
    if (ended !== "Accepted") return
    this.change(
      (one) =>
        one.commandId !== commandId &&
        one.reservationId === answered?.reservationId &&
        (one.status === "Active" || one.status === "Unknown"),
      () => ({ status: "Cancelled", reason: "Replaced", updatedAt: at })
    )
  }

  cancelled(reservationId: number, answer: "Accepted" | "Rejected", at: number): void {
    this.change(
      (one) => one.reservationId === reservationId && (one.status === "Active" || one.status === "Unknown"),
      (one) =>
        answer === "Accepted"
          ? { status: "Cancelled", reason: undefined, updatedAt: at }
          : {
              status: statusAt(one, at) === "Expired" ? "Expired" : "Cancelled",
              reason: "NotAtCharger",
              updatedAt: at
            }
    )
  }

  started(start: Start, sessionId: string, at: number): void {
    const consumed = consumedBy(start, this.all)
    this.change(
      (one) => one === consumed,
      () => ({ status: "Used", sessionId, updatedAt: at })
    )
  }
}

/** One charger in the database, with the same events as the model. */
class History {
  readonly model = new Model()
  readonly steps: Array<string> = []
  private readonly open: Array<{ readonly id: string; readonly reservationId: number | undefined }> = []
  private now = begin
  private readonly sql: SqlClient.SqlClient
  private readonly seeded: Seeded
  private readonly chargerId: string
  private readonly random: Random

  constructor(sql: SqlClient.SqlClient, seeded: Seeded, chargerId: string, random: Random) {
    this.sql = sql
    this.seeded = seeded
    this.chargerId = chargerId
    this.random = random
  }

  get at(): number {
    return this.now
  }

  /** One event, a random time after the previous one. */
  readonly step = Effect.suspend(() => {
    this.now += this.random.between(0, 20) * minute
    return Effect.asVoid(this.event(this.random.next()))
  })

  private event(dice: number): Effect.Effect<unknown, unknown, Database | Journal | Secrets> {
    if (dice < 0.3) return this.reserve()
    const command = dice < 0.55 ? this.open[this.random.between(0, this.open.length - 1)] : undefined
    if (command !== undefined) return this.end(command)
    return dice < 0.65 ? this.cancel() : this.start()
  }

  private issue(id: string, type: string, command: object) {
    const { chargerId, now, seeded } = this
    return issueCommand(id, { ...seeded, chargerId, type, given: command, at: now })
  }

  private reserve() {
    const { random } = this
    const made: Reservation = {
      commandId: freshId(),
      organisationId: this.seeded.organisationId,
      chargerId: this.chargerId,
      reservationId: random.between(1, 3),
      evseId: random.between(0, 2),
      tokenUid: random.pick(cards),
      parentUid: random.pick(groups),
      expiresAt: this.now + random.between(1, 60) * minute,
      status: "Pending",
      reason: undefined,
      sessionId: undefined,
      createdAt: this.now,
      updatedAt: this.now
    }
    this.steps.push(`reserve ${JSON.stringify(made)}`)
    this.model.all = [...this.model.all, made]
    this.open.push({ id: made.commandId, reservationId: undefined })
    const { evseId, expiresAt, parentUid, reservationId, tokenUid } = made
    const place = { evseId, connectorId: evseId }
    return this.issue(made.commandId, "ReserveNow", { reservationId, place, tokenUid, parentUid, expiresAt })
  }

  private cancel() {
    const id = freshId()
    const reservationId = this.random.between(1, 3)
    this.steps.push(`cancel ${reservationId} by ${id}`)
    this.open.push({ id, reservationId })
    return this.issue(id, "CancelReservation", { reservationId })
  }

  private end(command: (typeof this.open)[number]) {
    const { now, random } = this
    const { id, reservationId } = command
    this.open.splice(this.open.indexOf(command), 1)
    const ending = random.pick(endings)
    const [status, result] = ending
    this.steps.push(`${id} ends ${status} ${JSON.stringify(result)} at ${now}`)
    if (reservationId === undefined) this.model.answered(id, ending, now)
    else if (status === "Accepted" || status === "Rejected") this.model.cancelled(reservationId, status, now)
    const sentAt = "errorCode" in result && neverTaken.has(result.errorCode) ? undefined : now
    return endCommand(id, { status, result, at: now, sentAt })
  }

  private start() {
    const { chargerId, now, random, seeded } = this
    const start: Start = {
      reservationId: random.chance(0.5) ? random.between(1, 3) : undefined,
      evseId: random.between(1, 2),
      tokenUid: random.pick(cards),
      parentUid: random.pick(groups),
      accepted: random.chance(0.9),
      // Some were made while the charger was offline.
      startedAt: now - (random.chance(0.3) ? random.between(0, 90) * minute : 0)
    }
    const id = freshId()
    this.steps.push(`start ${id} ${JSON.stringify(start)}`)
    this.model.started(start, id, now)
    const tx = { chargerId, sessionId: id, transactionId: ++transactions }
    const fact = started(seeded, tx, { at: start.startedAt, tokenUid: start.tokenUid })
    const { evseId, parentUid, reservationId } = start
    const authorization = {
      ...fact.body.authorization,
      status: start.accepted ? ("Accepted" as const) : ("Blocked" as const),
      parentUid
    }
    const body = { ...fact.body, evseId, connectorId: evseId, reservationId, authorization }
    return Effect.flatMap(decidedCommit, (commit) => commit([{ ...fact, heardAt: now, body }]))
  }
}

const stored = (organisationId: string, now: number, status?: Reservation["status"]) =>
  Effect.gen(function* () {
    const reservations = yield* Reservations
    const { items } = yield* reservations.list(organisationId, { limit: 500, status }, now)
    return items
  })

const world = Layer.merge(ReservationsRepository.layer, JournalRepository.layer(limits.journal))

let transactions = 0

forEachDriver("reservations", world, (it) => {
  it.effect("are the same in the database as in the domain after every step of a random history", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let used = 0
      for (const seed of seeds(20, 400)) {
        const chargerId = `RES-${seed}`
        const seeded = yield* seedChargers([chargerId])
        const history = new History(sql, seeded, chargerId, new Random(seed))
        const about = () => `PROPERTY_SEED=${seed}\n${history.steps.join("\n")}`
        for (let n = 0; n < 25; n++) {
          yield* history.step
          const expected = history.model.all
            .map((one) => ({ ...one, status: statusAt(one, history.at) }))
            .toSorted((one, other) => (one.commandId < other.commandId ? 1 : -1))
          assert.deepStrictEqual(yield* stored(seeded.organisationId, history.at), expected, about())
        }
        const active = history.model.all.filter((one) => statusAt(one, history.at) === "Expired").length
        assert.lengthOf(yield* stored(seeded.organisationId, history.at, "Expired"), active, about())
        used += history.model.all.filter(({ status }) => status === "Used").length
      }
      assert.isAbove(
        used,
        process.env["PROPERTY_SEED"] === undefined ? 2 : -1,
        "histories in which nothing happens show nothing"
      )
    })
  )
})
