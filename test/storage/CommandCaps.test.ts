/** Limits for commands: waiting for one charger, and to many chargers within a minute. */
import { assert } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { PrometheusMetrics } from "effect/observability"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { NewCommand } from "../../src/domain/command/Command.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { forEachDriver } from "../support/databases.ts"
import { asking, connect, expiresInSeconds, ports, reset, world } from "../support/commandedCharger.ts"
import { failureOf, noon } from "../support/repositories.ts"

forEachDriver("caps of commands", ports, (it) => {
  it.effect("refuses too many commands for one charger, and disruptive ones to too many chargers a minute", () =>
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

  it.effect("refuses commands that would be stored as sent by the same limit", () =>
    Effect.gen(function* () {
      const commands = yield* Commands
      const { chargerId, organisation, register } = yield* world
      const chargers = [chargerId, yield* register(), yield* register()]
      const issued: Array<unknown> = []
      for (const id of chargers) {
        const { epoch } = yield* connect(organisation, id)
        const issue = commands.issue(asking(id, { sentBy: epoch }), organisation.writing())
        issued.push(id === chargers[2] ? yield* failureOf(issue) : (yield* issue).status)
      }
      assert.deepStrictEqual(issued, ["Sent", "Sent", ["TooMany", "command_rate"]])
    })
  )

  it.effect("has one limit for all keys of an organisation, and another for each partner", () =>
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
      // Ten keys may do no more than one key.
      for (const actor of ["key:one", "v1:two", "key:three"]) {
        assert.deepStrictEqual(yield* failureOf(issue(third, actor)), ["TooMany", "command_rate"], actor)
      }
      // Commands of partners and of the service do not count for the operator, nor the operator's for them.
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

  it.effect("counts only chargers with disruptive commands, and reports when another one is allowed", () =>
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
      // The second charger's last command was 20 s ago, so it makes room in 40 s; the first charger's was later.
      assert.deepInclude(refused, { code: "command_rate", retryAfterSeconds: 40 })
      yield* issue(chargerId, 31_000)
      yield* issue(third, 70_000)
    })
  )

  it.effect("counts refusals, and logs a caller that commands too many chargers once a minute", () =>
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
        // Long, since the sweep that expires commands goes by the real clock.
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
})
