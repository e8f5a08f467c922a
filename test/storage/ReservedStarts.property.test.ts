/**
 * Whatever happens to a charger's reservations (made, answered late or never, cancelled, replaced, expired) and whatever is repeated, lost or
 * reloaded in between: each start is one session with one transaction, each reservation's session has the state of its reservation, and everything
 * has a price.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { limits } from "../../src/Config.ts"
import { forEachDriver } from "../support/databases.ts"
import { endCommand, endReservations, issueCommand } from "../support/endedCommands.ts"
import { at, ended, evse, minute, started } from "../support/events.ts"
import { seedChargers, type Seeded } from "../support/journalFacts.ts"
import { ModelJournal } from "../support/modelJournal.ts"
import { Random, seeds } from "../support/random.ts"
import { besideRepositories } from "../support/repositories.ts"
import { StoredCharger } from "../support/storedCharger.ts"

const world = Layer.mergeAll(
  besideRepositories,
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "starting" })
)

/** One belongs to the organisation, the others are accepted by reservations alone. */
const cards = ["ANNA", "GUEST", "guest"]

const answers = [
  ["Accepted", { status: "Accepted" }],
  ["Accepted", { status: "Accepted" }],
  ["Accepted", { status: "Accepted" }],
  ["Rejected", { status: "Occupied" }],
  ["TimedOut", { errorCode: "Timeout" }]
] as const

interface RowSeen {
  readonly id: string
  readonly status: string
  readonly transactionId: string
  readonly reserved: boolean
}

let commands = 0

class History {
  readonly steps: Array<string> = []
  readonly transactions = new Map<string, number>()
  private readonly starts: Array<ChargerEvent> = []
  private readonly reserved: Array<{
    readonly evseId: number
    readonly reservationId: number
    readonly tokenUid: string
  }> = []
  private readonly open: Array<string> = []
  private readonly sql: SqlClient.SqlClient
  private readonly seeded: Seeded
  private readonly charger: StoredCharger
  private readonly random: Random

  constructor(sql: SqlClient.SqlClient, seeded: Seeded, charger: StoredCharger, random: Random) {
    this.sql = sql
    this.seeded = seeded
    this.charger = charger
    this.random = random
  }

  readonly step = Effect.suspend(() => {
    const { charger, random } = this
    charger.now += random.pick([1000, 1000, 60_000, 60_000, 300_000, 900_000])
    return Effect.asVoid(this.event(random.next()))
  })

  private event(dice: number): Effect.Effect<unknown, unknown> {
    if (dice < 0.2) return this.command("ReserveNow")
    if (dice < 0.25) return this.command("CancelReservation")
    if (dice < 0.5 && this.open.length > 0) return this.answer()
    if (dice < 0.58) return this.trouble()
    if (dice < 0.66) return this.sweep()
    if (dice < 0.75 && this.transactions.size > 0) return this.stop()
    return this.start()
  }

  private stored<A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Effect.Effect<A, E> {
    return Effect.provideService(effect, SqlClient.SqlClient, this.sql)
  }

  private command(type: string) {
    const { charger, random, seeded } = this
    // The first byte distinguishes it from the session ids that chargers make, which are counted as well.
    const id = uuid7(charger.now, Uint8Array.from([1, 0, 0, 0, 0, 0, 0, ++commands >>> 16, commands >>> 8, commands]))
    const reservationId = random.between(1, 3)
    const evseId = random.between(0, 2)
    const place = { evseId, connectorId: Math.min(evseId, 1) }
    const expiresAt = charger.now + random.between(1, 60) * 60_000
    const given = { reservationId, place, tokenUid: random.pick(cards), parentUid: undefined, expiresAt }
    this.steps.push(`${type} ${id} ${JSON.stringify(given)}`)
    if (type === "ReserveNow") this.reserved.push({ evseId, reservationId, tokenUid: given.tokenUid })
    this.open.push(id)
    return this.stored(issueCommand(id, { ...seeded, chargerId: charger.chargerId, type, given, at: charger.now }))
  }

  private answer() {
    const { charger, random } = this
    const id = random.pick(this.open)
    this.open.splice(this.open.indexOf(id), 1)
    const [status, result] = random.pick(answers)
    this.steps.push(`${id} is answered ${status}`)
    return this.stored(endCommand(id, { status, result, at: charger.now }))
  }

  private sweep() {
    this.steps.push("sweep")
    return this.stored(endReservations(this.charger.now))
  }

  private trouble() {
    const { charger, random } = this
    const kind = random.pick(["lose", "forget", "reconnect"])
    this.steps.push(kind)
    if (kind === "lose") charger.loseNextOutcome = true
    return kind === "forget" ? charger.forget : kind === "reconnect" ? charger.reconnect : Effect.void
  }

  private stop() {
    const { charger, random } = this
    const transactionId = random.pick([...this.transactions.values()])
    this.steps.push(`stop ${transactionId}`)
    return charger.say(ended(transactionId, { time: at(charger.now), meterStopWh: 1000 + random.pick([0, 5, 300]) }))
  }

