/**
 * A password that is changed by command: which passwords are accepted after every outcome, whichever of them the charger really has.
 * Whatever the outcome of the command, one of them is always accepted.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { CommandAnswered } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { commandPorts } from "../support/commandedCharger.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, factsOf, noon, repositories } from "../support/repositories.ts"

const ports = commandPorts({ maxWaiting: 10, chargersPerMinute: 1000 }).pipe(Layer.provideMerge(repositories))

const first = "first-password-1"
const second = "second-password2"
const third = "third-password-3"
let made = 0

/** A charger on profile 1 with the first password, and what can be done with it. */
const world = Effect.gen(function* () {
  const organisation = yield* anOrganisation
  const [commands, directory, journal, secrets] = [
    yield* Commands,
    yield* ChargerDirectory,
    yield* Journal,
    yield* Secrets
  ]
  yield* (yield* Sites).create({ name: "Site" } as never, organisation.writing())
  const chargerId = `ROTATED-${++made}`
  const verifierOf = (password: string) => secrets.verifier("charger-password", password)
  const registration = { chargerId, name: "One", siteId: undefined, securityProfile: 1 } as const
  yield* (yield* Chargers).register({ ...registration, passwordVerifier: verifierOf(first) }, organisation.writing())
  let at = noon

  const taken = Effect.gen(function* () {
    const known = (yield* directory.credentials(chargerId))!
    const verifiers = [known, ...known.pending].flatMap(({ passwordVerifier }) => passwordVerifier ?? [])
    return [first, second, third].filter((one) =>
      verifiers.some((verifier) => Buffer.from(verifier).equals(Buffer.from(verifierOf(one))))
    )
  })

  /** Connects as a charger that has this password would; undefined when it is refused. */
  const connect = Effect.fnUntraced(function* (password: string) {
    if (!(yield* taken).includes(password)) return undefined
    const known = (yield* directory.credentials(chargerId))!
    const settles = { passwordVerifier: verifierOf(password), securityProfile: undefined }
    return yield* directory.open({
      chargerId,
      organisationId: organisation.id,
      ocppVersion: "1.6",
      securityProfile: 1,
      remoteAddress: "192.0.2.7",
      at: ++at,
      ...(known.pending.length > 0 ? { settles } : {})
    })
  })

  const send = Effect.fnUntraced(function* (password: string, epoch: number) {
    const command = { _tag: "ChangeConfiguration", key: "authorizationKEY", value: password } as const
    const input = { chargerId, command, parameters: {}, expiresInSeconds: undefined }
    const { id } = yield* commands.issue(input, organisation.writing())
    yield* commands.take(chargerId, epoch, ++at)
    return id
  })

  const answer = (commandId: string, status: CommandAnswered["body"]["status"], result: Record<string, unknown>) =>
    journal.commit([
      {
        type: "CommandAnswered",
        key: `command-answered|${commandId}`,
        organisationId: organisation.id,
        chargerId,
        at: ++at,
        heardAt: at,
        body: { commandId, type: "ChangeConfiguration", status, result }
      }
    ])

  const lose = (epoch: number) =>
    directory.close({ chargerId, organisationId: organisation.id, epoch, at: ++at, reason: "gone" })

  return { answer, connect, lose, organisation, send, taken }
})

const outcomes = [
  ["Accepted", { status: "Accepted" }, [second]],
  ["Accepted", { status: "RebootRequired" }, [first, second]],
  ["Rejected", { status: "Rejected" }, [first]],
  ["Rejected", { status: "NotSupported" }, [first]],
  ["TimedOut", { errorCode: "Timeout" }, [first, second]],
  ["Failed", { errorCode: "UnreadableAnswer" }, [first, second]],
  ["Failed", { errorCode: "TooManyCommands" }, [first]]
] as const

forEachDriver("Password rotation", ports, (it) => {
  for (const [status, result, expected] of outcomes) {
    it.effect(`after ${status} ${JSON.stringify(result)} accepts ${expected.join(" and ")}`, () =>
      Effect.gen(function* () {
        const { answer, connect, send, taken } = yield* world
        const { epoch } = (yield* connect(first))!
        const id = yield* send(second, epoch)
        assert.deepStrictEqual(yield* taken, [first, second], "while its answer is awaited")
        yield* answer(id, status, result)
        assert.deepStrictEqual(yield* taken, [...expected])
      })
    )
  }

  it.effect("accepts both after the connection was lost until the new one is used, and then that one alone", () =>
    Effect.gen(function* () {
      const { connect, lose, organisation, send, taken } = yield* world
      const { epoch } = (yield* connect(first))!
      yield* send(second, epoch)
      yield* lose(epoch)
      assert.deepStrictEqual(yield* taken, [first, second])
      assert.isDefined(yield* connect(second))
      assert.deepStrictEqual(yield* taken, [second])
      assert.isUndefined(yield* connect(first))
      const facts = JSON.stringify(yield* factsOf(organisation))
      for (const secret of [first, second]) assert.notInclude(facts, secret)
    })
  )

  it.effect("accepts a charger that reconnects with the new password before its answer arrives", () =>
    Effect.gen(function* () {
      const { connect, send, taken } = yield* world
      const { epoch } = (yield* connect(first))!
      yield* send(second, epoch)
      assert.isDefined(yield* connect(second))
      assert.include(yield* taken, second)
    })
  )

  it.effect("waits for the required reboot, even if the charger connects with the old password before it", () =>
    Effect.gen(function* () {
      const { answer, connect, send, taken } = yield* world
      const { epoch } = (yield* connect(first))!
      yield* answer(yield* send(second, epoch), "Accepted", { status: "RebootRequired" })
      assert.isDefined(yield* connect(first))
      assert.isDefined(yield* connect(second))
      assert.deepStrictEqual(yield* taken, [second])
    })
  )

  it.effect("accepts all three after two rotations without an answer", () =>
    Effect.gen(function* () {
      const { answer, connect, send, taken } = yield* world
      const { epoch } = (yield* connect(first))!
      yield* answer(yield* send(second, epoch), "TimedOut", { errorCode: "Timeout" })
      yield* answer(yield* send(third, epoch), "TimedOut", { errorCode: "Timeout" })
      assert.deepStrictEqual(yield* taken, [first, second, third])
      assert.isDefined(yield* connect(third))
      assert.deepStrictEqual(yield* taken, [third])
    })
  )

  it.effect("keeps an unconfirmed password when a later one is rejected", () =>
    Effect.gen(function* () {
      const { answer, connect, send, taken } = yield* world
      const { epoch } = (yield* connect(first))!
      yield* answer(yield* send(second, epoch), "TimedOut", { errorCode: "Timeout" })
      yield* answer(yield* send(third, epoch), "Rejected", { status: "Rejected" })
      assert.deepStrictEqual(yield* taken, [first, second])
    })
  )
})
