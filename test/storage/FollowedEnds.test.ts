/** What follows from the end of a command, for each way in which a command can end. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { CommandAnswered } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { commandPorts, registerCharger } from "../support/commandedCharger.ts"
import { forEachDriver } from "../support/databases.ts"
import { endDue } from "../support/endedCommands.ts"
import { freshId, started } from "../support/journalFacts.ts"
import { anOrganisation, noon, repositories } from "../support/repositories.ts"

const ports = commandPorts({ maxWaiting: 10, chargersPerMinute: 1000 }).pipe(Layer.provideMerge(repositories))

const hour = 3_600_000
let made = 0

const reserveNow: ChargerCommand = {
  _tag: "ReserveNow",
  reservationId: 7,
  place: { evseId: 1, connectorId: 1 },
  tokenUid: "CARD",
  // The sweep that expires commands goes by the real clock.
  expiresAt: Date.now() + 1000 * hour
}

/** A charger, and what can be done with it. */
const world = Effect.gen(function* () {
  const organisation = yield* anOrganisation
  const [commands, directory, journal] = [yield* Commands, yield* ChargerDirectory, yield* Journal]
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const chargerId = `FOLLOWED-${++made}`
  yield* registerCharger(organisation, chargerId)

  const connect = Effect.gen(function* () {
    const opening = { ocppVersion: "1.6", securityProfile: 0 as const, remoteAddress: "192.0.2.7", at: noon }
    return (yield* directory.open({ ...opening, chargerId, organisationId: organisation.id }))!.epoch
  })
  const lose = (epoch: number) =>
    directory.close({ chargerId, organisationId: organisation.id, epoch, at: noon, reason: "gone" })

  const issue = (command: ChargerCommand, expiresInSeconds?: number) =>
    Effect.map(
      commands.issue({ chargerId, command, parameters: {}, expiresInSeconds }, organisation.writing()),
      ({ id }) => id
    )

  const answered = (commandId: string, type: ChargerCommand["_tag"], more: Partial<CommandAnswered["body"]> = {}) => ({
    type: "CommandAnswered" as const,
    key: `command-answered|${commandId}`,
    organisationId: organisation.id,
    chargerId,
    at: noon + 5000,
    heardAt: noon + 5000,
    body: { commandId, type, status: "Accepted" as const, result: { status: "Accepted" }, ...more }
  })

  const reservation = Effect.map(
    sql<{ readonly status: string; readonly reason: string | null }>`
      SELECT status, reason FROM reservation WHERE charger_id = ${chargerId}`,
    (rows) => rows.map(({ reason, status }) => [status, reason])
  )
  return { answered, chargerId, commands, connect, issue, journal, lose, organisation, reservation, sql }
})

