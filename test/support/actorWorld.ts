/**
 * The environment of charger actors, made of plain values: a directory, a journal whose commits a test can hold back and fail, and sockets that
 * record what they were sent. Time is the test's clock.
 */
import { Effect, Layer, Result, Stream } from "effect"
import { limits } from "../../src/config/Limits.ts"
import { layer as actorsLayer, type ActorsOptions } from "../../src/actors/Actors.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { ChargerState } from "../../src/domain/charger/ChargerState.ts"
import type { CommitOutcome, Decide, Evolve } from "../../src/domain/charger/Decision.ts"
import { evolve } from "../../src/domain/decide/Evolve.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { type FactRefused, StorageUnavailable } from "../../src/domain/Errors.ts"
import type { ChargerFact } from "../../src/domain/charger/Fact.ts"
import {
  ChargerDirectory,
  type ConnectionClosing,
  type ConnectionOpening
} from "../../src/domain/charger/ChargerDirectory.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { ChargerInbox, type ChargerLine, type ChargerMailbox } from "../../src/domain/charger/ChargerInbox.ts"
import { Journal, journalOf } from "../../src/domain/charger/Journal.ts"
import { type ConnectionEnd, Presence } from "../../src/domain/charger/Presence.ts"
import type { RealTimeAuthorizer } from "../../src/domain/token/RealTimeAuthorizer.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import type { ReservationFacts } from "../../src/domain/reservation/Reservation.ts"
import { ModelCommands } from "./modelCommands.ts"
import type { RoamingCard } from "../../src/domain/token/RealTime.ts"
import { silentPartners } from "./silentPartners.ts"

type Failure = StorageUnavailable | FactRefused

/** A socket that records what it was sent. */
export interface FakeLine extends ChargerLine {
  readonly closes: Array<readonly [number, string]>
  readonly calls: Array<readonly [string, ChargerCommand]>
  readonly log: Array<string>
  alive: boolean
}

export const fakeLine = (): FakeLine => {
  const line: FakeLine = {
    closes: [],
    calls: [],
    log: [],
    alive: true,
    call: (id, command) => void line.calls.push([id, command]),
    close: (code, reason) => void line.closes.push([code, reason]),
    pause: () => void line.log.push("pause"),
    resume: () => void line.log.push("resume"),
    answersPing: () => Effect.sync(() => line.alive)
  }
  return line
}

export interface World {
  readonly facts: Array<ChargerFact>
  readonly keys: Set<string>
  readonly closings: Array<ConnectionClosing>
  /** The ends of connections that were reported to the presence in memory. */
  readonly ends: Array<ConnectionEnd & { readonly chargerId: string; readonly epoch: number }>
  /** While set, ends of connections are not stored until the test calls what is pushed here. */
  holdEnds: Array<() => void> | undefined
  readonly epochs: Map<string, number>
  readonly presence: Array<string>
  /** While set, commits wait until the test calls what is pushed here. */
  hold: Array<() => void> | undefined
  /** The errors of the next commits, in order; `stored` says whether the commit happened nevertheless. */
  readonly failures: Array<{ readonly error: Failure; readonly stored: boolean }>
  /** While true, queries to the directory fail, as if the database were unavailable. */
  away: boolean
  /** Chargers that were removed. */
  readonly removed: Set<string>
  reloads: number
  /** The charger's reservations in the answers to token queries, in order; none once the list is empty. */
  readonly reservations: Array<ReadonlyArray<ReservationFacts>>
  /** Partners' cards that are found, whatever uid is queried. */
  cards: ReadonlyArray<RoamingCard>
  readonly commands: ModelCommands
  /** The organisation's policy, where it differs from the default. */
  policy: Partial<ChargerState["policy"]>
}

export const organisationId = "01990000-0000-7000-8000-000000000001"

const freshState = (chargerId: string, epoch: number): ChargerState => ({
  chargerId,
  organisationId,
  epoch,
  connectedAt: 0,
  policy: { unknownTokens: "Accept", concurrentTransactions: "Allow", heartbeatIntervalSeconds: 300 },
  registration: "Accepted",
  booted: true,
  vendor: "V",
  model: "M",
  firmwareVersion: "1",
  connectors: [],
  sessions: [],
  orphans: []
})

