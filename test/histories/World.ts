/**
 * Plays histories. Each runs on a charger of its own, through the real decoder, the real decisions and the real journal, with the real billing; then
 * the results are read back. The time is the history's; the database is that of the suite.
 */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { defaultPriceOptions, repricing } from "../../src/actors/background/Repricing.ts"
import type { Cdr, CdrBody } from "../../src/domain/cdr/Cdr.ts"
import { correctionPreview } from "../../src/domain/cdr/CorrectionPreview.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Ledgers } from "../../src/domain/session/Ledgers.ts"
import { type Correction, SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import type { ChargingSession } from "../../src/domain/session/ChargingSession.ts"
import { priceOf } from "../../src/domain/session/Ledger.ts"
import type { PricedResult } from "../../src/domain/tariff/Price.ts"
import { v16 } from "../../src/ocpp/v16/V16.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { ModelJournal } from "../support/modelJournal.ts"
import { anOrganisation, besideRepositories, type TestOrganisation } from "../support/repositories.ts"
import { StoredCharger } from "../support/storedCharger.ts"
import { type Happening, isMessage, type Message, type Step, type Story, withoutNulls } from "./Story.ts"

export const ports = Layer.mergeAll(
  besideRepositories,
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 10_000 }),
  ChargerDirectoryStorage.layer({
    nodeId: "test",
    maxBatch: 100,
    maxQueue: 1000,
    maxCards: 1000,
    maxCardBytes: 1_000_000
  })
)

/** Runs the billing loop until there is nothing left to do. */
export const keep = Effect.gen(function* () {
  while (yield* repricing(defaultPriceOptions)) continue
})

/** The billing loop dies just before it stores how far it has read: its next run does the same work again. */
export const keepAndDie = Effect.gen(function* () {
  const ledgers = yield* Ledgers
  const keepNothing = () => Effect.fail(new StorageUnavailable({ reason: "down", message: "killed" }))
  yield* repricing(defaultPriceOptions).pipe(
    Effect.provideService(Ledgers, Ledgers.of({ ...ledgers, keep: keepNothing })),
    Effect.ignore
  )
})

/** The outcome of a session. */
export interface Result {
  readonly session: ChargingSession
  readonly priced: PricedResult | undefined
  /** In order of their numbers. */
  readonly records: ReadonlyArray<Cdr>
}

/** The billed part of a record. */
const priced = ({ costs, currency, durationMillis, energyWh, parkingMillis, periods, tariff, total }: CdrBody) => ({
  costs,
  currency,
  durationMillis,
  energyWh,
  parkingMillis,
  periods,
  tariff,
  total
})

/** The record in force: it bills, and no credit record reverses it. */
export const recordInForce = (records: ReadonlyArray<Cdr>): Cdr | undefined =>
  records.find(
    ({ creditReferenceId, id }) =>
      creditReferenceId === undefined && !records.some((other) => other.creditReferenceId === id)
  )

let made = 0

/** Where a history takes place. Several chargers may play it there, each in its own order. */
export interface Place {
  readonly organisation: TestOrganisation
  readonly siteId: string
  readonly tariffId: string
  readonly story: Omit<Story, "steps" | "expected">
}

const cardsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => [
  ...new Set(
    steps.filter(isMessage).flatMap(({ payload }) => (typeof payload["idTag"] === "string" ? payload["idTag"] : []))
  )
]