  private start() {
    const { charger, random } = this
    // Half of them are by drivers with a reservation.
    const known = random.chance(0.5) ? this.reserved.slice(-3) : []
    const reserved = known.length > 0 ? random.pick(known) : undefined
    const fresh = started({
      place: evse(reserved?.evseId || random.between(1, 2)),
      tokenUid: reserved?.tokenUid ?? random.pick(cards),
      // Some were made while the charger was offline; no two at the same moment.
      time: at(charger.now - random.pick([0, 0, 1_200_000]) - this.starts.length),
      reservationId: random.chance(0.4) ? (reserved?.reservationId ?? random.between(1, 3)) : undefined
    })
    const event = this.starts.length > 0 && random.chance(0.25) ? random.pick(this.starts) : fresh
    if (event === fresh) this.starts.push(event)
    const key = JSON.stringify(event)
    this.steps.push(`start ${key}`)
    return Effect.map(charger.say(event), ({ reply }) => {
      if (reply?._tag !== "StartAnswered") return assert.fail(`a start was answered ${JSON.stringify(reply)}`)
      assert.strictEqual(this.transactions.get(key) ?? reply.transactionId, reply.transactionId, "a repeat is the same")
      this.transactions.set(key, reply.transactionId)
    })
  }
}

/** The status of a reservation's own session; it is gone where a start has continued it under its id. */
const statusOfOwnSession: Readonly<Record<string, string>> = {
  Active: "RESERVATION",
  Cancelled: "INVALID",
  Expired: "COMPLETED",
  Used: "INVALID"
}

const check = (chargerId: string, history: History) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<RowSeen>`
      SELECT id, status, transaction_id AS "transactionId", reservation_only AS reserved FROM session WHERE charger_id = ${chargerId}`
    const answeredIds = [...history.transactions.values()].map(String)
    const real = rows.filter(({ reserved }) => !reserved)
    assert.deepStrictEqual(
      real.map((row) => row.transactionId).toSorted(),
      answeredIds.toSorted(),
      "each start is one session"
    )
    const reservations = yield* sql<{ readonly id: string; readonly status: string; readonly session: string | null }>`
      SELECT command_id AS id, status, session_id AS session FROM reservation WHERE charger_id = ${chargerId}`
    let ownSessions = 0
    for (const { id, session, status } of reservations) {
      const own = rows.find((row) => row.id === id && row.reserved)
      if (own !== undefined)
        assert.strictEqual(own.status, statusOfOwnSession[status], `the session of ${id}, which is ${status}`)
      if (own !== undefined) ownSessions++
      if (status !== "Used") assert.strictEqual(own === undefined, session === null, `${id} has its session to itself`)
      if (status === "Used")
        assert.isTrue(
          real.some((row) => row.id === session),
          `${id} was used by a start`
        )
    }
    assert.strictEqual(rows.length - real.length, ownSessions, "each reservation-only session belongs to a reservation")
  })

forEachDriver("starts and reservations", world, (it) => {
  it.effect(
    "are consistent after every step of a random history",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tariffs = yield* Tariffs
        let taken = 0
        for (const seed of seeds(10, 400)) {
          const chargerId = `START-${seed}`
          const seeded = yield* seedChargers([chargerId])
          const { organisationId } = seeded
          const by = { organisationId, actor: "test", keyId: "", operatorId: undefined, permissions: [] }
          const writing = { by, now: minute(0) }
          const time = [{ type: "TIME" as const, price: 6, stepSize: 1 }]
          const elements = [{ priceComponents: time, restrictions: { reservation: "RESERVATION" as const } }]
          const tariff = yield* tariffs.create({ currency: "EUR", elements }, writing)
          yield* tariffs.assign(tariff.id, { scope: "organisation" }, writing)
          yield* sql`INSERT INTO token (organisation_id, uid_key, uid, type, status, created_at, updated_at)
            VALUES (${organisationId}::uuid, 'anna', 'ANNA', 'RFID', 'Accepted', now(), now())`
          // Most histories are not about cards that charge twice.
          const concurrent = seed % 4 === 0 ? "Refuse" : "Allow"
          yield* sql`UPDATE organisation SET concurrent_transactions = ${concurrent} WHERE id = ${organisationId}::uuid`
          const charger = yield* StoredCharger.connect(chargerId, organisationId, new ModelJournal())
          const history = new History(sql, seeded, charger, new Random(seed))
          const about = Effect.tapCause(() =>
            Effect.sync(() => console.log(`broken by PROPERTY_SEED=${seed}\n${history.steps.join("\n")}`))
          )
          yield* Effect.gen(function* () {
            for (let n = 0; n < 40; n++) {
              yield* history.step
              yield* check(chargerId, history)
            }
            while (yield* repricing(defaultPriceOptions)) {}
          }).pipe(about)
          const [unpriced, ...others] = yield* sql<{ readonly id: string }>`
            SELECT s.id FROM session s LEFT JOIN session_price p ON p.session_id = s.id WHERE s.charger_id = ${chargerId} AND p.price IS NULL`
          assert.isUndefined(unpriced, `${others.length + 1} have no price; PROPERTY_SEED=${seed}`)
          const [row] = yield* sql<{ readonly n: number }>`
            SELECT count(*)::float8 AS n FROM reservation r JOIN session s ON s.id = r.command_id
            WHERE r.charger_id = ${chargerId} AND NOT s.reservation_only`
          taken += row?.n ?? 0
        }
        const enough = process.env["PROPERTY_SEED"] === undefined ? 0 : -1
        assert.isAbove(taken, enough, "histories in which no start takes a reservation over show nothing")
      }),
    600_000
  )
})
