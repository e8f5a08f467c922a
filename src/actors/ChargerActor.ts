/**
 * A connected charger: one supervised fiber that owns the charger's state. Each message goes from the mailbox through `decide` (pure), commit,
 * `evolve` and answer, by plain function calls where nothing has to be queried. The actor knows neither frames nor SQL. Its decisions are functions
 * of its state, and everything that an answer promises is in the journal before the answer is sent.
 */
import { Effect, Result } from "effect"
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../domain/charger/ChargerEvent.ts"
import { callableFrom, type Tolerances, tolerancesOf } from "../domain/charger/Quirks.ts"
import { refusedTo } from "../domain/decide/Refusing.ts"
import type { ChargerState } from "../domain/charger/ChargerState.ts"
import type {
  Answers,
  CommitOutcome,
  Decision,
  Envelope,
  FollowUp,
  FreshIds,
  Input,
  TransactionRoom
} from "../domain/charger/Decision.ts"
import type { Reply } from "../domain/charger/Reply.ts"
import { StorageUnavailable } from "../domain/Errors.ts"
import type { PartnerAnswer } from "../domain/token/RealTime.ts"
import { usesTransactionId } from "../domain/decide/Orphans.ts"
import { takesReservation } from "../domain/decide/Start.ts"
import type { ChargerLine, ChargerMailbox } from "../domain/charger/ChargerInbox.ts"
import type { CommitResult } from "../domain/charger/Journal.ts"
import type { ConnectionEnd } from "../domain/charger/Presence.ts"
import type { ActorServices } from "./ActorServices.ts"
import { answered } from "./Answering.ts"
import { asUnreadable, type CommandItem, type Deciding, type EventItem, type Item } from "./Items.ts"
import { Mailbox } from "./Mailbox.ts"
import { type CallHost, OutboundCalls } from "./OutboundCalls.ts"
import { CallHold, type HoldHost } from "./CallHold.ts"
import { type CommandHost, CommandWork } from "./CommandWork.ts"
import { type PartnersQuestion, PendingAuthorizations } from "./PendingAuthorizations.ts"

type Act = Extract<Decision, { readonly _tag: "Act" }>

const nothingCommitted: CommitOutcome = { recorded: [], existing: undefined }
const noAnswers: Answers = {}
/** A decision asks at most for a token, a session and an orphan. More questions would be an endless loop. */
const maxQuestions = 3
/** Delay between attempts while the database is unavailable, in ms. */
const retryMillis = 250

export class ChargerActor implements ChargerMailbox, CommandHost, CallHost, HoldHost, FreshIds {
  private readonly mailbox = new Mailbox<Item>()
  /** Created with the first message that needs partners' answers: few chargers send one. */
  private pending: PendingAuthorizations<EventItem> | undefined
  /** Undefined while a commit's outcome is in doubt: it is loaded again before the next decision. */
  private state: ChargerState | undefined
  private paused = false
  private isSettled = false
  readonly work = new CommandWork(this)
  /** When a boot was accepted on this connection. */
  private bootedAt: number | undefined
  private finish: (() => void) | undefined
  /** Why and when the connection ended. It is set once, before the messages that are still in the mailbox are handled. */
  private end: ConnectionEnd | undefined
  readonly epoch: number
  readonly chargerId: string
  readonly organisationId: string
  readonly line: ChargerLine
  readonly services: ActorServices
  readonly calls = new OutboundCalls(this)
  readonly hold = new CallHold(this)
  private readonly connectedAt: number
  /** True once the fiber has ended and the end of its connection is stored, or could not be stored. */
  finished = false
  /** The frame that is being handled. It is logged when a defect ends the actor. */
  current = ""

  constructor(services: ActorServices, state: ChargerState, line: ChargerLine) {
    this.services = services
    this.state = state
    this.epoch = state.epoch
    this.chargerId = state.chargerId
    this.organisationId = state.organisationId
    this.line = line
    this.connectedAt = this.now()
  }

  get transactionId(): number {
    const id = this.services.numbers.peek()
    if (id === undefined) throw new Error("transaction numbers are used up")
    return id
  }

