/**
 * A cache of cards in this process. Each card has the stamp that its organisation had when the card was read. The cache is limited in
 * number and in bytes and evicts the least recently used card. Unknown cards are not cached, since anyone can invent them.
 */
import { type Context, Metric } from "effect"
import type { TokenFacts } from "../../domain/token/Token.ts"

/** The part of a card decision's input that only changes with a write of cards or partners. */
export type Card = Pick<TokenFacts, "token" | "roaming" | "askable">

export interface KnownCard {
  /** The organisation's stamp when the card was read. */
  readonly stamp: number
  readonly card: Card
}

export interface CardMemoryLimits {
  readonly maxCards: number
  /** The limit on the estimated size of the cards, in bytes. */
  readonly maxCardBytes: number
}

const questions = (outcome: "remembered" | "read") =>
  Metric.counter("token_lookups_total", {
    description:
      "Look-ups of cards, by whether the card was in the cache or had to be read; sessions and reservations are read in either case",
    incremental: true,
    attributes: { outcome }
  })

const remembered = questions("remembered")
const read = questions("read")
const cards = Metric.gauge("token_memory_cards", { description: "Number of cards in the cache" })
const bytes = Metric.gauge("token_memory_bytes", { description: "Approximate memory used by the cache of cards" })

export const cardMetrics = [remembered, read, cards, bytes]

/** Estimated bytes of a card's objects and keys, beside its texts. */
const cardBytes = 400

const textBytes = (value: object): number => 2 * JSON.stringify(value).length

interface Entry extends KnownCard {
  readonly bytes: number
}

export class CardMemory {
  private readonly limits: CardMemoryLimits
  private readonly context: Context.Context<never>
  /** By organisation and key, least recently used first. */
  private readonly entries = new Map<string, Entry>()
  private bytes = 0

  constructor(limits: CardMemoryLimits, context: Context.Context<never>) {
    this.limits = limits
    this.context = context
  }

  recall(organisationId: string, key: string): KnownCard | undefined {
    const id = `${organisationId} ${key}`
    const entry = this.entries.get(id)
    if (entry === undefined) return undefined
    this.entries.delete(id)
    this.entries.set(id, entry)
    return entry
  }

  /** Counts a lookup whose cached card was up to date. */
  held(): void {
    remembered.updateUnsafe(1, this.context)
  }

  /** If a card was read twice at the same time, the one with the later stamp is kept. */
  remember(organisationId: string, key: string, { card, stamp }: KnownCard): void {
    read.updateUnsafe(1, this.context)
    const id = `${organisationId} ${key}`
    const before = this.entries.get(id)
    if (before !== undefined && before.stamp > stamp) return
    this.forget(id)
    if (card.token !== undefined || card.roaming.length > 0) {
      const size = cardBytes + 2 * id.length + textBytes(card)
      this.entries.set(id, { stamp, card, bytes: size })
      this.bytes += size
      while (this.entries.size > this.limits.maxCards || this.bytes > this.limits.maxCardBytes) {
        this.forget(this.entries.keys().next().value!)
      }
    }
    cards.updateUnsafe(this.entries.size, this.context)
    bytes.updateUnsafe(this.bytes, this.context)
  }

  private forget(id: string): void {
    this.bytes -= this.entries.get(id)?.bytes ?? 0
    this.entries.delete(id)
  }
}
