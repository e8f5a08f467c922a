/** Partner callbacks: stored with their command, due when it has ended or its time is over, and sent by one process alone. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CommandAnswered } from "../../src/domain/charger/Fact.ts"
import { answerSeconds, type NewPartnerCallback } from "../../src/domain/command/PartnerCallback.ts"
import type { NewGrant } from "../../src/domain/roaming/TokenGrant.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { PartnerCallbacks } from "../../src/domain/command/PartnerCallbacks.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import * as PartnerCallbacksStorage from "../../src/storage/commands/PartnerCallbacks.ts"
import { forgetCallbacks } from "../../src/storage/commands/PartnerCallbacks.ts"
import { commandPorts, registerCharger } from "../support/commandedCharger.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { freshId, started } from "../support/journalFacts.ts"
import { anOrganisation, repositories, type TestOrganisation } from "../support/repositories.ts"

const ports = Layer.mergeAll(
  commandPorts({ maxWaiting: 100, chargersPerMinute: 1000 }),
  PartnerCallbacksStorage.layer
).pipe(Layer.provideMerge(repositories))

/** Later than the noon of other tests, so that what they leave behind is not due here. */
const noon = Date.UTC(2026, 10, 20, 12)
const leaseMillis = 30_000
const limitPerPartner = 5

let made = 0

const aPartner = Effect.fnUntraced(function* (organisation: TestOrganisation) {
  const secrets = yield* Secrets
  const invitation = { verifier: secrets.verifier("partner-token", `invitation ${++made}`), expiresAt: noon + 1e9 }
  const partyId = made.toString(36).toUpperCase().padStart(3, "0")
  const expected = { countryCode: "DE", partyId, roles: ["EMSP" as const] }
  return yield* (yield* Partners).create(
    { name: "eMSP", expected, switches: {}, invitation },
    organisation.writing(noon)
  )
})

/** An organisation with a partner and a charger that is connected, unless said otherwise. */
const world = Effect.fnUntraced(function* (connected = true) {
  const organisation = yield* anOrganisation
  yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const partner = yield* aPartner(organisation)
  const chargerId = `CALLBACK-${++made}`
  yield* registerCharger(organisation, chargerId)
  if (!connected) return { organisation, partner, chargerId, epoch: 0 }
  const state = yield* (yield* ChargerDirectory).open({
    chargerId,
    organisationId: organisation.id,
    ocppVersion: "1.6",
    securityProfile: 0,
    remoteAddress: "192.0.2.7",
    at: noon
  })
  return { organisation, partner, chargerId, epoch: state?.epoch ?? 0 }
})

const grantFor = (partnerId: string, more: Partial<NewGrant> = {}): NewGrant => ({
  partnerId,
  countryCode: "DE",
  partyId: "ABC",
  uid: "A-very-long-uid-of-an-app-user",
  type: "APP_USER",
  contractId: "C-1",
  authMethod: "COMMAND",
  idTag: "VL123",
  evseId: 1,
  expiresAt: noon + 20 * 60_000,
  ...more
})

const callbackOf = (partnerId: string, more: Partial<NewPartnerCallback> = {}): NewPartnerCallback => ({
  partnerId,
  kind: "StartSession",
  version: "2.2.1",
  responseUrl: "https://emsp.example.com/1?secret=x",
  correlationId: "correlation",
  from: { countryCode: "NL", partyId: "CPO" },
  to: { countryCode: "DE", partyId: "ABC" },
  ...more
})

const place = { evseId: 1, connectorId: 1 }
const remoteStart = { _tag: "RemoteStart", tokenUid: "VL123", place } as const

const issue = Effect.fnUntraced(function* (
  { chargerId, organisation }: { readonly chargerId: string; readonly organisation: TestOrganisation },
  callback: NewPartnerCallback,
  command: Parameters<Commands["Service"]["issue"]>[0]["command"] = remoteStart,
  at = noon
) {
  const input = { chargerId, command, parameters: {}, expiresInSeconds: undefined, callback }
  return yield* (yield* Commands).issue(input, organisation.writing(at))
})

type Body = CommandAnswered["body"]