  get transactionRoom(): TransactionRoom {
    return this.services.recording.transactionRoom(this, this.now())
  }

  uuid(): string {
    return this.services.uuid(this.now())
  }

  get heldMillis(): number {
    return callableFrom(this.tolerances, { connectedAt: this.connectedAt, bootedAt: this.bootedAt }) - this.now()
  }

  get callTimeoutMillis(): number {
    return (this.tolerances.callTimeoutSeconds ?? 0) * 1000 || this.services.options.callTimeoutMillis
  }

  now(): number {
    return this.services.clock.currentTimeMillisUnsafe()
  }

  deliver(event: ChargerEvent, envelope: Envelope, respond: (reply: Reply, now: number) => void): void {
    if (this.gone) return
    if (this.mailbox.idle && this.answersAtOnce(event, envelope, respond)) return
    const call = this.services.patience.opened(respond)
    const item: EventItem = { _tag: "Event", event, envelope, call, since: this.now() }
    if (this.mailbox.idle && this.takesAtOnce(item)) return
    this.mailbox.push(item)
    if (!this.paused && this.mailbox.size >= this.services.options.mailboxHigh) {
      this.paused = true
      this.line.pause()
    }
  }

  /** A message that changes nothing and needs no query (a heartbeat) is answered without waking the fiber. */
  private answersAtOnce(
    event: ChargerEvent,
    envelope: Envelope,
    respond: (reply: Reply, now: number) => void
  ): boolean {
    if (event._tag !== "HeartbeatReceived" || this.state === undefined) return false
    const now = this.now()
    const decision = this.services.decide(this.state, { _tag: "Event", event, envelope, answers: noAnswers }, now, this)
    if (decision._tag !== "Act" || decision.facts.length > 0 || decision.followUps.length > 0) return false
    if (decision.reply !== undefined) respond(decision.reply(nothingCommitted), now)
    return true
  }

  /**
   * Decides a message and commits its facts by plain function calls, if the decision needs nothing beyond the state: waking the fiber costs more than
   * all of that. Messages that arrive meanwhile wait in the mailbox. False leaves this message to the fiber.
   */
  private takesAtOnce(item: EventItem): boolean {
    const { state } = this
    const { journal } = this.services
    if (state === undefined || item.partnerAnswers !== undefined) return false
    const now = this.now()
    this.current = item.envelope.raw
    const decision = this.decidesAtOnce(state, item, now)
    if (decision?._tag !== "Act") return false
    const decided = this.accepted(decision, now)
    if (decided.facts.length === 0) {
      this.concludeAtOnce(item, decided, nothingCommitted, state, now)
      return true
    }
    this.mailbox.hold()
    journal.commitThen(decided.facts, (result) => {
      this.mailbox.release()
      if (Result.isFailure(result)) return this.mailbox.give({ ...item, failed: { decided, error: result.failure } })
      this.concludeAtOnce(item, decided, result.success, state, now)
      this.takesWhatWaits()
    })
    return true
  }

  /** Undefined if the fiber must first fetch transaction numbers, or after a defect: the fiber decides again, meets the defect and ends. */
  private decidesAtOnce(state: ChargerState, { envelope, event }: EventItem, now: number): Decision | undefined {
    try {
      return this.services.decide(state, { _tag: "Event", event, envelope, answers: noAnswers }, now, this)
    } catch {
      return undefined
    }
  }

  private concludeAtOnce(
    item: EventItem,
    decided: Act,
    outcome: CommitOutcome,
    state: ChargerState,
    now: number
  ): void {
    try {
      this.conclude(item, decided, outcome, state, now)
    } catch (cause) {
      this.mailbox.give({ _tag: "Died", cause })
    }
  }

  /** Handles the messages that arrived during a commit, by plain function calls too, until one needs the fiber. */
  private takesWhatWaits(): void {
    while (this.mailbox.idle) {
      const item = this.mailbox.poll()
      if (item === undefined) break
      if (item._tag !== "Event" || (item.call.isOpen && !this.takesAtOnce(item))) this.mailbox.give(item)
    }
    this.resumes()
  }

