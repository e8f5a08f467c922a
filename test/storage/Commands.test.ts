import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, References } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { NewCommand } from "../../src/domain/command/Command.ts"
import type { CommandAnswered } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import * as ChargerDirectoryStorage from "../../src/storage/charging/ChargerDirectory.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { endDue } from "../support/endedCommands.ts"
import { freshId, started } from "../support/journalFacts.ts"
import { statementsOf } from "../support/statements.ts"
import {
  anOrganisation,
  factsOf,
  failureOf,
  noon,
  repositories,
  type TestOrganisation
} from "../support/repositories.ts"

const ports = Layer.mergeAll(
  CommandsStorage.layer({ maxWaiting: 3, chargersPerMinute: 2, tls: true, clientCertificates: true }),
  ChargerDirectoryStorage.layer({
    nodeId: "node-1",
    maxBatch: 500,
    maxQueue: 20_000,
    maxCards: 1000,
    maxCardBytes: 1_000_000
  }),
  JournalStorage.layer({ maxBatchFacts: 500, maxWaiting: 1000, patienceMillis: 1000 })
).pipe(Layer.provideMerge(repositories))

const reset: ChargerCommand = { _tag: "Reset", kind: "Soft" }

/** For commands that wait longer than any test: every second, what waited too long by the real clock is ended, and the tests' noon is past. */
const expiresInSeconds = 1e9

const asking = (chargerId: string, more: Partial<NewCommand> = {}): NewCommand => ({
  chargerId,
  command: reset,
  parameters: { resetType: "Soft" },
  expiresInSeconds: undefined,
  ...more
})

/** Ways for a RemoteStart and a RemoteStop to end, and whether what followed may be their doing. */
const answersToRemote = [
  ["Rejected", { status: "Rejected" }, false],
  ["Failed", { errorCode: "InternalError" }, false],
  ["Failed", { errorCode: "ConnectionLost" }, true],
  ["TimedOut", { errorCode: "Timeout" }, true],
  ["Accepted", { status: "Accepted" }, true]
] as const

let made = 0

/** An organisation with a charger of its own. */
const world = Effect.gen(function* () {
  const organisation = yield* anOrganisation
  yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const register = Effect.fnUntraced(function* () {
    const chargerId = `COMMANDED-${++made}`
    const registration = {
      chargerId,
      name: "One",
      siteId: undefined,
      securityProfile: 0,
      passwordVerifier: undefined
    } as const
    yield* (yield* Chargers).register(registration, organisation.writing())
    return chargerId
  })
  return { organisation, register, chargerId: yield* register() }
})

const connect = Effect.fnUntraced(function* (organisation: TestOrganisation, chargerId: string) {
  const state = yield* (yield* ChargerDirectory).open({
    chargerId,
    organisationId: organisation.id,
    ocppVersion: "1.6",
    securityProfile: 0,
    remoteAddress: "192.0.2.7",
    at: noon
  })
  if (state === undefined) return assert.fail("not registered")
  return state
})

const disconnect = Effect.fnUntraced(function* (organisation: TestOrganisation, chargerId: string, epoch: number) {
  yield* (yield* ChargerDirectory).close({
    chargerId,
    organisationId: organisation.id,
    epoch,
    at: noon,
    reason: "gone"
  })
})

const answered = (organisation: TestOrganisation, chargerId: string, commandId: string): CommandAnswered => ({
  type: "CommandAnswered",
  key: `command-answered|${commandId}`,
  organisationId: organisation.id,
  chargerId,
  at: noon + 5000,
  heardAt: noon + 5000,
  body: { commandId, type: "Reset", status: "Accepted", result: { status: "Accepted" } }
})

