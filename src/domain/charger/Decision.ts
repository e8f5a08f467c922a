/**
 * The contract between the pure middle and the actor around it: what goes into `decide`, and what comes out. `decide` never waits. What
 * it needs from elsewhere it asks for by a `Question`; the answer comes back as an input together with the event that raised it.
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
  /** The frame's text; stored with what cannot be interpreted. */
  readonly raw: string
}

/** Ids made outside, since the domain has no randomness. They count as used only if the decision's facts carry them. */
export interface FreshIds {
  /** Next free OCPP 1.6 transaction id. */
  readonly transactionId: number
  /** A new UUIDv7 at each call. */
  readonly uuid: () => string
}

export type Question =
  /**
   * Token, the organisation's open sessions of it, and this charger's reservations that had not expired `at` (ms epoch). With `start` also
   * what only a start at that place needs.
   */
  | {
      readonly _tag: "FindToken"
      readonly tokenUid: string
      readonly at: number
      readonly start?: StartWanted | undefined
    }
  /** A session of *this* charger by its transaction id; another charger's is never found. */
  | { readonly _tag: "FindSession"; readonly transactionId: number }
  /** What came with a stop of this charger that has waited for its start. */
  | { readonly _tag: "FindOrphan"; readonly orphanId: string }
  /**
   * What these partners say of a token in real time, within `verdictWithinMillis`. It takes so long that whatever else the charger sends is decided
   * meanwhile; the event comes back with their words, or with their silence.
   */
  | {
      readonly _tag: "AskPartners"
      readonly tokenUid: string
      /** Where it is to charge, as far as the charger says. */
      readonly evseId: number | undefined
      readonly partners: ReadonlyArray<AskedPartner>
    }

/** Where a session starts, and since when (ms epoch) a RemoteStart may have been sent that it follows. */
export interface StartWanted {
  readonly place: Place
  readonly sentSince: number
}

/** What a start needs besides the facts of its token. */
export interface StartFacts {
  /** IANA, of the charger's site. */
  readonly timeZone: string | undefined
  /** Of the connector, its charger, their site and organisation. */
  readonly tariffs: ReadonlyArray<AssignedTariff & { readonly version: number }>
  /** RemoteStarts of the charger that no session follows yet. */
  readonly remoteStarts: ReadonlyArray<UnfollowedStart>
}

/** `start` is there where the question had one. */
export type FoundToken = TokenFacts & { readonly start?: StartFacts | undefined }

export interface Answers {
  readonly token?: FoundToken
  /** `null`: this charger never had such a transaction. */
  readonly session?: KnownSession | null
  readonly partnerAnswers?: ReadonlyArray<PartnerAnswer>
  readonly orphan?: OrphanReadings
}

/** Readings that came with a stop, and when that was heard, ms epoch. */
export interface OrphanReadings {
  readonly heardAt: number
  readonly readings: ReadonlyArray<Reading>
}

export type Input =
  | { readonly _tag: "Event"; readonly event: ChargerEvent; readonly envelope: Envelope; readonly answers: Answers }
  /** What came of a command that the actor sent; no reply is awaited. `commandId` is missing for a follow-up, which has no issuer. */
  | {
      readonly _tag: "CommandAnswered"
      readonly commandId?: string | undefined
      readonly command: ChargerCommand
      readonly result: CommandResult
    }
  /** The connection has been up for a while, see `followUpAfter`. */
  | { readonly _tag: "Settled" }
  /** It is silent and has never answered a ping: whether it is still there is not known. */
  | { readonly _tag: "Doubted" }

/** What the journal says of the facts it was given, in their order. */
export interface CommitOutcome {
  /** False where the business key was there already, or the fence dropped the fact. */
  readonly recorded: ReadonlyArray<boolean>
  /** For a `SessionStarted` that was there already: the stored session. */
  readonly standing: KnownSession | undefined
}

/** A command for the charger, sent once `afterMillis` have gone by and the line is free. */
export interface FollowUp {
  readonly command: ChargerCommand
  readonly afterMillis: number
}

export type Decision =
  | { readonly _tag: "Ask"; readonly question: Question }
  | {
      readonly _tag: "Act"
      /** Committed before the reply leaves; none means that the reply may leave at once. */
      readonly facts: ReadonlyArray<ChargerFact>
      /** Undefined for inputs without an answer. A retry's reply is built from what is stored. */
      readonly reply: ((outcome: CommitOutcome) => Reply) | undefined
      readonly followUps: ReadonlyArray<FollowUp>
    }

/** What `decide` and `evolve` look like; the actor takes them as given. */
export type Decide<State> = (state: State, input: Input, now: number, ids: FreshIds) => Decision
export type Evolve<State> = (state: State, facts: ReadonlyArray<ChargerFact>, outcome: CommitOutcome) => State
