/**
 * A charger's messages that wait for partners' answers about a card. They wait outside its mailbox, so that its other
 * messages are handled meanwhile. Every Authorize queries the partners. If a partner allowed the card, its answer is
 * also used for the start that directly follows with the same card, and for no other message (OCPI 2.2.1 §12.4.5
 * WhitelistType).
 */
import { Clock, Effect } from "effect"
import type { Question } from "../domain/charger/Decision.ts"
import type { VerdictsWanted } from "../domain/token/RealTimeAuthorizer.ts"
import { isAllowing, type PartnerAnswer, silent } from "../domain/token/RealTime.ts"
import { tokenKey } from "../domain/token/Token.ts"

export type PartnersQuestion = Extract<Question, { readonly _tag: "AskPartners" }>

/**
 * Messages of one charger that wait at the same time: it has a few connectors and one open CALL. Above this, partners
 * are not asked and count as silent.
 */
const waitingMax = 4

/** How long an answer is kept for its start, in ms: a driver needs a few minutes from the card to the cable and back. */
const validMillis = 5 * 60_000

/** Cards whose answers are kept: more than a charger has connectors. */
const keptMax = 16

interface Kept {
  readonly partnerAnswers: ReadonlyArray<PartnerAnswer>
  readonly until: number
}

interface Waiting {
  readonly silence: ReadonlyArray<PartnerAnswer>
  /** The card, if this is an Authorize whose answers are kept for the start that follows. */
  keptFor: string | undefined
}

/** True if the answers are from exactly the partners that are to be asked, about the same contracts. */
const answers = (partnerAnswers: ReadonlyArray<PartnerAnswer>, partners: PartnersQuestion["partners"]): boolean =>
  partners.every(({ card, partnerId }) =>
    partnerAnswers.some(
      ({ about }) =>
        about.partnerId === partnerId &&
        about.card?.countryCode === card?.countryCode &&
        about.card?.partyId === card?.partyId
    )
  )

export interface PendingAuthorizationsOptions {
  readonly chargerId: string
  readonly organisationId: string
  readonly ask: (wanted: VerdictsWanted) => Effect.Effect<ReadonlyArray<PartnerAnswer>>
  readonly background: (effect: Effect.Effect<void>) => void
}

export class PendingAuthorizations<Item> {
  private readonly options: PendingAuthorizationsOptions
  private readonly waiting = new Map<Item, Waiting>()
  private readonly kept = new Map<string, Kept>()

  constructor(options: PendingAuthorizationsOptions) {
    this.options = options
  }

  /** True while no message waits. */
  get idle(): boolean {
    return this.waiting.size === 0
  }

  /** The answers that are known already, or silence if too many messages wait. Undefined if the partners must be asked. */
  known({ evseId, partners, tokenUid }: PartnersQuestion, now: number): ReadonlyArray<PartnerAnswer> | undefined {
    const kept = this.kept.get(tokenKey(tokenUid))
    const isStart = evseId !== undefined
    if (isStart && kept !== undefined && kept.until > now && answers(kept.partnerAnswers, partners))
      return kept.partnerAnswers
    this.forget(tokenUid)
    return this.waiting.size >= waitingMax ? partners.map(silent) : undefined
  }

  /** Asks the partners, and calls `back` with their answers. */
  wait(item: Item, question: PartnersQuestion, back: (partnerAnswers: ReadonlyArray<PartnerAnswer>) => void): void {
    const { ask, background, chargerId, organisationId } = this.options
    const { evseId, partners, tokenUid } = question
    const keptFor = evseId === undefined ? tokenKey(tokenUid) : undefined
    const waiting: Waiting = { silence: partners.map(silent), keptFor }
    this.waiting.set(item, waiting)
    const asking = Effect.flatMap(ask({ organisationId, chargerId, evseId, tokenUid, partners }), (partnerAnswers) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (!this.waiting.delete(item)) return
        if (waiting.keptFor !== undefined && partnerAnswers.some(isAllowing))
          this.keep(waiting.keptFor, partnerAnswers, now)
        back(partnerAnswers)
      })
    )
    background(asking)
  }

  /** Call it when a card was read again or its start is stored: earlier answers about it are not used for later messages. */
  forget(tokenUid: string): void {
    const key = tokenKey(tokenUid)
    this.kept.delete(key)
    for (const waiting of this.waiting.values()) if (waiting.keptFor === key) waiting.keptFor = undefined
  }

  private keep(key: string, partnerAnswers: ReadonlyArray<PartnerAnswer>, now: number): void {
    this.kept.delete(key)
    this.kept.set(key, { partnerAnswers, until: now + validMillis })
    const [oldest] = this.kept.keys()
    if (this.kept.size > keptMax && oldest !== undefined) this.kept.delete(oldest)
  }

  /** The connection has ended: returns the messages that still wait, with their partners counted as silent. */
  abandon(): ReadonlyArray<readonly [Item, ReadonlyArray<PartnerAnswer>]> {
    const left = [...this.waiting].map(([item, { silence }]) => [item, silence] as const)
    this.waiting.clear()
    return left
  }
}