/** An organisation with a site and the history's tariff and cards. */
export const placeOf = (story: Story) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const organisation = yield* anOrganisation
    const writing = organisation.writing()
    yield* sql`UPDATE organisation SET concurrent_transactions = 'Allow' WHERE id = ${organisation.id}`
    const site = yield* (yield* Sites).create({ name: "Site", timeZone: story.zone ?? "UTC" }, writing)
    for (const uid of new Set(cardsOf(story.steps).map((card) => card.toUpperCase()))) {
      const status = story.blocked?.includes(uid) === true ? ("Blocked" as const) : ("Accepted" as const)
      const none = { parentUid: undefined, expiresAt: undefined, visualNumber: undefined, note: undefined }
      yield* (yield* Tokens).create({ uid, type: "RFID", status, ...none }, writing)
    }
    const { id: tariffId } = yield* (yield* Tariffs).create(story.tariff, writing)
    yield* (yield* Tariffs).assign(tariffId, { scope: "site", siteId: site.id }, writing)
    const place: Place = { organisation, siteId: site.id, tariffId, story }
    return place
  })

/** One run of a history, on a charger of its own. */
export class HistoryRun {
  /** Transaction ids from the answers to starts, by session. */
  readonly answered = new Map<string, number>()
  readonly charger: StoredCharger
  private readonly place: Place

  private constructor(place: Place, charger: StoredCharger) {
    this.place = place
    this.charger = charger
  }

