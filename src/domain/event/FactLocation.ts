/** Where a fact of the journal happened: the charger and the session that it names, and their site. */

export interface FactPlace {
  readonly chargerId: string | undefined
  readonly siteId: string | undefined
  /** For an operator's decision about a session: where that session ran. */
  readonly evseId?: number | undefined
  readonly connectorId?: number | undefined
  /** The cost of that session, or of the session that a reading belongs to, when its price was last computed. */
  readonly cost?: { readonly currency: string; readonly exclVat: number; readonly inclVat: number } | undefined
}

/** A fact as it is stored in the journal, with where it happened. */
export interface PlacedFact extends FactPlace {
  readonly position: number
  readonly type: string
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly body: unknown
}
