/**
 * A charger's messages that wait for partners' words on a card, apart from its mailbox: everything else goes on meanwhile. What a partner has just
 * allowed stands for a while, so that the start after an Authorize is not asked about again.
 */
import { Clock, Effect } from "effect"
import type { Question } from "../domain/charger/Decision.ts"
import type { WordsWanted } from "../domain/ports/RealTimeAuthorizer.ts"
import { isAllowing, type PartnerWord, silent } from "../domain/token/RealTime.ts"
import { tokenKey } from "../domain/token/Token.ts"

export type PartnersQuestion = Extract<Question, { readonly _tag: "AskPartners" }>

/** Messages of one charger that wait at a time: it has a few connectors, and one CALL open. Beyond it partners are taken for silent. */
const waitingMax = 4

/** How long a word stands, in ms: from the card to the cable and back it takes a driver a few minutes. */
const standsMillis = 5 * 60_000

/** Cards whose words are kept: more than a charger has connectors. */
const keptMax = 16

interface Kept<Item> {
  readonly words: ReadonlyArray<PartnerWord>
  readonly until: number
  /** The start that it was for: a partner's reference stands in one session. */
  used: Item | undefined
}

/** Whether words are those of the very partners that are to be asked. */
const answers = (words: ReadonlyArray<PartnerWord>, partners: PartnersQuestion["partners"]): boolean =>
  partners.every(({ card, partnerId }) =>
    words.some(
      ({ about }) =>
        about.partnerId === partnerId &&
        about.card?.countryCode === card?.countryCode &&
        about.card?.partyId === card?.partyId
    )
  )

export interface WordsOptions {
  readonly chargerId: string
  readonly organisationId: string
  readonly ask: (wanted: WordsWanted) => Effect.Effect<ReadonlyArray<PartnerWord>>
  readonly background: (effect: Effect.Effect<void>) => void
}

export class Words<Item> {
  private readonly options: WordsOptions
  private readonly waiting = new Map<Item, ReadonlyArray<PartnerWord>>()
  private readonly kept = new Map<string, Kept<Item>>()

  constructor(options: WordsOptions) {
    this.options = options
  }

  /** True while nobody waits. */
  get idle(): boolean {
    return this.waiting.size === 0
  }

  /** What is known already, or that nobody else can be asked; undefined where it has to be waited for. */
  known(
    item: Item,
    { evseId, partners, tokenUid }: PartnersQuestion,
    now: number
  ): ReadonlyArray<PartnerWord> | undefined {
    const kept = this.kept.get(tokenKey(tokenUid))
    if (kept !== undefined && kept.until > now && (kept.used ?? item) === item && answers(kept.words, partners)) {
      if (evseId !== undefined) kept.used = item
      return kept.words
    }
    return this.waiting.size >= waitingMax ? partners.map(silent) : undefined
  }

  /** Asks, and hands the item back with the words once they are here. */
  wait(item: Item, question: PartnersQuestion, back: (words: ReadonlyArray<PartnerWord>) => void): void {
    const { ask, background, chargerId, organisationId } = this.options
    const { evseId, partners, tokenUid } = question
    this.waiting.set(item, partners.map(silent))
    const asking = Effect.flatMap(ask({ organisationId, chargerId, evseId, tokenUid, partners }), (words) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (!this.waiting.delete(item)) return
        // The word that an Authorize got is the start's that follows; a start's is its own.
        if (evseId === undefined && words.some(isAllowing)) this.keep(tokenUid, words, now)
        back(words)
      })
    )
    background(asking)
  }

  private keep(tokenUid: string, words: ReadonlyArray<PartnerWord>, now: number): void {
    const key = tokenKey(tokenUid)
    this.kept.delete(key)
    this.kept.set(key, { words, until: now + standsMillis, used: undefined })
    const [oldest] = this.kept.keys()
    if (this.kept.size > keptMax && oldest !== undefined) this.kept.delete(oldest)
  }

  /** Nobody can be answered any more: what waits, with its partners' silence. */
  abandon(): ReadonlyArray<readonly [Item, ReadonlyArray<PartnerWord>]> {
    const left = [...this.waiting]
    this.waiting.clear()
    return left
  }
}
