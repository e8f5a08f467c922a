/** Commands in a `FakeWorld`: stored and never sent, so that tests see what was issued and decide the outcome. */
import { Effect, Stream } from "effect"
import type { Command, NewCommand } from "../../src/domain/command/Command.ts"
import type { Conflict, TooMany } from "../../src/domain/Errors.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { type FakeWorld, owned, paged } from "./fakeRecords.ts"

/** The commands of a world; tests read and change it directly. */
export interface FakeCommands {
  /** All commands that were issued, oldest first. */
  readonly issued: Array<NewCommand>
  readonly stored: Map<string, Command>
  /** How long callers waited, in milliseconds. */
  readonly waited: Array<number>
  /** How a command ends when a caller waits for it. */
  ending: Partial<Command>
  /** While set, issuing fails with this. */
  refusal: Conflict | TooMany | undefined
  /** The next number. */
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

const notHere = Effect.die("these tests send no commands")

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