const answer = Effect.fnUntraced(function* (
  { chargerId, organisation }: { readonly chargerId: string; readonly organisation: TestOrganisation },
  commandId: string,
  status: Body["status"] = "Accepted",
  result: Body["result"] = { status },
  type: Body["type"] = "RemoteStart"
) {
  const at = noon + 5000
  const base = { organisationId: organisation.id, chargerId, at, heardAt: at }
  const body = { commandId, type, status, result }
  yield* (yield* Journal).commit([{ ...base, type: "CommandAnswered", key: `command-answered|${commandId}`, body }])
})

/** What is due of these commands at a time after noon, in ms. */
const due = Effect.fnUntraced(function* (
  ids: ReadonlyArray<string>,
  after: number,
  except: ReadonlyArray<string> = []
) {
  const taken = yield* (yield* PartnerCallbacks).take({
    now: noon + after,
    leaseMillis,
    limit: 1000,
    limitPerPartner,
    except
  })
  return taken.filter(({ commandId }) => ids.includes(commandId))
})

forEachDriver("Partner callbacks", ports, (it) => {
  it.effect("are due with all fields once their command has ended, and taken by one process alone", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const { id } = yield* issue(one, callbackOf(one.partner.id, { reference: "R", locationId: "L" }))
      assert.deepStrictEqual(yield* due([id], 1000), [])
      yield* answer(one, id)
      const [found, ...others] = yield* due([id], 6000)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(found, {
        commandId: id,
        about: "Result",
        kind: "StartSession",
        version: "2.2.1",
        tries: 1,
        status: "Accepted",
        organisationId: one.organisation.id,
        partnerId: one.partner.id,
        correlationId: "correlation",
        responseUrl: "https://emsp.example.com/1?secret=x"
      })
      assert.deepStrictEqual([found?.from?.partyId, found?.to?.partyId], ["CPO", "ABC"])
      assert.deepStrictEqual(yield* due([id], 7000), [])
      // The process that took it has died.
      const [again] = yield* due([id], 6000 + leaseMillis)
      assert.strictEqual(again?.tries, 2)
      const callbacks = yield* PartnerCallbacks
      // The first process was late: its report no longer counts.
      yield* callbacks.reported(found!, noon + 40_000)
      assert.strictEqual((yield* due([id], 200_000)).length, 1)
    })
  )

  it.effect("are due when their time is over, even without an answer of the charger", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const { id } = yield* issue(one, callbackOf(one.partner.id))
      assert.deepStrictEqual(yield* due([id], answerSeconds * 1000 - 1), [])
      assert.deepStrictEqual(
        (yield* due([id], answerSeconds * 1000)).map(({ status }) => status),
        ["Pending"]
      )
    })
  )

  it.effect("are retried at the given time, and end when they are sent or given up", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const callbacks = yield* PartnerCallbacks
      const { id } = yield* issue(one, callbackOf(one.partner.id))
      const { id: other } = yield* issue(one, callbackOf(one.partner.id))
      yield* answer(one, id)
      yield* answer(one, other, "Rejected")
      const [first, second] = yield* due([id, other], 6000)
      yield* callbacks.retry(first!, "HTTP 500", noon + 9000)
      yield* callbacks.giveUp(second!, "HTTP 500", noon + 7000)
      assert.deepStrictEqual(yield* due([id, other], 8000), [])
      // A partner in `except` is left out.
      assert.deepStrictEqual(yield* due([id, other], 9000, [one.partner.id]), [])
      const [again, ...none] = yield* due([id, other], 9000)
      assert.deepStrictEqual([again?.commandId, again?.tries, none.length], [id, 2, 0])
      yield* callbacks.reported(again!, noon + 9500)
      assert.deepStrictEqual(yield* due([id, other], 1e9), [])
    })
  )

  it.effect("of one partner are limited in each take", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const ids: Array<string> = []
      for (let i = 0; i < limitPerPartner + 2; i++) {
        const { id } = yield* issue(one, callbackOf(one.partner.id))
        yield* answer(one, id)
        ids.push(id)
      }
      assert.strictEqual((yield* due(ids, 6000)).length, limitPerPartner)
      assert.strictEqual((yield* due(ids, 6001)).length, 2)
    })
  )

  it.effect("are not due when the command failed immediately", () =>
    Effect.gen(function* () {
      const one = yield* world(false)
      const { id, status } = yield* issue(one, callbackOf(one.partner.id, { grant: grantFor(one.partner.id) }))
      assert.strictEqual(status, "Failed")
      assert.deepStrictEqual(yield* due([id], 1e9), [])
    })
  )

  it.effect("allow a card one session, at that charger and within its time", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const directory = yield* ChargerDirectory
      const { chargerId, organisation } = one
      const granted = (more: Partial<Parameters<typeof directory.findToken>[0]> = {}) =>
        Effect.map(
          directory.findToken({
            organisationId: organisation.id,
            tokenUid: "vl123",
            chargerId,
            at: noon + 1000,
            ...more
          }),
          (facts) => facts.granted?.map(({ uid }) => uid) ?? []
        )
      const grant = grantFor(one.partner.id)
      const { id } = yield* issue(one, callbackOf(one.partner.id, { grant }))
      assert.deepStrictEqual(yield* granted(), ["A-very-long-uid-of-an-app-user"])
      assert.deepStrictEqual(yield* granted({ tokenUid: "VL124" }), [])
      assert.deepStrictEqual(yield* granted({ at: grant.expiresAt }), [])
      assert.deepStrictEqual(yield* granted({ at: noon - 3_600_000 }), [])
      const elsewhere = yield* world()
      assert.deepStrictEqual(yield* granted({ chargerId: elsewhere.chargerId }), [])
      assert.deepStrictEqual(yield* granted({ organisationId: elsewhere.organisation.id }), [])
      yield* (yield* Commands).take(chargerId, one.epoch, noon + 1000)
      yield* answer(one, id)
      assert.deepStrictEqual((yield* granted()).length, 1)
      // The session that follows uses it up.
      const seeded = { organisationId: organisation.id } as never
      const transaction = { chargerId, sessionId: freshId(), transactionId: ++made }
      const fact = started(seeded, transaction, { at: noon + 6000, tokenUid: "VL123" })
      yield* (yield* decidedCommit)([{ ...fact, heardAt: noon + 6000 }])
      assert.deepStrictEqual(yield* granted(), [])
      const { id: refused } = yield* issue(
        one,
        callbackOf(one.partner.id, { grant: grantFor(one.partner.id, { idTag: "VL999" }) })
      )
      yield* answer(one, refused, "Rejected")
      assert.deepStrictEqual(yield* granted({ tokenUid: "VL999" }), [])
    })
  )

  it.effect("have their grants of one card listed from the newest, whichever expires last", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const minutes = [120, 20, 60]
      for (const [n, minute] of minutes.entries()) {
        const grant = grantFor(one.partner.id, { authorizationReference: `${n}`, expiresAt: noon + minute * 60_000 })
        yield* issue(one, callbackOf(one.partner.id, { grant }), remoteStart, noon + n)
      }
      const { granted } = yield* (yield* ChargerDirectory).findToken({
        organisationId: one.organisation.id,
        tokenUid: "VL123",
        chargerId: one.chargerId,
        at: noon + 1000
      })
      assert.deepStrictEqual(
        granted?.map(({ authorizationReference }) => authorizationReference),
        ["2", "1", "0"]
      )
    })
  )

  it.effect("number a reservation once for each partner and location, and find those in force", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const other = yield* aPartner(one.organisation)
      const callbacks = yield* PartnerCallbacks
      const organisationId = one.organisation.id
      const number = (partnerId: string, locationId: string, reference: string, fresh: number) =>
        callbacks.reservationNumber(organisationId, { partnerId, locationId, reference }, fresh, noon)
      assert.strictEqual(yield* number(one.partner.id, "L", "R", 11), 11)
      assert.strictEqual(yield* number(one.partner.id, "L", "r", 12), 11)
      assert.strictEqual(yield* number(one.partner.id, "M", "R", 13), 13)
      assert.strictEqual(yield* number(other.id, "L", "R", 14), 14)

      const expiresAt = noon + 3_600_000
      const reserve = { _tag: "ReserveNow", reservationId: 11, place, tokenUid: "A", expiresAt } as const
      const callback = callbackOf(one.partner.id, { kind: "ReserveNow", reference: "R", locationId: "L" })
      const { id } = yield* issue(one, callback, reserve)
      const find = (partnerId: string, more: object = {}, organisation = organisationId) =>
        Effect.map(
          callbacks.reservation(organisation, { partnerId, reference: "r", ...more }, noon + 1000),
          (found) => found?.reservationId
        )
      assert.strictEqual(yield* find(one.partner.id), 11)
      assert.strictEqual(yield* find(one.partner.id, { locationId: "L" }), 11)
      assert.strictEqual(yield* find(one.partner.id, { locationId: "M" }), undefined)
      assert.strictEqual(yield* find(other.id), undefined)
      const stranger = yield* anOrganisation
      assert.strictEqual(yield* find(one.partner.id, {}, stranger.id), undefined)
      yield* answer(one, id, "Rejected", { status: "Occupied" }, "ReserveNow")
      assert.strictEqual(yield* find(one.partner.id), undefined)
    })
  )

  it.effect("are deleted with their partner commands, and with reservation references no longer in use", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const sql = yield* SqlClient.SqlClient
      const callbacks = yield* PartnerCallbacks
      const old = noon - 1e10
      const issued = (now: number) =>
        Effect.gen(function* () {
          const reserve = {
            _tag: "ReserveNow",
            reservationId: ++made + 5000,
            place,
            tokenUid: "A",
            expiresAt: noon + 1e7
          } as const
          const callback = callbackOf(one.partner.id, { kind: "ReserveNow", reference: `R${now}`, locationId: "L" })
          const wanted = { partnerId: one.partner.id, locationId: "L", reference: `R${now}` }
          yield* callbacks.reservationNumber(one.organisation.id, wanted, reserve.reservationId, now)
          const input = {
            chargerId: one.chargerId,
            command: reserve,
            parameters: {},
            expiresInSeconds: undefined,
            callback
          }
          return (yield* (yield* Commands).issue(input, one.organisation.writing(now))).id
        })
      const gone = yield* issued(old)
      const kept = yield* issued(noon)
      assert.strictEqual(yield* forgetCallbacks(sql, old + 1000), 1)
      const left = (table: string) =>
        Effect.map(
          sql<{ id: string }>`SELECT command_id::text AS id FROM ${sql(table)} WHERE command_id IN (${gone}, ${kept})`,
          (rows) => rows.map(({ id }) => id)
        )
      assert.deepStrictEqual([yield* left("partner_command"), yield* left("partner_callback")], [[kept], [kept]])
      const names = yield* sql<{ name: string }>`
        SELECT reference_key AS name FROM partner_reservation WHERE partner_id = ${one.partner.id}`
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        [`r${noon}`]
      )
    })
  )

  it.effect("of a reservation are due again when another caller cancels it, once the first was sent", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const callbacks = yield* PartnerCallbacks
      const expiresAt = noon + 3_600_000
      const reserve = { _tag: "ReserveNow", reservationId: ++made + 1000, place, tokenUid: "A", expiresAt } as const
      const { id } = yield* issue(
        one,
        callbackOf(one.partner.id, { kind: "ReserveNow", reference: "R", locationId: "L" }),
        reserve
      )
      yield* answer(one, id, "Accepted", { status: "Accepted" }, "ReserveNow")
      const cancel = { _tag: "CancelReservation", reservationId: reserve.reservationId } as const
      const input = { chargerId: one.chargerId, command: cancel, parameters: {}, expiresInSeconds: undefined }
      const cancelled = yield* (yield* Commands).issue(input, one.organisation.writing(noon))
      yield* answer(one, cancelled.id, "Accepted", { status: "Accepted" }, "CancelReservation")
      const [first, ...others] = yield* due([id], 6000)
      assert.deepStrictEqual([first?.about, others.length], ["Result", 0])
      yield* callbacks.reported(first!, noon + 6500)
      assert.deepStrictEqual(
        (yield* due([id], 7000)).map(({ about }) => about),
        ["ReservationCancelled"]
      )
    })
  )

  it.effect("report when the next of them may be due, and that none is open", () =>
    Effect.gen(function* () {
      const callbacks = yield* PartnerCallbacks
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE partner_callback SET state = 'Done' WHERE state = 'Open'`
      assert.isUndefined(yield* callbacks.nextDue)
      const one = yield* world()
      const { id } = yield* issue(one, callbackOf(one.partner.id))
      assert.strictEqual(yield* callbacks.nextDue, noon, "its command has not ended, and may at any moment")
      yield* answer(one, id, "Accepted", { status: "Accepted" }, "RemoteStart")
      const [taken] = yield* due([id], 1_000)
      assert.strictEqual(yield* callbacks.nextDue, noon + 1_000 + leaseMillis)
      yield* callbacks.retry(taken!, "away", noon + 5_000)
      assert.strictEqual(yield* callbacks.nextDue, noon + 5_000)
    })
  )
})