  /** Resumes reading from the socket once at most half of `mailboxHigh` messages wait. */
  private resumes(): void {
    if (!this.paused || this.mailbox.size > this.services.options.mailboxHigh / 2) return
    this.paused = false
    this.line.resume()
  }

  answered(messageId: string, read: (command: ChargerCommand) => CommandResult): boolean {
    return this.calls.answered(messageId, read)
  }

  doubted(): void {
    if (!this.gone) this.mailbox.push({ _tag: "Doubted", since: this.now() })
  }

  closed(reason: string): void {
    this.endedBy(reason)
  }

  /** Ends the connection, unless it has ended before; returns its end. */
  endedBy(reason: string): ConnectionEnd {
    if (this.end !== undefined) return this.end
    this.end = { at: this.now(), reason }
    this.calls.end()
    this.mailbox.push({ _tag: "Closed" })
    return this.end
  }

  /** True once the connection has ended, even if its end is not stored yet. */
  get gone(): boolean {
    return this.end !== undefined
  }

  /** The tolerances for the charger's make; none while its state is in doubt. */
  private get tolerances(): Tolerances {
    return this.state === undefined ? {} : tolerancesOf(this.state, this.state.policy.quirks)
  }

  /** Called when the connection has been open for `settleMillis`. */
  settled(): void {
    this.hold.once(() => this.isUp())
  }

  private isUp(): void {
    if (this.gone) return
    this.isSettled = true
    this.mailbox.push({ _tag: "Settled", since: this.now() })
    if (this.state?.commandsWaiting === true) this.work.wake()
    else this.work.begin()
  }

  /** Call it when the operator has changed the charger's registration, or the organisation its settings. */
  reconsider(): void {
    if (!this.gone) this.mailbox.push({ _tag: "Settled", since: this.now(), anew: true })
  }

  /** True while nothing waits to be answered. */
  get quiet(): boolean {
    return this.mailbox.idle && (this.pending?.idle ?? true)
  }

  /** A command may wait for this charger. */
  wake(): void {
    this.work.wake()
  }

  get mayBeCalled(): boolean {
    return this.isSettled || this.state?.booted === true
  }

  refuses(command: ChargerCommand): CommandResult | undefined {
    return this.state && refusedTo(this.state, command)
  }

  concludes(item: CommandItem): void {
    this.mailbox.push(item)
  }