  static at(place: Place) {
    return Effect.gen(function* () {
      const { organisation, siteId, story } = place
      const chargerId = `HISTORY-${++made}`
      const chargers = yield* Chargers
      const registration = { chargerId, name: "C", siteId, securityProfile: 0, passwordVerifier: undefined } as const
      yield* chargers.register(registration, organisation.writing())
      if (story.maxPowerW !== undefined) {
        const given = { standard: "IEC_62196_T2", format: "SOCKET", powerType: "AC_3_PHASE", maxVoltage: 230 } as const
        const entry = { evseId: 1, connectorId: 1, ...given, maxAmperage: 32, maxPowerW: story.maxPowerW }
        yield* chargers.update(chargerId, { equipment: [entry] }, organisation.writing())
      }
      if (story.quirks !== undefined) {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO organisation_document (organisation_id, kind, body, updated_at)
          VALUES (${organisation.id}, 'quirks', ${JSON.stringify({ rules: story.quirks })}::text::jsonb, now())
          ON CONFLICT DO NOTHING`
        yield* sql`UPDATE charger SET manufacturer = 'Voltbau', model = 'M' WHERE charger_id = ${chargerId}`
      }
      return new HistoryRun(place, yield* StoredCharger.connect(chargerId, organisation.id, new ModelJournal()))
    })
  }

  private payloadOf({ action, of, payload }: Message): Readonly<Record<string, unknown>> {
    if (action === "StartTransaction") return withoutNulls(payload)
    return withoutNulls({ transactionId: this.answered.get(of) ?? -1, ...payload })
  }

  /** Sends one message that is received at `heard`; remembers the answer to a start. */
  say(message: Message, heard: number, messageId?: string) {
    const run = this
    return Effect.gen(function* () {
      // As on the wire, the payload is text.
      const payload: unknown = JSON.parse(JSON.stringify(run.payloadOf(message)))
      const decoded = v16.decodeCall(message.action, payload)
      if (decoded._tag === "Refused") return yield* Effect.die(new Error(`refused: ${decoded.description}`))
      run.charger.now = heard - 1000
      const { reply } = yield* run.charger.say(decoded.event, messageId)
      if (reply === undefined || reply._tag === "Refused") return yield* Effect.die(new Error("no answer"))
      if (reply._tag === "StartAnswered") run.answered.set(message.of, reply.transactionId)
      return reply
    })
  }

  /** The time at which a message is received if it does not say one. */
  heardAt({ heard, time }: Message): number {
    return heard ?? Math.max(time + 1000, this.charger.now + 1000)
  }

  happen(happening: Happening) {
    const run = this
    const { organisation, siteId, tariffId } = this.place
    return Effect.gen(function* () {
      const writing = organisation.writing(run.charger.now + 1000)
      switch (happening.happens) {
        case "billing":
          return yield* keep
        case "reconnect":
          return yield* run.charger.reconnect
        case "restart":
          return yield* run.charger.forget
        case "tariff":
          yield* (yield* Tariffs).update(tariffId, { elements: happening.tariff.elements }, writing)
          return
        case "zone":
          yield* (yield* Sites).update(siteId, { timeZone: happening.zone }, writing)
          return
        case "credit": {
          yield* keep
          const inForce = recordInForce((yield* run.resultOf(happening.of)).records)
          yield* (yield* Cdrs).credit(inForce?.id ?? "none", writing)
          return
        }
        case "release":
        case "correct": {
          yield* keep
          const { session } = yield* run.resultOf(happening.of)
          const reviews = yield* SessionReviews
          if (happening.happens === "release") return yield* reviews.release(session.id, writing)
          const none = { energyWh: undefined, startedAt: undefined, endedAt: undefined }
          const figures = { ...none, ...happening.correction }
          const previewed = yield* run.previewOf(happening.of, figures)
          yield* reviews.correct(session.id, { ...figures, reason: "by hand" }, writing)
          yield* run.checkPreview(happening.of, previewed)
        }
      }
    })
  }

  step(step: Step) {
    return isMessage(step) ? Effect.asVoid(this.say(step, this.heardAt(step))) : this.happen(step)
  }

  find(of: string) {
    const run = this
    return Effect.gen(function* () {
      const chargerId = run.charger.chargerId
      const transactionId = String(run.answered.get(of) ?? 0)
      const { items } = yield* (yield* Sessions).list(run.place.organisation.id, {
        limit: 2,
        chargerId,
        transactionId
      })
      return items[0]
    })
  }

  /** The present price. */
  pricedOf({ id }: ChargingSession) {
    const { organisation } = this.place
    return Effect.gen(function* () {
      const ledger = yield* (yield* Ledgers).ofSession(organisation.id, id)
      return ledger === undefined ? undefined : priceOf(ledger)
    })
  }

  resultOf(of: string) {
    const run = this
    return Effect.gen(function* () {
      const { organisation } = run.place
      const session = yield* run.find(of)
      if (session === undefined) return yield* Effect.die(new Error(`${of} has no session`))
      const priced = yield* run.pricedOf(session)
      const { items } = yield* (yield* Cdrs).list(organisation.id, { limit: 100, sessionId: session.id })
      const result: Result = { session, priced, records: items.toReversed() }
      return result
    })
  }

  /** The records that a correction would issue, by its preview. */
  previewOf(of: string, figures: Omit<Correction, "reason">) {
    const run = this
    return Effect.gen(function* () {
      const { records, session } = yield* run.resultOf(of)
      const ledger = yield* (yield* Ledgers).ofSession(session.organisationId, session.id)
      return {
        before: records,
        preview: correctionPreview({ session, ledger, records: records.toReversed() }, figures)
      }
    })
  }

  /** Checks that a correction has issued what its preview said, and nothing else. */
  checkPreview(of: string, { before, preview }: Effect.Success<ReturnType<typeof this.previewOf>>) {
    const run = this
    return Effect.gen(function* () {
      if ("_tag" in preview) return yield* Effect.die(new Error(`the correction of ${of} was to be refused`))
      const { records, session } = yield* run.resultOf(of)
      const issued = records
        .slice(before.length)
        .map(({ body, creditReferenceId }) => [creditReferenceId, priced(body)])
      const credits = preview.credits.map(({ body, of: { id } }) => [id, priced(body)])
      const bills = preview.bill === undefined ? [] : [[undefined, priced(preview.bill)]]
      expect(issued).toEqual([...credits, ...bills])
      const { endedAt, energyWh, startedAt } = session
      expect(preview.figures).toEqual({ endedAt, energyWh, startedAt })
    })
  }

  /** The number of sessions of this charger. */
  get count() {
    const { chargerId } = this.charger
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT 1 FROM session WHERE charger_id = ${chargerId}`
      return rows.length
    })
  }
}
