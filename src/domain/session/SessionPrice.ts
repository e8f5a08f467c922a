/** A price as it is stored with a session. */
import type { Period } from "../tariff/Period.ts"

export interface SessionPrice {
  readonly currency: string
  readonly exclVat: number
  readonly inclVat: number
  readonly periods: ReadonlyArray<Period>
}