  /** Waits until the fiber has ended: its last commit is done, and the end of the connection is stored or could not be. */
  get ended(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.finished) return resume(Effect.void)
      const before = this.finish
      this.finish = () => {
        before?.()
        resume(Effect.void)
      }
    })
  }

  /** Marks the actor as finished and resumes the effects that wait for its end. */
  markEnded(): void {
    this.finished = true
    this.work.end()
    this.finish?.()
  }

  /** The actor's life, until its connection has ended. */
  run(): Effect.Effect<void> {
    // Not a generator: the memory that one holds while it waits would be a large part of that of an idle charger.
    return Effect.suspend(() => {
      const item = this.mailbox.poll()
      return item === undefined ? Effect.flatMap(this.mailbox.take, (next) => this.works(next)) : this.works(item)
    })
  }

  private works(item: Item): Effect.Effect<void> {
    if (item._tag === "Died") return Effect.die(item.cause)
    if (item._tag === "Closed") {
      // A start that still waits for partners is stored even though its answer can no longer be sent.
      const left = this.pending?.abandon() ?? []
      return Effect.forEach(left, ([one, partnerAnswers]) => this.handle({ ...one, partnerAnswers }), { discard: true })
    }
    // A message that waited for too long was answered with InternalError, and the charger sends it again, so it is
    // skipped. A failed commit is handled however late: it shows that the state is in doubt.
    const isDue = item._tag !== "Event" || item.call.isOpen || item.failed !== undefined
    return Effect.flatMap(isDue ? this.handle(item) : Effect.void, () => {
      this.resumes()
      return this.run()
    })
  }

  private handle(item: Deciding): Effect.Effect<void> {
    const now = this.now()
    this.current = item._tag === "Event" ? item.envelope.raw : item._tag
    return Effect.catch(this.attempt(item, now, item, item.since + this.services.options.patienceMillis), (error) =>
      Effect.sync(() => {
        if (item._tag === "Event")
          item.call.answer({ _tag: "Refused", reason: "InternalError", description: error.message }, now)
        // Only this actor knows the command's result. It retries until the result is stored, or until the end of the
        // connection ends the command.
        if (item._tag === "CommandAnswered" && item.concluded !== undefined) this.again(item)
      })
    )
  }

  private again(item: CommandItem): void {
    this.services.background(
      Effect.delay(
        Effect.sync(() => {
          if (!this.gone) this.mailbox.push({ ...item, since: this.now() })
        }),
        retryMillis
      )
    )
  }

  /** Decides, commits and answers. `source` is what is decided. It differs from `item` only for a message whose facts could not be stored. */
  private attempt(
    item: Deciding,
    now: number,
    source: Deciding,
    deadline: number
  ): Effect.Effect<void, StorageUnavailable> {
    const actor = this
    return Effect.gen(function* () {
      if (item._tag === "Settled" && item.anew === true) yield* actor.readChoices(deadline)
      for (let tries = 0; ; tries++) {
        const state = actor.state ?? (yield* actor.reload(deadline))
        if (state === undefined) return
        const failed = tries === 0 && source._tag === "Event" ? source.failed : undefined
        const decided = failed?.decided ?? (yield* actor.decideFully(state, source, now, deadline))
        if (decided === undefined) return
        const result = failed === undefined ? yield* actor.commit(decided) : Result.fail(failed.error)
        if (Result.isSuccess(result)) return actor.conclude(item, decided, result.success, state, now)
        const error = result.failure
        if (error._tag === "FactRefused") {
          // Another start took the same reservation meanwhile. Decided again, this start gets a session of its own.
          if (tries < 2 && decided.facts.some(takesReservation)) continue
          const readable = source._tag === "Event" ? asUnreadable(source, error.message) : undefined
          if (readable === undefined) return yield* new StorageUnavailable({ reason: "busy", message: error.message })
          return yield* actor.attempt(item, now, readable, deadline)
        }
        // The commit may have happened: the answer depends on what is stored, so load the state and decide again.
        if (error.reason === "unknown" || error.reason === "down") actor.state = undefined
        if (error.reason !== "unknown" || actor.now() >= deadline) return yield* error
      }
    })
  }

  private commit({ facts }: Act): Effect.Effect<CommitResult> {
    if (facts.length === 0) return Effect.succeed(Result.succeed(nothingCommitted))
    return Effect.callback((resume) =>
      this.services.journal.commitThen(facts, (result) => resume(Effect.succeed(result)))
    )
  }

  private conclude(item: Deciding, decided: Act, outcome: CommitOutcome, state: ChargerState, now: number): void {
    if (decided.facts.length > 0) this.state = this.services.evolve(state, decided.facts, outcome)
    if (decided.facts.some(({ type }) => type === "ChargerBooted") && this.state?.bootedHere === true) {
      this.bootedAt = this.now()
      this.hold.look()
    }
    if (item._tag === "Event" && item.event._tag === "TransactionStarted") this.pending?.forget(item.event.tokenUid)
    if (item._tag === "Event" && decided.reply !== undefined) item.call.answer(decided.reply(outcome), now)
    for (const followUp of decided.followUps) this.followUp(followUp)
    if (item._tag === "CommandAnswered") item.concluded?.()
    if (decided.facts.some(({ type }) => type === "CommandIssued")) this.wake()
  }

  /** Decides, and looks up what the decision asks for. Undefined if the message now waits for partners' answers. */
  private decideFully(
    state: ChargerState,
    item: Deciding,
    now: number,
    deadline: number
  ): Effect.Effect<Act | undefined, StorageUnavailable> {
    const actor = this
    return Effect.gen(function* () {
      let answers: Answers =
        item._tag === "Event" && item.partnerAnswers !== undefined ? { partnerAnswers: item.partnerAnswers } : noAnswers
      for (let asked = 0; asked <= maxQuestions; asked++) {
        const { directory, numbers } = actor.services
        if (numbers.peek() === undefined) yield* actor.patiently(numbers.refill, deadline)
        const input: Input =
          item._tag === "Event" ? { _tag: "Event", event: item.event, envelope: item.envelope, answers } : item
        const decision = actor.services.decide(state, input, now, actor)
        if (decision._tag === "Act") return actor.accepted(decision, now)
        const { question } = decision
        if (question._tag === "AskPartners") {
          const verdicts = item._tag === "Event" ? actor.answersFor(item, question) : []
          if (verdicts === undefined) return undefined
          answers = { ...answers, partnerAnswers: verdicts }
        } else answers = yield* actor.patiently(answered(directory, actor, question, answers), deadline)
      }
      return yield* new StorageUnavailable({ reason: "busy", message: "a decision did not terminate" })
    })
  }

  /** The decision that is carried out: marks its transaction id as used, and drops facts that are over the charger's budget. */
  private accepted(decision: Act, now: number): Act {
    const { background, numbers, recording } = this.services
    if (decision.facts.some(usesTransactionId)) {
      numbers.advance()
      if (numbers.low()) background(Effect.ignore(numbers.refill))
    }
    return recording.within(this.chargerId, decision, now)
  }

  /** Partners' answers about the card of a message; undefined if the message now waits for them. */
  private answersFor(item: EventItem, question: PartnersQuestion): ReadonlyArray<PartnerAnswer> | undefined {
    const { authorizer, background } = this.services
    const { chargerId, organisationId } = this
    const ask = authorizer.partnerAnswers
    const pending = (this.pending ??= new PendingAuthorizations({ chargerId, organisationId, ask, background }))
    const known = pending.known(question, this.now())
    if (known === undefined)
      pending.wait(item, question, (partnerAnswers) => this.mailbox.push({ ...item, partnerAnswers }))
    return known
  }

  /** Loads the current state, retrying while the database is unavailable. Undefined if the charger was removed; its socket is then closed. */
  private reload(deadline: number): Effect.Effect<ChargerState | undefined, StorageUnavailable> {
    return Effect.map(this.patiently(this.services.directory.reload(this.chargerId, this.epoch), deadline), (state) => {
      this.state = state
      if (state === undefined) this.line.close(1008, "this charger is no longer registered")
      return state
    })
  }

  /** Updates what operators can change (policy, registration) in the current state; what the charger reported is in no table. */
  private readChoices(deadline: number): Effect.Effect<void> {
    const { state } = this
    return Effect.match(this.reload(deadline), {
      onFailure: () => void (this.state = undefined),
      onSuccess: (loaded) => {
        this.state = state && loaded && { ...state, policy: loaded.policy, registration: loaded.registration }
      }
    })
  }

  /** Queries at least once, and again until the deadline while the database is unavailable. */
  private patiently<A>(
    question: Effect.Effect<A, StorageUnavailable>,
    deadline: number
  ): Effect.Effect<A, StorageUnavailable> {
    return Effect.catch(question, (error) =>
      this.now() < deadline
        ? Effect.delay(
            Effect.suspend(() => this.patiently(question, deadline)),
            retryMillis
          )
        : Effect.fail(error)
    )
  }

  private followUp({ afterMillis, command }: FollowUp): void {
    const { background } = this.services
    const send = Effect.suspend(() => (this.gone ? Effect.void : this.sendFollowUp(command)))
    background(
      Effect.delay(
        Effect.sync(() => this.hold.once(() => background(send))),
        afterMillis
      )
    )
  }

  private sendFollowUp(command: ChargerCommand): Effect.Effect<void> {
    return Effect.map(this.calls.send(command), (result) => {
      if (!this.gone) this.mailbox.push({ _tag: "CommandAnswered", command, result, since: this.now() })
    })
  }
}