forEachDriver("Commands", ports, (it) => {
  it.effect("goes from Pending over Sent to what the charger answered, and its facts say so", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const issued = yield* commands.issue(asking(chargerId), organisation.writing())
      assert.strictEqual(issued.status, "Pending")
      const taken = yield* commands.take(chargerId, epoch, noon + 1000)
      assert.deepStrictEqual(taken, { id: issued.id, command: reset })
      assert.strictEqual((yield* commands.get(organisation.id, issued.id)).status, "Sent")
      yield* (yield* Journal).commit([answered(organisation, chargerId, issued.id)])
      const ended = yield* commands.get(organisation.id, issued.id)
      assert.deepInclude(ended, {
        status: "Accepted",
        sentAt: noon + 1000,
        completedAt: noon + 5000,
        by: organisation.principal.actor
      })
      assert.deepStrictEqual(ended.result, { status: "Accepted" })
      const types = (yield* factsOf(organisation)).map(({ type }) => type).filter((type) => type.startsWith("Command"))
      assert.deepStrictEqual(types, ["CommandIssued", "CommandAnswered"])
    })
  )

  it.effect("is waited for without a look by the caller that issued it, also where it has ended before the wait", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const issued = yield* commands.issue(asking(chargerId), organisation.writing())
      yield* commands.take(chargerId, epoch, noon)
      yield* (yield* Journal).commit([answered(organisation, chargerId, issued.id)])
      const since = performance.now()
      const sent = yield* statementsOf(
        Effect.tap(commands.wait(organisation.id, issued.id, 30_000, issued), (ended) =>
          Effect.sync(() => assert.strictEqual(ended.status, "Accepted"))
        )
      )
      assert.strictEqual(sent.length, 1)
      // Without the word it would be looked for after two seconds.
      assert.isBelow(performance.now() - since, 1_500)
    })
  )

  it.effect("fails at once for a charger that is not connected, and waits for it when it may", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const failed = yield* commands.issue(asking(chargerId), organisation.writing())
      assert.deepInclude(failed, { status: "Failed", sentAt: undefined })
      assert.strictEqual(failed.result?.["errorCode"], "NotConnected")
      const waiting = yield* commands.issue(asking(chargerId, { expiresInSeconds }), organisation.writing())
      assert.deepInclude(waiting, { status: "Pending", expiresAt: noon + expiresInSeconds * 1000 })
      const state = yield* connect(organisation, chargerId)
      assert.strictEqual(state.commandsWaiting, true)
      assert.strictEqual((yield* commands.take(chargerId, state.epoch, noon + 1000))?.id, waiting.id)
    })
  )

  it.effect("expires what its charger did not come for in time, and never sends it", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const waiting = yield* commands.issue(asking(chargerId, { expiresInSeconds: 60 }), organisation.writing())
      const { epoch } = yield* connect(organisation, chargerId)
      assert.isUndefined(yield* commands.take(chargerId, epoch, noon + 60_001))
      yield* endDue(noon + 60_001)
      assert.deepInclude(yield* commands.get(organisation.id, waiting.id), { status: "Expired", sentAt: undefined })
    })
  )

  it.effect("ends what a lost connection had sent as failed, and lets what had not been sent go on with the next", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const first = yield* connect(organisation, chargerId)
      const sent = yield* commands.issue(asking(chargerId), organisation.writing())
      const queued = yield* commands.issue(asking(chargerId), organisation.writing())
      const patient = yield* commands.issue(asking(chargerId, { expiresInSeconds }), organisation.writing())
      yield* commands.take(chargerId, first.epoch, noon)
      // Replaced by a newer connection: never without one.
      const second = yield* connect(organisation, chargerId)
      const lost = yield* commands.get(organisation.id, sent.id)
      assert.strictEqual(lost.status, "Failed")
      assert.strictEqual(lost.result?.["errorCode"], "ConnectionLost")
      assert.strictEqual((yield* commands.get(organisation.id, queued.id)).status, "Pending")
      assert.isUndefined(yield* commands.take(chargerId, first.epoch, noon), "the older connection takes nothing")
      yield* disconnect(organisation, chargerId, second.epoch)
      assert.strictEqual((yield* commands.get(organisation.id, queued.id)).result?.["errorCode"], "NotConnected")
      assert.strictEqual((yield* commands.get(organisation.id, patient.id)).status, "Pending")
      // The answer that comes after all changes nothing.
      yield* (yield* Journal).commit([answered(organisation, chargerId, sent.id)])
      assert.strictEqual((yield* commands.get(organisation.id, sent.id)).status, "Failed")
    })
  )

  it.effect("hands out again what was taken by a statement whose answer got lost", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      yield* commands.issue(asking(chargerId), organisation.writing())
      const once = yield* commands.take(chargerId, epoch, noon)
      assert.deepStrictEqual(yield* commands.take(chargerId, epoch, noon + 1), once)
    })
  )

  it.effect("tells a waiting caller as soon as the charger has answered", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const { id } = yield* commands.issue(asking(chargerId), organisation.writing())
      const waiting = yield* Effect.forkChild(commands.wait(organisation.id, id, 60_000))
      yield* commands.take(chargerId, epoch, noon)
      yield* (yield* Journal).commit([answered(organisation, chargerId, id)])
      assert.strictEqual((yield* Fiber.join(waiting)).status, "Accepted")
      assert.strictEqual((yield* commands.wait(organisation.id, id, 0)).status, "Accepted")
    })
  )

  it.effect("refuses too many for one charger, and one caller's harm to too many chargers a minute", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const patient = (id: string) => asking(id, { expiresInSeconds })
      for (let n = 0; n < 3; n++) yield* commands.issue(patient(chargerId), organisation.writing())
      assert.deepStrictEqual(yield* failureOf(commands.issue(patient(chargerId), organisation.writing())), [
        "Conflict",
        "too_many_commands"
      ])
      const [second, third] = [yield* register(), yield* register()]
      yield* commands.issue(patient(second), organisation.writing())
      assert.deepStrictEqual(yield* failureOf(commands.issue(patient(third), organisation.writing())), [
        "TooMany",
        "command_rate"
      ])
      const late = Effect.flip(commands.issue(patient(third), organisation.writing(noon + 58_500)))
      assert.deepInclude(yield* late, { retryAfterSeconds: 2 })
      yield* commands.issue(patient(second), organisation.writing(noon + 1000))
      const question = asking(third, { command: { _tag: "GetConfiguration", keys: [] }, expiresInSeconds })
      yield* commands.issue(question, organisation.writing())
      yield* commands.issue(patient(third), organisation.writing(noon + 61_000))
    })
  )

  it.effect("has one cap for all keys of an operator, and another for each partner", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const [second, third, fourth] = [yield* register(), yield* register(), yield* register()]
      const by = (actor: string, now = noon) => {
        const writing = organisation.writing(now)
        return { ...writing, by: { ...writing.by, actor } }
      }
      const issue = (id: string, actor: string) => commands.issue(asking(id, { expiresInSeconds }), by(actor))
      yield* issue(chargerId, "key:one")
      yield* issue(second, "v1:two")
      // Ten keys have no more than one.
      for (const actor of ["key:one", "v1:two", "key:three"]) {
        assert.deepStrictEqual(yield* failureOf(issue(third, actor)), ["TooMany", "command_rate"], actor)
      }
      // What partners and the service itself do is not the operator's, nor is what he does theirs.
      yield* issue(third, "partner:one")
      yield* issue(fourth, "partner:one")
      assert.deepStrictEqual(yield* failureOf(issue(chargerId, "partner:one")), ["TooMany", "command_rate"])
      yield* issue(chargerId, "partner:two")
      yield* issue(fourth, "platform")
      yield* issue(second, "key:four")
      const other = yield* world
      yield* commands.issue(asking(other.chargerId, { expiresInSeconds }), other.organisation.writing())
      yield* commands.issue(asking(third, { expiresInSeconds }), by("key:three", noon + 61_000))
    })
  )

  it.effect("counts chargers that were commanded, not those that were asked, and says when there is room again", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const [second, third, fourth] = [yield* register(), yield* register(), yield* register()]
      const keys: ChargerCommand = { _tag: "GetConfiguration", keys: [] }
      const issue = (id: string, after: number, command: ChargerCommand = reset) =>
        commands.issue(asking(id, { command, expiresInSeconds: 1e9 }), organisation.writing(noon + after))
      for (const id of [second, third, fourth]) yield* issue(id, 0, keys)
      yield* issue(chargerId, 0)
      yield* issue(second, 10_000)
      yield* issue(chargerId, 20_000)
      const refused = yield* Effect.flip(issue(third, 30_000))
      // The second was commanded last 20 s ago, and leaves room in 40 s; the first one's last command was after that.
      assert.deepInclude(refused, { code: "command_rate", retryAfterSeconds: 40 })
      yield* issue(chargerId, 31_000)
      yield* issue(third, 70_000)
    })
  )

  it.effect("counts what it refuses, and names a caller who commands too many chargers once a minute", () =>
    Effect.gen(function* () {
      const lines: Array<{ readonly message: unknown; readonly annotations: Readonly<Record<string, unknown>> }> = []
      const logger = Logger.make(({ fiber, message }) => {
        lines.push({ message, annotations: fiber.getRef(References.CurrentLogAnnotations) })
      })
      const counted = Effect.gen(function* () {
        const text = yield* PrometheusMetrics.format()
        const of = (reason: string) =>
          Number(
            new RegExp(`^commands_refused_total\\{reason="${reason}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN
          )
        return [of("command_rate"), of("too_many_commands"), of("would_lock_out")]
      })
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const others = [yield* register(), yield* register(), yield* register()]
      const before = yield* counted
      const issue = (id: string, now = noon, more: Partial<NewCommand> = {}) =>
        // Long, since the sweep of what waited for too long goes by the real clock.
        Effect.ignore(commands.issue(asking(id, { expiresInSeconds: 1e9, ...more }), organisation.writing(now))).pipe(
          Effect.provide(Logger.layer([logger]))
        )
      const raise: ChargerCommand = { _tag: "ChangeConfiguration", key: "SecurityProfile", value: "2" }
      for (let n = 0; n < 4; n++) yield* issue(chargerId)
      yield* issue(others[0] ?? "", noon, { command: raise })
      for (const id of others) yield* issue(id)
      for (const id of others) yield* issue(id, noon + 1)
      for (const id of others) yield* issue(id, noon + 59_000)
      const after = yield* counted
      assert.deepStrictEqual(
        after.map((n, i) => n - (before[i] ?? Number.NaN)),
        [6, 1, 1]
      )
      const about = {
        security: "command_rate",
        actor: organisation.principal.actor,
        organisationId: organisation.id,
        chargersPerMinute: 2
      }
      assert.lengthOf(lines, 1)
      assert.deepInclude(lines[0]?.annotations, { ...about, chargerId: others[1], refusedUnsaid: 0 })
      assert.match(String(lines[0]?.message), /^security: /)
      for (const id of others) yield* issue(id, noon + 61_000)
      assert.deepInclude(lines[1]?.annotations, { ...about, chargerId: others[2], refusedUnsaid: 5 })
    })
  )

  it.effect("knows no command of another organisation, and none for another's charger", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const stranger = yield* anOrganisation
      assert.deepStrictEqual(yield* failureOf(commands.issue(asking(chargerId), stranger.writing())), [
        "NotFound",
        "charger"
      ])
      const { id } = yield* commands.issue(asking(chargerId), organisation.writing())
      assert.deepStrictEqual(yield* failureOf(commands.get(stranger.id, id)), ["NotFound", "command"])
      assert.deepStrictEqual((yield* commands.list(stranger.id, { limit: 10 })).items, [])
      assert.strictEqual((yield* commands.list(organisation.id, { limit: 10, chargerId })).items[0]?.id, id)
    })
  )

  it.effect("keeps a new password sealed, and shows it to the charger only", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const sql = yield* SqlClient.SqlClient
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const command: ChargerCommand = {
        _tag: "ChangeConfiguration",
        key: "AuthorizationKey",
        value: "0123456789abcdef0123"
      }
      yield* commands.issue(
        asking(chargerId, { command, parameters: { key: command.key, value: "***" } }),
        organisation.writing()
      )
      const rows = yield* sql`SELECT m::text AS text FROM command m UNION ALL SELECT j.body::text FROM journal j`
      assert.notInclude(JSON.stringify(rows), command.value)
      assert.deepStrictEqual((yield* commands.take(chargerId, epoch, noon))?.command, command)
    })
  )

  it.effect("keeps what opens a location sealed, and shows it to the charger only", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const sql = yield* SqlClient.SqlClient
      const { chargerId, organisation, register } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const other = yield* register()
      const otherEpoch = (yield* connect(organisation, other)).epoch
      const retrieveAt = noon
      const sent = { requestId: 1, retrieveAt, signingCertificate: "c", signature: "s" }
      const asked: ReadonlyArray<readonly [string, number, ChargerCommand]> = [
        [chargerId, epoch, { _tag: "GetDiagnostics", location: "ftp://user:s3cr3t@ftp.example.com/up" }],
        [chargerId, epoch, { _tag: "UpdateFirmware", location: "https://host/files/down/s3cr3t/a.bin", retrieveAt }],
        [
          chargerId,
          epoch,
          { _tag: "GetLog", logType: "SecurityLog", requestId: 1, location: "https://h/u?sig=s3cr3t" }
        ],
        [other, otherEpoch, { _tag: "SignedUpdateFirmware", location: "sftp://user:s3cr3t@host/a.bin", ...sent }]
      ]
      for (const [id, at, command] of asked) {
        const issued = yield* commands.issue(asking(id, { command, parameters: {} }), organisation.writing())
        assert.deepStrictEqual((yield* commands.take(id, at, noon))?.command, command)
        const rows = yield* sql`SELECT m::text AS text FROM command m UNION ALL SELECT j.body::text FROM journal j`
        assert.notInclude(JSON.stringify(rows), "s3cr3t", command._tag)
        yield* sql`UPDATE command SET status = 'Accepted', completed_at = now() WHERE id = ${issued.id}`
      }
    })
  )

  it.effect("knows the session that a RemoteStart was followed by", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const command: ChargerCommand = { _tag: "RemoteStart", tokenUid: "card-1", place: { evseId: 1, connectorId: 1 } }
      const { id } = yield* commands.issue(asking(chargerId, { command }), organisation.writing())
      yield* commands.take(chargerId, epoch, noon)
      const sessionId = `01990000-0000-7000-8000-0000000${String(10_000 + made)}`
      const seeded = { organisationId: organisation.id } as never
      const fact = started(seeded, { chargerId, sessionId, transactionId: 900_000 + made })
      yield* (yield* decidedCommit)([
        {
          ...fact,
          heardAt: noon + 2000,
          body: { ...fact.body, tokenUid: "CARD-1", evseId: 1, connectorId: 1, reservationId: 7 }
        }
      ])
      assert.deepInclude(yield* commands.get(organisation.id, id), { sessionId, effect: "SessionStarted" })
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`SELECT reservation_id FROM session WHERE id = ${sessionId}`
      assert.deepStrictEqual(row, { reservation_id: 7 })
      // A charger that says no has started it for another reason.
      for (const [status, result, known] of answersToRemote) {
        yield* sql`UPDATE command SET status = ${status}, result = ${JSON.stringify(result)}::text::jsonb WHERE id = ${id}`
        const seen = yield* commands.get(organisation.id, id)
        const expected = known ? [sessionId, "SessionStarted"] : [undefined, undefined]
        assert.deepStrictEqual([seen.sessionId, seen.effect], expected, `${status} ${JSON.stringify(result)}`)
      }
    })
  )

  it.effect("knows whether the session of a RemoteStop ended by it", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const sql = yield* SqlClient.SqlClient
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const tx = { chargerId, sessionId: freshId(), transactionId: 910_000 + made }
      const { sessionId, transactionId } = tx
      yield* (yield* Journal).commit([
        started({ organisationId: organisation.id } as never, tx, { at: noon - 600_000 })
      ])
      const command: ChargerCommand = { _tag: "RemoteStop", transactionId }
      const { id } = yield* commands.issue(asking(chargerId, { command, sessionId }), organisation.writing())
      yield* commands.take(chargerId, epoch, noon)
      const effect = Effect.map(commands.get(organisation.id, id), (seen) => {
        assert.strictEqual(seen.sessionId, sessionId)
        return seen.effect
      })
      const answered = (status: string, result: object) =>
        sql`UPDATE command SET status = ${status}, result = ${JSON.stringify(result)}::text::jsonb WHERE id = ${id}`
      const ended = (at: number, heardAt: number, superseded = false) =>
        sql`UPDATE session SET ended_at = ${new Date(at)}, updated_at = ${new Date(heardAt)}, superseded = ${superseded}
          WHERE id = ${sessionId}`
      yield* answered("Accepted", { status: "Accepted" })
      assert.isUndefined(yield* effect, "it goes on")
      yield* ended(noon + 5000, noon + 5000, true)
      assert.isUndefined(yield* effect, "superseded by a later start")
      yield* ended(noon - 300_000, noon + 5000)
      assert.isUndefined(yield* effect, "ended before, heard of later")
      yield* ended(noon - 400, noon + 5000)
      assert.strictEqual(yield* effect, "SessionEnded", "whole seconds")
      for (const [status, result, known] of answersToRemote) {
        yield* answered(status, result)
        assert.strictEqual(yield* effect, known ? "SessionEnded" : undefined, `${status} ${JSON.stringify(result)}`)
      }
      // A clock that is hours behind told the start's time wrongly too.
      yield* answered("Accepted", { status: "Accepted" })
      yield* sql`UPDATE session SET started_at = started_at - interval '3 hours' WHERE id = ${sessionId}`
      yield* ended(noon - 3 * 3_600_000, noon + 5000)
      assert.strictEqual(yield* effect, "SessionEnded")
      yield* ended(noon - 3 * 3_600_000, noon - 5000)
      assert.isUndefined(yield* effect, "heard of before")
    })
  )
})
