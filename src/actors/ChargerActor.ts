/**
 * A connected charger: one supervised fiber that owns its session state. Mailbox → `decide` (pure) → commit → `evolve` → answer, by plain calls where
 * nothing has to be asked. It knows neither frames nor SQL; what it decides is a function of its state, and what it promises is in the journal before the answer leaves.
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
  Input
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

const nothingCommitted: CommitOutcome = { recorded: [], standing: undefined }
const noAnswers: Answers = {}
/** A decision asks at most for a token, a session and a stop that waits; more would be a loop. */
const maxQuestions = 3
/** Between two tries of a question while the database is away. */
const retryMillis = 250

const tooManyQuestions = new StorageUnavailable({ reason: "busy", message: "a decision did not come to an end" })

export class ChargerActor implements ChargerMailbox, CommandHost, CallHost, HoldHost, FreshIds {
  private readonly mailbox = new Mailbox<Item>()
  /** Made with the first message that asks partners: few chargers' messages do. */
  private pending: PendingAuthorizations<EventItem> | undefined
  /** Undefined while a commit's outcome is in doubt: load it again before the next decision. */
  private state: ChargerState | undefined
  private paused = false
  private isSettled = false
  readonly work = new CommandWork(this)
  /** When a boot was accepted on this connection. */
  private bootedAt: number | undefined
  private finish: (() => void) | undefined
  /** Why and when the connection ended. Its one time: what is still in the mailbox is worked off after it. */
  private end: ConnectionEnd | undefined
  readonly epoch: number
  readonly chargerId: string
  readonly organisationId: string
  readonly line: ChargerLine
  readonly services: ActorServices
  readonly calls = new OutboundCalls(this)
  readonly hold = new CallHold(this)
  private readonly connectedAt: number
  /** True once the fiber has ended and its connection's end is stored, or could not be. */
  finished = false
  /** The frame being worked on, for the log when a defect ends the actor. */
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

  /** A message that changes nothing and waits for nothing (a heartbeat) is answered without waking the fiber. */
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
   * Decides a message and commits its facts by plain calls, where it asks for nothing that the state does not hold: waking the fiber costs more than all
   * of that. What comes meanwhile waits in the mailbox. False leaves the message to the fiber.
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

  /** Undefined where the fiber must first fetch transaction numbers, and for a defect, which it meets again and ends by. */
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

  /** What came while a message was being committed: by plain calls too, until something needs the fiber. */
  private takesWhatWaits(): void {
    while (this.mailbox.idle) {
      const item = this.mailbox.poll()
      if (item === undefined) break
      if (item._tag !== "Event" || (item.call.isOpen && !this.takesAtOnce(item))) this.mailbox.give(item)
    }
    this.resumes()
  }

  /** Reads on once half of what had to wait is done. */
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

  /** Ends the connection, unless it has ended before; answers its end. */
  endedBy(reason: string): ConnectionEnd {
    if (this.end !== undefined) return this.end
    this.end = { at: this.now(), reason }
    this.calls.end()
    this.mailbox.push({ _tag: "Closed" })
    return this.end
  }

  /** True once the connection has ended, though its end may not be stored yet. */
  get gone(): boolean {
    return this.end !== undefined
  }

  /** What the charger's make is granted; nothing while its state is in doubt. */
  private get tolerances(): Tolerances {
    return this.state === undefined ? {} : tolerancesOf(this.state, this.state.policy.quirks)
  }

  /** The connection has been up for a while. */
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

  /** The operator has chosen anew whether this charger is accepted, or the organisation what holds for all of them. */
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

  /** Waits until the fiber has ended, its last commit and the connection's end included. */
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

  /** Wakes those that wait for the end. */
  markEnded(): void {
    this.finished = true
    this.work.end()
    this.finish?.()
  }

  /** The actor's life, until its connection has ended. */
  run(): Effect.Effect<void> {
    // No generator: what one keeps while it waits would be a good part of what an idle charger costs.
    return Effect.suspend(() => {
      const item = this.mailbox.poll()
      return item === undefined ? Effect.flatMap(this.mailbox.take, (next) => this.works(next)) : this.works(item)
    })
  }

  private works(item: Item): Effect.Effect<void> {
    if (item._tag === "Died") return Effect.die(item.cause)
    if (item._tag === "Closed") {
      // A start is stored whether or not anybody hears its answer.
      const left = this.pending?.abandon() ?? []
      return Effect.forEach(left, ([one, partnerAnswers]) => this.handle({ ...one, partnerAnswers }), { discard: true })
    }
    // What waited for too long was refused, and the charger sends it again; a commit that failed says that the state is in doubt, however late.
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
        // Only this actor knows what came of the command: it is tried until it is stored, or the connection's end ends the command.
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

  /** Decides, commits and answers; `source` is what is being decided, which differs from `item` for what could not be stored. */
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
          // Another connection's start has taken the reservation's id meanwhile: decided anew, this one has its own.
          if (tries < 2 && decided.facts.some(takesReservation)) continue
          const readable = source._tag === "Event" ? asUnreadable(source, error.message) : undefined
          if (readable === undefined) return yield* new StorageUnavailable({ reason: "busy", message: error.message })
          return yield* actor.attempt(item, now, readable, deadline)
        }
        // The commit may have happened: what is stored decides the answer, so the state is loaded and the message decided again.
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

  /** Asks and decides; undefined where a message waits for partners' answers, with which it comes back. */
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
      return yield* tooManyQuestions
    })
  }

  /** A decision as it is carried out. */
  private accepted(decision: Act, now: number): Act {
    if (decision.facts.some(usesTransactionId)) this.usedTransactionId()
    return this.services.recording.within(this.chargerId, decision, now)
  }

  private usedTransactionId(): void {
    const { background, numbers } = this.services
    numbers.advance()
    if (numbers.low()) background(Effect.ignore(numbers.refill))
  }

  /** Partners' answers on a message's card; undefined where it now waits for them. */
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

  /** The current state, waiting for a database that is away; undefined (and the socket closed) when the charger was removed. */
  private reload(deadline: number): Effect.Effect<ChargerState | undefined, StorageUnavailable> {
    return Effect.map(this.patiently(this.services.directory.reload(this.chargerId, this.epoch), deadline), (state) => {
      this.state = state
      if (state === undefined) this.line.close(1008, "this charger is no longer registered")
      return state
    })
  }

  /** What operators chose, as it is now, in a state that is kept: what the charger reported on this connection is in no table. */
  private readChoices(deadline: number): Effect.Effect<void> {
    const { state } = this
    return Effect.match(this.reload(deadline), {
      onFailure: () => void (this.state = undefined),
      onSuccess: (loaded) => {
        this.state = state && loaded && { ...state, policy: loaded.policy, registration: loaded.registration }
      }
    })
  }

  /** Asks at least once, and again until the deadline while the database is away. */
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
