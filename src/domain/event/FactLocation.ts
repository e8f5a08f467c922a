/** Where a fact of the journal happened: the charger and the session that it names, and their site. */

export interface FactPlace {
  readonly chargerId: string | undefined
  readonly siteId: string | undefined
}

/** A fact as it is in the journal, with where it happened. */
export interface PlacedFact extends FactPlace {
  readonly position: number
  readonly type: string
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly body: unknown
}
