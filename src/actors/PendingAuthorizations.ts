/**
 * A charger's messages that wait for partners' answers on a card, apart from its mailbox: everything else goes on meanwhile. Every Authorize asks; what a
 * partner allowed at one is the word of the start that directly follows it with the same card, and of no other message (OCPI 2.2.1 §12.4.5 WhitelistType).
 */
import { Clock, Effect } from "effect"
import type { Question } from "../domain/charger/Decision.ts"
import type { VerdictsWanted } from "../domain/token/RealTimeAuthorizer.ts"
import { isAllowing, type PartnerAnswer, silent } from "../domain/token/RealTime.ts"
import { tokenKey } from "../domain/token/Token.ts"

export type PartnersQuestion = Extract<Question, { readonly _tag: "AskPartners" }>

/** Messages of one charger that wait at a time: it has a few connectors, and one CALL open. Beyond it partners are taken for silent. */
const waitingMax = 4

/** How long a word waits for its start, in ms: from the card to the cable and back it takes a driver a few minutes. */
const validMillis = 5 * 60_000

/** Cards with answers that are kept: more than a charger has connectors. */
const keptMax = 16

interface Kept {
  readonly partnerAnswers: ReadonlyArray<PartnerAnswer>
  readonly until: number
}

interface Waiting {
  readonly silence: ReadonlyArray<PartnerAnswer>
  /** The card of an Authorize whose word is kept for the start that follows. */
  keptFor: string | undefined
}

/** Whether the answers are those of the very partners that are to be asked. */
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

  /** What is known already, or that no other partner can be asked; undefined where it has to be waited for. */
  known({ evseId, partners, tokenUid }: PartnersQuestion, now: number): ReadonlyArray<PartnerAnswer> | undefined {
    const kept = this.kept.get(tokenKey(tokenUid))
    const isStart = evseId !== undefined
    if (isStart && kept !== undefined && kept.until > now && answers(kept.partnerAnswers, partners))
      return kept.partnerAnswers
    this.forget(tokenUid)
    return this.waiting.size >= waitingMax ? partners.map(silent) : undefined
  }

  /** Asks, and hands the item back with the answers once they are here. */
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

  /** A card was read anew, or its start is stored: whatever was said of it before is for no later message. */
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

  /** The connection has ended: what waits, with its partners' silence. */
  abandon(): ReadonlyArray<readonly [Item, ReadonlyArray<PartnerAnswer>]> {
    const left = [...this.waiting].map(([item, { silence }]) => [item, silence] as const)
    this.waiting.clear()
    return left
  }
}
