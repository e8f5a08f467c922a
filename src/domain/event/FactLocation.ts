/** Where a fact of the journal happened: the charger and the session that it names, and their site. */

export interface FactPlace {
  readonly chargerId: string | undefined
  readonly siteId: string | undefined
  /** Where the session ran that a decision of an operator is about. */
  readonly evseId?: number | undefined
  readonly connectorId?: number | undefined
  /** What that session, or the one that a reading is of, cost when its price was last worked out. */
  readonly cost?: { readonly currency: string; readonly exclVat: number; readonly inclVat: number } | undefined
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
