/**
 * A charger's actor without fiber and socket, on the real journal and directory: it decides, commits, evolves and answers. Everything that it commits
 * also goes to the model journal, which must have the same outcome.
 */
import { Effect } from "effect"
import type { ChargerCommand, CommandResult } from "../../src/domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { ChargerState, KnownSession } from "../../src/domain/charger/ChargerState.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import type { Answers, CommitOutcome, Decision, Input } from "../../src/domain/charger/Decision.ts"
import { evolve } from "../../src/domain/decide/Evolve.ts"
import { usesTransactionId } from "../../src/domain/decide/Orphans.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { transactionIdOf } from "../../src/domain/values/TransactionId.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { silent } from "../../src/domain/token/RealTime.ts"
import { minute } from "./events.ts"
import type { ModelJournal } from "./modelJournal.ts"

/** Shared by all chargers of a run, since they share the database. */
let numbers = 1
let uuids = 0

const bytesOf = (n: number): Uint8Array => Uint8Array.from([0, 0, 0, 0, 0, 0, n >>> 24, n >>> 16, n >>> 8, n])

export interface Said {
  readonly reply: Reply | undefined
  readonly outcome: CommitOutcome
  /** The outcome of the model journal for the same facts. */
  readonly expected: CommitOutcome
}

const nothing: CommitOutcome = { recorded: [], existing: undefined }

type Act = Extract<Decision, { readonly _tag: "Act" }>
type EventInput = Extract<Input, { readonly _tag: "Event" }>

export class StoredCharger {
  state: ChargerState
  /** Our own clock, ms epoch; it advances by a second with each message. */
  now = minute(0)
  /** The outcome of the next commit is lost: the actor drops its state and decides again. */
  loseNextOutcome = false
  /** Sessions and orphans that were dropped from the state because there were too many: a later load may bring them back. */
  readonly fallen = new Set<string>()
  private messages = 1
  private readonly journal: Journal["Service"]
  private readonly directory: ChargerDirectory["Service"]
  private readonly model: ModelJournal

  private constructor(
    journal: Journal["Service"],
    directory: ChargerDirectory["Service"],
    model: ModelJournal,
    state: ChargerState
  ) {
    this.journal = journal
    this.directory = directory
    this.model = model
    this.state = state
  }

  /** Connects a registered charger. */
  static connect(chargerId: string, organisationId: string, model: ModelJournal) {
    return Effect.gen(function* () {
      const directory = yield* ChargerDirectory
      const state = yield* opened(directory, chargerId, organisationId, minute(0))
      model.chargers.set(chargerId, state)
      return new StoredCharger(yield* Journal, directory, model, state)
    })
  }

  get chargerId(): string {
    return this.state.chargerId
  }

  /** The state as the database has it. */
  get stored() {
    const { chargerId, epoch } = this.state
    return Effect.map(this.directory.reload(chargerId, epoch), (state) => present(state, chargerId))
  }

  /** Drops the state in memory, as an actor does when the outcome of a commit is unknown. */
  get forget() {
    return Effect.map(this.stored, (state) => {
      this.state = state
    })
  }

  /** A new connection: the next epoch, and the stored state. */
  get reconnect() {
    const { chargerId, organisationId } = this.state
    return Effect.map(opened(this.directory, chargerId, organisationId, this.now), (state) => {
      this.state = state
      this.model.chargers.set(chargerId, state)
    })
  }

  private readonly ids = {
    get transactionId() {
      return transactionIdOf(numbers, [1, 2, 3, 4])
    },
    uuid: () => uuid7(this.now, bytesOf(++uuids))
  }

