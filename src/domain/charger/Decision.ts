/**
 * The input and output of `decide`, the pure function that a charger's actor calls. `decide` never waits. If it needs data from elsewhere, it
 * returns a `Question`, and the actor calls it again with the same event and the answer.
 */
import type { ChargerFact } from "./Fact.ts"
import type { Reading } from "./MeterValue.ts"
import type { AskedPartner, PartnerAnswer } from "../token/RealTime.ts"
import type { TokenFacts } from "../token/Token.ts"
import type { AssignedTariff } from "../tariff/Choice.ts"
import type { Place } from "../site/Connector.ts"
import type { ChargerCommand, CommandResult } from "../command/ChargerCommand.ts"
import type { UnfollowedStart } from "../command/Following.ts"
import type { ChargerEvent } from "./ChargerEvent.ts"
import type { KnownSession } from "./ChargerState.ts"
import type { Reply } from "./Reply.ts"

/** Where a message came from, as far as business keys need it. */
export interface Envelope {
  readonly messageId: string
  /** The frame's text; stored with messages that cannot be interpreted. */
  readonly raw: string
}

/** Ids from outside, since the domain has no randomness. An id is used only if a fact of the decision contains it. */
export interface FreshIds {
  /** Next free OCPP 1.6 transaction id. */
  readonly transactionId: number
  /** A new UUIDv7 at each call. */
  readonly uuid: () => string
  /** Which new transactions the charger's daily numbers still allow (`session/Provisional`); missing means all. */
  readonly transactionRoom?: TransactionRoom | undefined
}

export type TransactionRoom = "All" | "Plausible" | "None"

export type Question =
  /**
   * The token, its open sessions in the organisation, and this charger's reservations that had not expired `at` (ms epoch). With `start`, also
   * the data that only a start at that place needs.
   */
  | {
      readonly _tag: "FindToken"
      readonly tokenUid: string
      readonly at: number
      readonly start?: StartWanted | undefined
    }
  /** A session of *this* charger by its transaction id; another charger's is never found. */
  | { readonly _tag: "FindSession"; readonly transactionId: number }
  /** The readings of a stop of this charger that has waited for its start. */
  | { readonly _tag: "FindOrphan"; readonly orphanId: string }
  /**
   * What these partners answer about a token in real time, within `verdictWithinMillis`. The charger's other messages are decided meanwhile.
   * `decide` then gets the event again with the answers, which may be empty.
   */
  | {
      readonly _tag: "AskPartners"
      readonly tokenUid: string
      /** Where the token is to charge, if the charger named the EVSE. */
      readonly evseId: number | undefined
      readonly partners: ReadonlyArray<AskedPartner>
    }

/** Where a session starts, and the earliest time (ms epoch) at which the RemoteStart that it follows may have been sent. */
export interface StartWanted {
  readonly place: Place
  readonly sentSince: number
}

/** What a start needs besides the facts of its token. */
export interface StartFacts {
  /** The IANA time zone of the charger's site. */
  readonly timeZone: string | undefined
  /** The tariffs of the connector, its charger, their site and organisation. */
  readonly tariffs: ReadonlyArray<AssignedTariff & { readonly version: number }>
  /** RemoteStarts of the charger that no session follows yet. */
  readonly remoteStarts: ReadonlyArray<UnfollowedStart>
}

/** With `start` if the question had one. */
export type FoundToken = TokenFacts & { readonly start?: StartFacts | undefined }

export interface Answers {
  readonly token?: FoundToken
  /** `null`: this charger never had such a transaction. */
  readonly session?: KnownSession | null
  readonly partnerAnswers?: ReadonlyArray<PartnerAnswer>
  readonly orphan?: OrphanReadings
}

/** The readings of a stop. */
export interface OrphanReadings {
  readonly readings: ReadonlyArray<Reading>
}

export type Input =
  | { readonly _tag: "Event"; readonly event: ChargerEvent; readonly envelope: Envelope; readonly answers: Answers }
  /** The result of a command that the actor sent; it needs no reply. `commandId` is missing for a follow-up, which has no issuer. */
  | {
      readonly _tag: "CommandAnswered"
      readonly commandId?: string | undefined
      readonly command: ChargerCommand
      readonly result: CommandResult
    }
  /** The connection has been up for a while, see `followUpAfter`. */
  | { readonly _tag: "Settled" }
  /** The charger is silent and has never answered a ping, so it may no longer be connected. */
  | { readonly _tag: "Doubted" }

/** What the journal did with the facts of a commit, in their order. */
export interface CommitOutcome {
  /** False if the business key was stored already, or if the fact came from an old connection. */
  readonly recorded: ReadonlyArray<boolean>
  /** The stored session of a `SessionStarted` that was stored already. */
  readonly existing: KnownSession | undefined
}

/** A command for the charger, sent after `afterMillis` and when no other CALL is open. */
export interface FollowUp {
  readonly command: ChargerCommand
  readonly afterMillis: number
}

export type Decision =
  | { readonly _tag: "Ask"; readonly question: Question }
  | {
      readonly _tag: "Act"
      /** They are committed before the reply is sent. Without facts the reply is sent at once. */
      readonly facts: ReadonlyArray<ChargerFact>
      /** Undefined for inputs without an answer. The reply to a repeated message is built from what is stored. */
      readonly reply: ((outcome: CommitOutcome) => Reply) | undefined
      readonly followUps: ReadonlyArray<FollowUp>
    }

/** The types of `decide` and `evolve` as the actor uses them. */
export type Decide<State> = (state: State, input: Input, now: number, ids: FreshIds) => Decision
export type Evolve<State> = (state: State, facts: ReadonlyArray<ChargerFact>, outcome: CommitOutcome) => State
