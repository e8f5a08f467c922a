/** What is stored about a card: the data for a decision on it, and earlier decisions. */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuthorizationPolicy, AuthorizationSource, AuthorizationStatus } from "./Authorization.ts"
import type { TokenFacts } from "./Token.ts"

export interface CardWanted {
  readonly tokenUid: string
  /** Undefined: any charger. Then reservations and partners' grants do not count. */
  readonly chargerId: string | undefined
}

/** All data for the decision on a card. */
export interface CardEvidence {
  readonly facts: TokenFacts
  readonly policy: AuthorizationPolicy
  /** Names of the partners in `facts`, by id. */
  readonly partnerNames: ReadonlyMap<string, string>
}

/** How a charger asked: `Authorize` before a session, or the start of one. */
export const attemptKinds = ["Authorize", "Start"] as const
export type AttemptKind = (typeof attemptKinds)[number]

export interface Attempt {
  /** When it was received, ms epoch. */
  readonly at: number
  readonly chargerId: string
  readonly kind: AttemptKind
  readonly status: AuthorizationStatus
  readonly source: AuthorizationSource
}

/** An attempt with its card, for the list over all cards. */
export interface ListedAttempt extends Attempt {
  /** Rises with time. */
  readonly id: string
  readonly tokenUid: string
}

export class Authorizations extends Context.Service<
  Authorizations,
  {
    readonly evidence: (
      organisationId: string,
      wanted: CardWanted,
      now: number
    ) => Effect.Effect<CardEvidence, StorageUnavailable>
    /** Newest first. For a card that is used a lot, only its newest thousand attempts are searched. */
    readonly attempts: (
      organisationId: string,
      wanted: CardWanted,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Attempt>, StorageUnavailable>
    /** Attempts of all cards, newest first; `refused` leaves out the accepted ones. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly refused: boolean }
    ) => Effect.Effect<Page<ListedAttempt>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/Authorizations") {}
