/** What is stored about a card: what the decision on it is made from, and how it was decided before. */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuthorizationPolicy, AuthorizationSource, AuthorizationStatus } from "./Authorization.ts"
import type { TokenFacts } from "./Token.ts"

export interface CardWanted {
  readonly tokenUid: string
  /** Undefined: at any charger. Then reservations and partners' requests do not count. */
  readonly chargerId: string | undefined
}

/** All that decides on a card. */
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
  /** When it was heard, ms epoch. */
  readonly at: number
  readonly chargerId: string
  readonly kind: AttemptKind
  readonly status: AuthorizationStatus
  readonly source: AuthorizationSource
}

/** An attempt with its card, in the list of all. */
export interface ListedAttempt extends Attempt {
  /** Grows with time. */
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
    /** Newest first. Of a card that is used a lot only its newest thousand are looked at. */
    readonly attempts: (
      organisationId: string,
      wanted: CardWanted,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Attempt>, StorageUnavailable>
    /** Of all cards, newest first; `refused` leaves out those that were accepted. */
    readonly list: (
      organisationId: string,
      page: PageRequest & { readonly refused: boolean }
    ) => Effect.Effect<Page<ListedAttempt>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/Authorizations") {}
