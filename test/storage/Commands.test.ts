import { assert } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { Command, NewCommand } from "../../src/domain/command/Command.ts"
import type { CommandAnswered } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { commandWaitingChannel, Notifications } from "../../src/storage/kernel/Notifications.ts"
import { forEachDriver } from "../support/databases.ts"
import { asking, connect, expiresInSeconds, ports, reset, world } from "../support/commandedCharger.ts"
import { decidedCommit } from "../support/decidedStart.ts"
import { endDue } from "../support/endedCommands.ts"
import { freshId, started } from "../support/journalFacts.ts"
import { statementsOf } from "../support/statements.ts"
import { anOrganisation, factsOf, failureOf, noon, type TestOrganisation } from "../support/repositories.ts"

/** How a RemoteStart or RemoteStop can end, and whether it may have caused what followed. */
const answersToRemote = [
  ["Rejected", { status: "Rejected" }, false],
  ["Failed", { errorCode: "InternalError" }, false],
  ["Failed", { errorCode: "ConnectionLost" }, true],
  ["TimedOut", { errorCode: "Timeout" }, true],
  ["Accepted", { status: "Accepted" }, true]
] as const

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
  it.effect("takes a command from Pending through Sent to the charger's answer, and records facts", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const issued = yield* commands.issue(asking(chargerId), organisation.writing())
      assert.strictEqual(issued.status, "Pending")
      const taken = yield* commands.take(chargerId, epoch, noon + 1000)
      assert.deepStrictEqual(taken, { id: issued.id, command: reset, hasNext: false })
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

  it.effect("takes commands in order, but those that a driver waits for before commands of the platform itself", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const writing = organisation.writing()
      const platform = { ...writing, by: { ...writing.by, actor: "platform" } }
      const unlock: ChargerCommand = { _tag: "UnlockConnector", place: { evseId: 1, connectorId: 1 } }
      const clear: ChargerCommand = { _tag: "ClearCache" }
      const issue = (command: ChargerCommand, audit = writing) =>
        Effect.map(commands.issue(asking(chargerId, { command }), audit), ({ id }) => id)
      const taken = Effect.gen(function* () {
        const ids: Array<string | undefined> = []
        for (let n = 0; n < 3; n++) {
          const next = yield* commands.take(chargerId, epoch, noon)
          ids.push(next?.id)
          yield* (yield* Journal).commit([answered(organisation, chargerId, next?.id ?? "")])
        }
        return ids
      })
      const own = [yield* issue(clear, platform), yield* issue(reset, platform)]
      const urgent = yield* issue(unlock)
      assert.deepStrictEqual(yield* taken, [urgent, ...own])
      // The last one may depend on the one before it.
      const inOrder = [yield* issue(clear, platform), yield* issue(clear), yield* issue(unlock)]
      assert.deepStrictEqual(yield* taken, inOrder)
    })
  )

  it.effect("reads a command once for a waiting caller that issued it, even if it ended before the wait", () =>
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
      // Without the notification it would be looked up after two seconds.
      assert.isBelow(performance.now() - since, 1_500)
    })
  )

  it.effect("stores a command as Sent with one statement when the actor of the open connection can send it", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const file = { _tag: "GetDiagnostics", location: "ftp://user:s3cr3t@ftp.example.com/up" } as const
      const issue = (more: Partial<NewCommand>) =>
        commands.issue(asking(chargerId, { sentBy: epoch, ...more }), organisation.writing())
      let command: Command | undefined
      const statements = yield* statementsOf(Effect.tap(issue({}), (one) => Effect.sync(() => void (command = one))))
      assert.strictEqual(statements.length, 1)
      assert.deepInclude(command, { status: "Sent", sentAt: noon, createdAt: noon, parameters: { resetType: "Soft" } })
      const issued = command!
      assert.deepStrictEqual(yield* commands.get(organisation.id, issued.id), issued)
      // Its actor may not know that it was stored: then it is handed out, once.
      assert.strictEqual((yield* commands.take(chargerId, epoch, noon))?.id, issued.id)
      const waiting = yield* Effect.forkChild(commands.wait(organisation.id, issued.id, 30_000, issued))
      yield* (yield* Journal).commit([answered(organisation, chargerId, issued.id)])
      const ended = yield* Fiber.join(waiting)
      assert.deepInclude(ended, { status: "Accepted", completedAt: noon + 5000, result: { status: "Accepted" } })
      assert.deepStrictEqual(yield* commands.get(organisation.id, issued.id), ended)
      const types = (yield* factsOf(organisation)).map(({ type }) => type).filter((type) => type.startsWith("Command"))
      assert.deepStrictEqual(types, ["CommandIssued", "CommandAnswered"])
      assert.strictEqual((yield* issue({ command: file })).status, "Sent")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT m::text AS text FROM command m UNION ALL SELECT j.body::text FROM journal j`
      assert.notInclude(JSON.stringify(rows), "s3cr3t")
      assert.deepStrictEqual((yield* commands.take(chargerId, epoch, noon))?.command, file)
    })
  )

  it.effect("stores a command as Pending behind another, after a reconnection, and when more is stored with it", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const [busy, moved, reserved, gone] = [yield* register(), yield* register(), yield* register(), yield* register()]
      // Each in a minute of its own, so that the limit of chargers a minute is not reached.
      let at = noon
      const issue = (id: string, sentBy: number, command = reset) =>
        Effect.map(
          Effect.suspend(() => commands.issue(asking(id, { sentBy, command }), organisation.writing((at += 61_000)))),
          ({ status }) => status
        )
      const change: ChargerCommand = { _tag: "ChangeConfiguration", key: "Some", value: "1" }
      assert.strictEqual(yield* issue(chargerId, epoch, change), "Pending")
      const free = (yield* connect(organisation, busy)).epoch
      const clear: ChargerCommand = { _tag: "ClearCache" }
      assert.deepStrictEqual([yield* issue(busy, free, clear), yield* issue(busy, free, clear)], ["Sent", "Pending"])
      const before = (yield* connect(organisation, moved)).epoch
      // Its time was over before it could be stored.
      const late = { sentBy: before, command: { _tag: "GetConfiguration", keys: [] } as const, expiresInSeconds: 1 }
      assert.strictEqual((yield* commands.issue(asking(moved, late), organisation.writing())).status, "Pending")
      yield* endDue(noon + 1_001)
      yield* connect(organisation, moved)
      assert.strictEqual(yield* issue(moved, before, { _tag: "GetConfiguration", keys: [] }), "Pending")
      const reserve: ChargerCommand = {
        _tag: "ReserveNow",
        place: { evseId: 1, connectorId: 1 },
        expiresAt: noon + 3_600_000,
        tokenUid: "card-1",
        reservationId: 7
      }
      assert.strictEqual(yield* issue(reserved, (yield* connect(organisation, reserved)).epoch, reserve), "Pending")
      const last = (yield* connect(organisation, gone)).epoch
      yield* disconnect(organisation, gone, last)
      assert.strictEqual(yield* issue(gone, last, { _tag: "GetConfiguration", keys: [] }), "Failed")
      const stranger = yield* anOrganisation
      assert.deepStrictEqual(
        yield* failureOf(commands.issue(asking(chargerId, { sentBy: epoch }), stranger.writing())),
        ["NotFound", "charger"]
      )
    })
  )

  it.effect("looks a command up for a late caller when its answer is too long to be kept in memory", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const issued = yield* commands.issue(asking(chargerId, { sentBy: epoch }), organisation.writing())
      const answer = answered(organisation, chargerId, issued.id)
      const result = { status: "Accepted", data: "x".repeat(5_000) }
      yield* (yield* Journal).commit([{ ...answer, body: { ...answer.body, result } }])
      const sent = yield* statementsOf(
        Effect.tap(commands.wait(organisation.id, issued.id, 30_000, issued), (ended) =>
          Effect.sync(() => assert.deepStrictEqual(ended.result, result))
        )
      )
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("reports with each command taken whether another one is waiting", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const clear: ChargerCommand = { _tag: "ClearCache" }
      const issue = (command: ChargerCommand) => commands.issue(asking(chargerId, { command }), organisation.writing())
      // One that carries credentials is taken in a transaction of its own.
      const change: ChargerCommand = { _tag: "ChangeConfiguration", key: "Some", value: "1" }
      const ids = [yield* issue(reset), yield* issue(change), yield* issue(clear)].map(({ id }) => id)
      const taken: Array<readonly [string | undefined, boolean]> = []
      for (const id of ids) {
        const one = yield* commands.take(chargerId, epoch, noon)
        if (one !== undefined) taken.push([one.id, one.hasNext])
        yield* (yield* Journal).commit([answered(organisation, chargerId, id)])
      }
      assert.deepStrictEqual(taken, [
        [ids[0], true],
        [ids[1], true],
        [ids[2], false]
      ])
    })
  )

  it.effect("lists connected chargers with a waiting command after notifications may have been missed", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const [offline, unasked] = [yield* register(), yield* register()]
      for (const id of [chargerId, unasked]) yield* connect(organisation, id)
      for (const id of [chargerId, offline]) {
        yield* commands.issue(asking(id, { expiresInSeconds }), organisation.writing())
      }
      const notifications = yield* Notifications
      const named = yield* Effect.forkChild(
        commands.waiting.pipe(
          Stream.filter((id) => [chargerId, offline, unasked].includes(id)),
          Stream.take(2),
          Stream.runCollect
        )
      )
      // Each empty notification lists it once; the stream begins to listen after a moment.
      for (let tries = 0; tries < 100 && named.pollUnsafe() === undefined; tries++) {
        yield* notifications.ring(commandWaitingChannel)
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 60)))
      }
      assert.deepStrictEqual([...(yield* Fiber.join(named))], [chargerId, chargerId])
    })
  )

  it.effect("fails a command for a charger that is not connected, unless the command may wait", () =>
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

  it.effect("expires a command that was not sent in time, and never sends it", () =>
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

  it.effect("fails commands that were sent on a lost connection, and keeps unsent ones for the next connection", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const first = yield* connect(organisation, chargerId)
      const sent = yield* commands.issue(asking(chargerId), organisation.writing())
      const queued = yield* commands.issue(asking(chargerId), organisation.writing())
      const patient = yield* commands.issue(asking(chargerId, { expiresInSeconds }), organisation.writing())
      yield* commands.take(chargerId, first.epoch, noon)
      // Replaced by a newer connection, so the charger was never offline.
      const second = yield* connect(organisation, chargerId)
      const lost = yield* commands.get(organisation.id, sent.id)
      assert.strictEqual(lost.status, "Failed")
      assert.strictEqual(lost.result?.["errorCode"], "ConnectionLost")
      assert.strictEqual((yield* commands.get(organisation.id, queued.id)).status, "Pending")
      assert.isUndefined(yield* commands.take(chargerId, first.epoch, noon), "the older connection takes nothing")
      yield* disconnect(organisation, chargerId, second.epoch)
      assert.strictEqual((yield* commands.get(organisation.id, queued.id)).result?.["errorCode"], "NotConnected")
      assert.strictEqual((yield* commands.get(organisation.id, patient.id)).status, "Pending")
      // An answer that arrives after all changes nothing.
      yield* (yield* Journal).commit([answered(organisation, chargerId, sent.id)])
      assert.strictEqual((yield* commands.get(organisation.id, sent.id)).status, "Failed")
    })
  )

  it.effect("hands out a command again when the result of the first take was lost", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      yield* commands.issue(asking(chargerId), organisation.writing())
      const once = yield* commands.take(chargerId, epoch, noon)
      assert.deepStrictEqual(yield* commands.take(chargerId, epoch, noon + 1), once)
    })
  )

  it.effect("answers a waiting caller as soon as the charger has answered", () =>
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

  it.effect("hides commands from other organisations, and refuses theirs for the charger", () =>
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

  it.effect("keeps the credentials in a location sealed, and shows them to the charger only", () =>
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

  it.effect("finds the session that followed a RemoteStart, unless the charger refused the command", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const command: ChargerCommand = { _tag: "RemoteStart", tokenUid: "card-1", place: { evseId: 1, connectorId: 1 } }
      const { id } = yield* commands.issue(asking(chargerId, { command }), organisation.writing())
      yield* commands.take(chargerId, epoch, noon)
      const sessionId = freshId()
      const seeded = { organisationId: organisation.id } as never
      const fact = started(seeded, { chargerId, sessionId, transactionId: 900_001 })
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
      // A charger that refused has started it for another reason.
      for (const [status, result, known] of answersToRemote) {
        yield* sql`UPDATE command SET status = ${status}, result = ${JSON.stringify(result)}::text::jsonb WHERE id = ${id}`
        const seen = yield* commands.get(organisation.id, id)
        const expected = known ? [sessionId, "SessionStarted"] : [undefined, undefined]
        assert.deepStrictEqual([seen.sessionId, seen.effect], expected, `${status} ${JSON.stringify(result)}`)
      }
    })
  )

  it.effect("finds out whether a RemoteStop ended its session", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const sql = yield* SqlClient.SqlClient
      const { chargerId, organisation } = yield* world
      const { epoch } = yield* connect(organisation, chargerId)
      const tx = { chargerId, sessionId: freshId(), transactionId: 910_001 }
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
      // A clock that is hours behind gave a wrong time for the start too.
      yield* answered("Accepted", { status: "Accepted" })
      yield* sql`UPDATE session SET started_at = started_at - interval '3 hours' WHERE id = ${sessionId}`
      yield* ended(noon - 3 * 3_600_000, noon + 5000)
      assert.strictEqual(yield* effect, "SessionEnded")
      yield* ended(noon - 3 * 3_600_000, noon - 5000)
      assert.isUndefined(yield* effect, "heard of before")
    })
  )
})