forEachDriver("what follows from the end of a command", ports, (it) => {
  it.effect("is stored with the answer, and once", () =>
    Effect.gen(function* () {
      const { answered, connect, issue, journal, reservation, sql } = yield* world
      yield* connect
      const id = yield* issue(reserveNow)
      assert.deepStrictEqual(yield* reservation, [["Pending", null]])
      yield* journal.commit([answered(id, "ReserveNow")])
      assert.deepStrictEqual(yield* reservation, [["Active", null]])
      yield* sql`UPDATE reservation SET status = 'Pending' WHERE command_id = ${id}`
      const again = { ...answered(id, "ReserveNow"), key: `another|${id}` }
      for (const fact of [answered(id, "ReserveNow"), again]) yield* journal.commit([fact])
      assert.deepStrictEqual(yield* reservation, [["Pending", null]], "the command had ended")
    })
  )

  it.effect("is stored for each command of a batch", () =>
    Effect.gen(function* () {
      const worlds = [yield* world, yield* world, yield* world]
      for (const one of worlds) yield* one.connect
      const commits: Array<Effect.Effect<unknown, unknown>> = []
      for (const { answered, issue, journal } of worlds)
        commits.push(journal.commit([answered(yield* issue(reserveNow), "ReserveNow")]))
      yield* Effect.all(commits, { concurrency: "unbounded" })
      for (const { reservation } of worlds) assert.deepStrictEqual(yield* reservation, [["Active", null]])
    })
  )

  it.effect("is visible to the next message of the charger, even in the same batch", () =>
    Effect.gen(function* () {
      const { answered, chargerId, connect, issue, journal, organisation, sql } = yield* world
      yield* connect
      const id = yield* issue(reserveNow)
      const start = started(
        { organisationId: organisation.id, siteId: "" },
        { chargerId, sessionId: freshId(), transactionId: 910_000 + made },
        { at: noon + 6000 }
      )
      const consuming = { ...start, body: { ...start.body, consumes: id } }
      // The two wait together while the first is being written.
      const other = yield* world
      const before = other.answered(yield* other.issue(reserveNow), "ReserveNow")
      const commits = [[before], [answered(id, "ReserveNow")], [consuming]].map((facts) => journal.commit(facts))
      yield* Effect.all(commits, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        yield* sql`SELECT status, accepted_at IS NOT NULL AS accepted FROM reservation WHERE command_id = ${id}`,
        [{ status: "Used", accepted: true }]
      )
    })
  )

  it.effect("is stored where a command fails at once, expires, or loses its connection", () =>
    Effect.gen(function* () {
      const offline = yield* world
      yield* offline.issue(reserveNow)
      assert.deepStrictEqual(yield* offline.reservation, [["Failed", "NotConnected"]])

      const late = yield* world
      yield* late.issue(reserveNow, 1e9)
      yield* endDue(noon + 1e12)
      assert.deepStrictEqual(yield* late.reservation, [["Failed", "Expired"]])

      const lost = yield* world
      const epoch = yield* lost.connect
      yield* lost.issue(reserveNow)
      yield* lost.commands.take(lost.chargerId, epoch, noon)
      yield* lost.lose(epoch)
      assert.deepStrictEqual(yield* lost.reservation, [["Unknown", "ConnectionLost"]])

      const replaced = yield* world
      const first = yield* replaced.connect
      yield* replaced.issue(reserveNow)
      yield* replaced.commands.take(replaced.chargerId, first, noon)
      yield* replaced.connect
      assert.deepStrictEqual(yield* replaced.reservation, [["Unknown", "ConnectionLost"]])
    })
  )

  it.effect("includes an update of the local list", () =>
    Effect.gen(function* () {
      const { answered, chargerId, connect, issue, journal, sql } = yield* world
      const epoch = yield* connect
      const id = yield* issue({ _tag: "GetLocalListVersion" })
      yield* (yield* Commands).take(chargerId, epoch, noon)
      yield* journal.commit([answered(id, "GetLocalListVersion", { result: { listVersion: 3 } })])
      const lists =
        yield* sql`SELECT version, checked_epoch = ${epoch}::float8 AS checked FROM local_list WHERE charger_id = ${chargerId}`
      assert.deepStrictEqual(lists, [{ version: 3, checked: true }])
    })
  )

  it.effect("includes the security profile that a charger may have, until it is refused or used", () =>
    Effect.gen(function* () {
      const { answered, chargerId, commands, connect, issue, journal, sql } = yield* world
      const { open } = yield* ChargerDirectory
      yield* sql`UPDATE charger SET password_verifier = 'x' WHERE charger_id = ${chargerId}`
      const pending = Effect.map(
        sql<{ profile: number }>`
          SELECT security_profile::int AS profile FROM charger_pending WHERE charger_id = ${chargerId} ORDER BY security_profile`,
        (rows) => rows.map(({ profile }) => profile)
      )
      const send = (value: string, epoch: number) =>
        Effect.tap(issue({ _tag: "ChangeConfiguration", key: "SecurityProfile", value }), () =>
          commands.take(chargerId, epoch, noon)
        )
      const epoch = yield* connect
      const first = yield* send("1", epoch)
      assert.deepStrictEqual(yield* pending, [1])
      yield* journal.commit([answered(first, "ChangeConfiguration")])
      const second = yield* send("2", epoch)
      assert.deepStrictEqual(yield* pending, [1, 2])
      const rejected = { status: "Rejected", result: { status: "Rejected" } } as const
      yield* journal.commit([answered(second, "ChangeConfiguration", rejected)])
      assert.deepStrictEqual(yield* pending, [1])
      const [{ organisationId }] = (yield* sql`
        SELECT organisation_id AS "organisationId" FROM charger WHERE charger_id = ${chargerId}`) as [
        { organisationId: string }
      ]
      const settles = { passwordVerifier: undefined, securityProfile: 1 } as const
      const opening = {
        chargerId,
        organisationId,
        ocppVersion: "1.6",
        securityProfile: 1,
        remoteAddress: "192.0.2.7"
      } as const
      yield* open({ ...opening, at: noon + 1, settles })
      assert.deepStrictEqual(yield* pending, [])
      assert.deepStrictEqual(
        yield* sql`
          SELECT c.security_profile::int AS profile, j.body ->> 'securityProfile' AS recorded, j.body ->> 'passwordChanged' AS password
          FROM charger c JOIN journal j ON j.type = 'ChargerSecured' AND j.subject = 'charger:' || c.charger_id WHERE c.charger_id = ${chargerId}`,
        [{ profile: 1, recorded: "1", password: "false" }]
      )
    })
  )
})