const withPolicy = (state: ChargerState, policy: World["policy"]): ChargerState => ({
  ...state,
  policy: { ...state.policy, ...policy }
})

export const makeWorld = (): World => ({
  facts: [],
  keys: new Set(),
  closings: [],
  ends: [],
  holdEnds: undefined,
  epochs: new Map(),
  presence: [],
  hold: undefined,
  failures: [],
  away: false,
  removed: new Set(),
  reloads: 0,
  reservations: [],
  cards: [],
  commands: new ModelCommands(),
  policy: {}
})

/** The state according to the facts stored so far, as a database would return it. */
const stateOf = (world: World, chargerId: string, epoch: number): ChargerState | undefined =>
  world.removed.has(chargerId)
    ? undefined
    : world.facts
        .filter((fact) => fact.chargerId === chargerId)
        .reduce(
          (state, fact) => evolve(state, [fact], { recorded: [true], existing: undefined }),
          withPolicy(freshState(chargerId, epoch), world.policy)
        )

const store = (world: World, facts: ReadonlyArray<ChargerFact>): CommitOutcome => ({
  recorded: facts.map((fact) => {
    if (world.keys.has(fact.key)) return false
    world.keys.add(fact.key)
    world.facts.push(fact)
    if (fact.type === "CommandAnswered") world.commands.answered(fact)
    return true
  }),
  existing: undefined
})

const journal = (world: World) =>
  Layer.succeed(
    Journal,
    journalOf((facts, done) => {
      const commit = () => {
        const failure = world.failures.shift()
        const outcome = failure === undefined || failure.stored ? store(world, facts) : undefined
        done(failure === undefined && outcome !== undefined ? Result.succeed(outcome) : Result.fail(failure!.error))
      }
      if (world.hold === undefined) return queueMicrotask(commit)
      world.hold.push(commit)
    })
  )

const asked = <A>(world: World, answer: () => A): Effect.Effect<A, StorageUnavailable> =>
  Effect.suspend(() =>
    world.away ? Effect.fail(new StorageUnavailable({ reason: "down", message: "away" })) : Effect.sync(answer)
  )

const directory = (world: World) =>
  Layer.succeed(
    ChargerDirectory,
    ChargerDirectory.of({
      credentials: () => Effect.succeed(undefined),
      open: ({ chargerId }) =>
        // A database takes some time, during which other fibers run.
        Effect.andThen(
          Effect.yieldNow,
          asked(world, () => {
            const epoch = (world.epochs.get(chargerId) ?? 0) + 1
            world.epochs.set(chargerId, epoch)
            world.commands.opened(chargerId, epoch)
            const commandsWaiting = world.commands.rows.some(
              (row) => row.chargerId === chargerId && row.status === "Pending"
            )
            const state = stateOf(world, chargerId, epoch)
            return state && { ...state, commandsWaiting }
          })
        ),
      reload: (chargerId, epoch) =>
        asked(world, () => {
          world.reloads++
          return stateOf(world, chargerId, epoch)
        }),
      close: (closing) =>
        Effect.gen(function* () {
          const hold = world.holdEnds
          if (hold !== undefined) yield* Effect.callback<void>((resume) => void hold.push(() => resume(Effect.void)))
          yield* asked(world, () => {
            world.closings.push(closing)
            world.commands.closed(closing.chargerId, closing.epoch)
          })
        }),
      findToken: () =>
        asked(world, () => {
          const reservations = world.reservations.shift() ?? []
          const start = { timeZone: undefined, tariffs: [], remoteStarts: [] }
          return { token: undefined, reservations, roaming: world.cards, openSessions: [], start }
        }),
      findSession: () => asked(world, () => undefined),
      findOrphan: () => asked(world, () => ({ heardAt: 0, readings: [] })),
      takeTransactionNumbers: () => Effect.succeed(1)
    })
  )

const notHere = Effect.die("these tests issue commands into the model")

const commands = (world: World) =>
  Layer.succeed(
    Commands,
    Commands.of({
      issue: () => notHere,
      get: () => notHere,
      list: () => notHere,
      wait: () => notHere,
      take: (chargerId, epoch, now) =>
        Effect.andThen(
          Effect.yieldNow,
          asked(world, () => world.commands.take(chargerId, epoch, now))
        ),
      waiting: Stream.never,
      takeNumber: Effect.succeed(1)
    })
  )

