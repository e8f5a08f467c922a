/** A charger's actor without fiber, socket and database: it decides, commits to the model journal, evolves and answers. */
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { ChargerState } from "../../src/domain/charger/ChargerState.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import type {
  Answers,
  CommitOutcome,
  Decision,
  FollowUp,
  Input,
  TransactionRoom
} from "../../src/domain/charger/Decision.ts"
import { evolve } from "../../src/domain/decide/Evolve.ts"
import { usesTransactionId } from "../../src/domain/decide/Orphans.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import type { ChargerFact } from "../../src/domain/charger/Fact.ts"
import { transactionIdOf } from "../../src/domain/values/TransactionId.ts"
import { silent } from "../../src/domain/token/RealTime.ts"
import { minute, state as registeredState } from "./events.ts"
import { ModelJournal } from "./modelJournal.ts"

/** What the chargers of one service share: its journal and its ids. */
export class ModelService {
  readonly journal = new ModelJournal()
  private numbers = 1
  private uuids = 1

  /** What the budgets allow; it does not change by itself. */
  room: TransactionRoom = "All"

  readonly ids = ((service: ModelService) => ({
    get transactionRoom() {
      return service.room
    },
    get transactionId() {
      return transactionIdOf(service.numbers, [1, 2, 3, 4])
    },
    uuid: () => `uuid-${service.uuids++}`
  }))(this)

  used(facts: ReadonlyArray<ChargerFact>): void {
    if (facts.some(usesTransactionId)) this.numbers++
  }

  charger(parts: Partial<ChargerState> = {}): ModelCharger {
    const registered = registeredState(parts)
    this.journal.chargers.set(registered.chargerId, registered)
    return new ModelCharger(this, registered.chargerId)
  }
}

/** The result of one message. */
export interface Said {
  readonly reply: Reply
  readonly facts: ReadonlyArray<ChargerFact>
  readonly outcome: CommitOutcome
  readonly followUps: ReadonlyArray<FollowUp>
  /** The queries that were needed before the decision. */
  readonly questions: ReadonlyArray<string>
}

const nothing: CommitOutcome = { recorded: [], existing: undefined }

export class ModelCharger {
  state: ChargerState
  /** Our own clock, ms epoch; it advances by a second with each message. */
  now = minute(0)
  /** The outcome of the next commit is lost: the actor drops its state and decides again. */
  loseNextOutcome = false
  private messages = 1
  readonly service: ModelService
  readonly chargerId: string

  constructor(service: ModelService, chargerId: string) {
    this.service = service
    this.chargerId = chargerId
    this.state = service.journal.load(chargerId)
  }

  /** Drops the state in memory, as a crash or a reconnect does. */
  forget(): void {
    this.state = this.service.journal.load(this.chargerId)
  }

  /** A new connection: the next epoch, and the stored state. */
  reconnect(): void {
    const { chargers } = this.service.journal
    const opened = { bootedHere: false, connectedAt: this.now, epoch: this.state.epoch + 1 }
    chargers.set(this.chargerId, { ...this.state, ...opened })
    this.forget()
  }

  private fully(
    input: Extract<Input, { readonly _tag: "Event" }>,
    questions: Array<string>
  ): Extract<Decision, { readonly _tag: "Act" }> {
    let answers: Answers = {}
    while (questions.length < 5) {
      const decision = decide(this.state, { ...input, answers }, this.now, this.service.ids)
      if (decision._tag === "Act") return decision
      const { question } = decision
      questions.push(question._tag)
      if (question._tag === "FindToken") {
        answers = { ...answers, token: this.service.journal.findToken(question.tokenUid) }
      } else if (question._tag === "AskPartners")
        answers = { ...answers, partnerAnswers: question.partners.map(silent) }
      else if (question._tag === "FindOrphan") {
        answers = { ...answers, orphan: this.service.journal.findOrphan(this.chargerId, question.orphanId) }
      } else answers = { ...answers, session: this.service.journal.findSession(this.chargerId, question.transactionId) }
    }
    throw new Error("the decision does not come to an end")
  }

  say(
    event: ChargerEvent,
    messageId = `message-${this.messages++}`,
    raw = `[2,"${messageId}","${event._tag}",${JSON.stringify(event)}]`
  ): Said {
    this.now += 1000
    const input = { _tag: "Event", event, envelope: { messageId, raw }, answers: {} } as const
    const questions: Array<string> = []
    const decision = this.fully(input, questions)
    this.service.used(decision.facts)
    if (decision.facts.length === 0) {
      if (decision.reply === undefined) throw new Error("no answer")
      return { reply: decision.reply(nothing), facts: [], outcome: nothing, followUps: decision.followUps, questions }
    }
    const outcome = this.service.journal.commit(decision.facts)
    if (this.loseNextOutcome) {
      this.loseNextOutcome = false
      this.forget()
      return this.say(event, messageId, raw)
    }
    this.state = evolve(this.state, decision.facts, outcome)
    if (decision.reply === undefined) throw new Error("no answer")
    return { reply: decision.reply(outcome), facts: decision.facts, outcome, followUps: decision.followUps, questions }
  }

  /** Sends a start and returns the transaction id in its answer. */
  start(event: Extract<ChargerEvent, { readonly _tag: "TransactionStarted" }>): number {
    const { reply } = this.say(event)
    if (reply._tag !== "StartAnswered") throw new Error(`a start was answered ${reply._tag}`)
    return reply.transactionId
  }

  /** This charger's sessions, as the journal has them. */
  get sessions() {
    return this.service.journal.sessions.filter(({ start }) => start.chargerId === this.chargerId)
  }

  /** Facts of this charger of one kind. */
  factsOf<T extends ChargerFact["type"]>(type: T): ReadonlyArray<Extract<ChargerFact, { readonly type: T }>> {
    return this.service.journal.facts.filter(
      (fact): fact is Extract<ChargerFact, { readonly type: T }> =>
        fact.type === type && fact.chargerId === this.chargerId
    )
  }
}