  private answersTo(decision: Extract<Decision, { readonly _tag: "Ask" }>, known: Answers) {
    const { question } = decision
    const { chargerId, organisationId } = this.state
    if (question._tag === "AskPartners")
      return Effect.succeed({ ...known, partnerAnswers: question.partners.map(silent) })
    if (question._tag === "FindOrphan") {
      return Effect.map(this.directory.findOrphan(chargerId, question.orphanId), (orphan) => ({ ...known, orphan }))
    }
    return question._tag === "FindToken"
      ? Effect.map(this.directory.findToken({ ...question, chargerId, organisationId }), (token) => ({
          ...known,
          token
        }))
      : Effect.map(this.directory.findSession(chargerId, question.transactionId), (session) => ({
          ...known,
          session: session ?? null
        }))
  }

  private decided(input: Input): Effect.Effect<Act, unknown> {
    const charger = this
    return Effect.gen(function* () {
      let answers: Answers = {}
      for (let asked = 0; asked < 5; asked++) {
        const asking: Input = input._tag === "Event" ? { ...input, answers } : input
        const decision = decide(charger.state, asking, charger.now, charger.ids)
        if (decision._tag === "Act") return decision
        answers = yield* charger.answersTo(decision, answers)
      }
      return yield* Effect.die(new Error("the decision does not come to an end"))
    })
  }

  private taken(input: Input): Effect.Effect<Said, unknown> {
    const charger = this
    return Effect.gen(function* () {
      const { facts, reply } = yield* charger.decided(input)
      if (facts.some(usesTransactionId)) numbers++
      if (facts.length === 0) return { reply: reply?.(nothing), outcome: nothing, expected: nothing }
      const outcome = yield* charger.journal.commit(facts)
      const expected = charger.model.commit(facts)
      if (charger.loseNextOutcome) {
        charger.loseNextOutcome = false
        yield* charger.forget
        return yield* charger.taken(input)
      }
      charger.evolved(evolve(charger.state, facts, outcome), outcome, facts)
      return { reply: reply?.(outcome), outcome, expected }
    })
  }

  private evolved(next: ChargerState, outcome: CommitOutcome, facts: Act["facts"]): void {
    const matched = facts.map((fact, i) =>
      fact.type === "SessionEnded" && outcome.recorded[i] === true ? fact.body.orphanId : undefined
    )
    const left = new Set([
      ...next.sessions.map(({ sessionId }) => sessionId),
      ...next.orphans.map(({ orphanId }) => orphanId),
      ...matched
    ])
    const before = [
      ...this.state.sessions.filter(({ status }) => status !== "Ended").map(({ sessionId }) => sessionId),
      ...this.state.orphans.map(({ orphanId }) => orphanId)
    ]
    for (const id of before) if (!left.has(id)) this.fallen.add(id)
    this.state = next
  }

  say(event: ChargerEvent, messageId = `message-${this.messages++}`): Effect.Effect<Said, unknown> {
    this.now += 1000
    const raw = `[2,"${messageId}","${event._tag}",${JSON.stringify(event)}]`
    const input: EventInput = { _tag: "Event", event, envelope: { messageId, raw }, answers: {} }
    return this.taken(input)
  }

  /** The charger answers a command. */
  answer(command: ChargerCommand, result: CommandResult): Effect.Effect<Said, unknown> {
    this.now += 1000
    return this.taken({ _tag: "CommandAnswered", command, result })
  }

  /** A session of this charger by its transaction id, as the directory finds it. */
  found(transactionId: number): Effect.Effect<KnownSession | undefined, unknown> {
    return this.directory.findSession(this.chargerId, transactionId)
  }
}

const present = (state: ChargerState | undefined, chargerId: string): ChargerState => {
  if (state === undefined) throw new Error(`${chargerId} is not registered`)
  return state
}

const opened = (directory: ChargerDirectory["Service"], chargerId: string, organisationId: string, at: number) =>
  Effect.map(
    directory.open({
      chargerId,
      organisationId,
      ocppVersion: "1.6",
      securityProfile: 0,
      remoteAddress: "192.0.2.1",
      at
    }),
    (state) => present(state, chargerId)
  )