let uuids = 0

const secrets = Layer.succeed(
  Secrets,
  Secrets.of({
    verifier: () => new Uint8Array(),
    verify: () => true,
    seal: (_, text) => text,
    open: (_, text) => text,
    randomBytes: (n) => new Uint8Array(n),
    uuid: () => `01990000-0000-7000-9000-${String(++uuids).padStart(12, "0")}`,
    transactionIdKeys: [1, 2, 3, 4],
    hmacSha1: () => new Uint8Array(20),
    hashPassword: () => Effect.succeed(""),
    verifyPassword: () => Effect.succeed(true),
    matchPassword: () => Effect.succeed(0)
  })
)

const presence = (world: World) =>
  Layer.succeed(
    Presence,
    Presence.of({
      opened: (id) => void world.presence.push(`+${id}`),
      heard: () => {},
      closed: (id, epoch, end) => {
        world.presence.push(`-${id}`)
        world.ends.push({ chargerId: id, epoch, ...end })
      },
      stored: (id) => void world.presence.push(`.${id}`),
      peek: () => undefined
    })
  )

export const actorOptions: ActorsOptions = {
  callTimeoutMillis: 60_000,
  maxWaiting: 10,
  mailboxHigh: 4,
  patienceMillis: 10_000,
  oldSocketPingMillis: 5_000,
  settleMillis: 3_600_000,
  drainPerSecond: 50,
  drainMillis: 15_000,
  recording: limits.recording
}

/** Actors in a world. `decider` replaces the domain's decision, to test the effect of a defect in it. */
export const actorsOn = (
  world: World,
  decider: Decide<ChargerState> = decide,
  evolver: Evolve<ChargerState> = evolve,
  partners: Layer.Layer<RealTimeAuthorizer> = silentPartners
) =>
  actorsLayer(actorOptions, decider, evolver).pipe(
    Layer.provide(Layer.mergeAll(journal(world), directory(world), commands(world), presence(world), secrets, partners))
  )

/** Actors on the journal and directory of the context; everything else is a world's. */
export const actorsOnStorage = (world: World, options: Partial<ActorsOptions> = {}) =>
  actorsLayer({ ...actorOptions, ...options }, decide, evolve).pipe(
    Layer.provide(Layer.mergeAll(commands(world), presence(world), secrets, silentPartners))
  )

export const opening = (chargerId: string, securityProfile: 0 | 1 | 2 | 3 = 1): ConnectionOpening => ({
  chargerId,
  organisationId,
  ocppVersion: "1.6",
  securityProfile,
  remoteAddress: "10.0.0.1",
  at: 0
})

export interface Answered {
  readonly reply: Reply
}

let messages = 0

/** Delivers an event and collects the replies in `answers`. */
export const deliver = (mailbox: ChargerMailbox, event: ChargerEvent, answers: Array<Reply>): void => {
  const messageId = `m${++messages}`
  mailbox.deliver(event, { messageId, raw: `[2,"${messageId}","Event",{}]` }, (reply) => void answers.push(reply))
}

export const start = (meterStartWh: number): ChargerEvent => ({
  _tag: "TransactionStarted",
  place: { evseId: 1, connectorId: 1 },
  tokenUid: "CARD",
  time: { at: Date.UTC(2026, 0, 1), raw: "2026-01-01T00:00:00Z" },
  meterStartWh,
  reservationId: undefined
})

/** Lets every fiber run until it waits. */
export const settle = Effect.forEach(Array.from({ length: 40 }), () => Effect.yieldNow, { discard: true })

/** A charger that is accepted, with its socket and the replies that it gets. */
export const connect = (chargerId: string, profile: 0 | 1 = 1) =>
  Effect.gen(function* () {
    const inbox = yield* ChargerInbox
    const admission = yield* inbox.admit(opening(chargerId, profile))
    if (admission._tag !== "Admitted") return yield* Effect.die(`not admitted: ${admission._tag}`)
    const line = fakeLine()
    return { line, mailbox: admission.attach(line), answers: [] as Array<Reply> }
  })
