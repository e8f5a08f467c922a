/** Commands in a `FakeWorld`: stored and never sent, so that tests see what was handed over and say themselves what came of it. */
import { Effect, Stream } from "effect"
import type { Command, NewCommand } from "../../src/domain/command/Command.ts"
import type { Conflict, TooMany } from "../../src/domain/Errors.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { type FakeWorld, owned, paged } from "./fakeRecords.ts"

/** What a world knows of commands; tests read and change it directly. */
export interface FakeCommands {
  /** Everything that was handed over to be stored, oldest first. */
  readonly issued: Array<NewCommand>
  readonly stored: Map<string, Command>
  /** Milliseconds that callers have waited for. */
  readonly waited: Array<number>
  /** What a command has become when somebody has waited for it. */
  ending: Partial<Command>
  /** What issuing fails with, while it is set. */
  refusal: Conflict | TooMany | undefined
  /** The number that is given next. */
  number: number
}

const worlds = new WeakMap<FakeWorld, FakeCommands>()

export const commandsOf = (world: FakeWorld): FakeCommands => {
  const known = worlds.get(world) ?? {
    issued: [],
    stored: new Map(),
    waited: [],
    ending: {},
    refusal: undefined,
    number: 7000
  }
  worlds.set(world, known)
  return known
}

const notHere = Effect.die("nobody sends commands in these tests")

export const commands = (world: FakeWorld) => {
  const fake = commandsOf(world)
  const get = (organisationId: string, id: string) =>
    world.ask(() => owned(fake.stored.get(id), organisationId, "command", id))
  return Commands.of({
    issue: (input, { by, now }) =>
      world.write(() =>
        Effect.gen(function* () {
          yield* owned(world.chargers.get(input.chargerId), by.organisationId, "charger", input.chargerId)
          if (fake.refusal !== undefined) return yield* fake.refusal
          const command: Command = {
            id: world.uuid(),
            organisationId: by.organisationId,
            chargerId: input.chargerId,
            type: input.command._tag,
            status: "Pending",
            parameters: input.parameters,
            by: by.actor,
            createdAt: now,
            expiresAt: input.expiresInSeconds === undefined ? undefined : now + input.expiresInSeconds * 1000,
            sentAt: undefined,
            completedAt: undefined,
            result: undefined,
            sessionId: input.sessionId,
            effect: undefined,
            fileId: input.fileId,
            progress: undefined
          }
          fake.issued.push(input)
          fake.stored.set(command.id, command)
          return command
        })
      ),
    get,
    list: (organisationId, page) =>
      world.ask(() => {
        const newestFirst = [...fake.stored.values()].toReversed()
        const places = new Map(newestFirst.map(({ id }, i) => [id, String(i).padStart(6, "0")]))
        return paged(
          newestFirst.filter(
            (one) =>
              one.organisationId === organisationId &&
              (page.chargerId === undefined || one.chargerId === page.chargerId) &&
              (page.status === undefined || one.status === page.status)
          ),
          ({ id }) => places.get(id) ?? "",
          page
        )
      }),
    wait: (organisationId, id, millis) => {
      fake.waited.push(millis)
      return Effect.map(get(organisationId, id), (command) => ({ ...command, ...fake.ending }))
    },
    take: () => notHere,
    waiting: Stream.never,
    takeNumber: world.ask(() => Effect.sync(() => fake.number++))
  })
}
