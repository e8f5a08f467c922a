/** A charge detail record as the partner sees it whose driver pays (OCPI 2.2.1 §10.3.1): everything is in the record itself, as it was sealed. */
import type { SessionRoaming } from "../party/Roaming.ts"
import type { Cdr, CdrBody } from "./Cdr.ts"

/** Versions of OCPI that have no words for a record which takes another one back. */
export const versionsWithoutCredits: ReadonlyArray<string> = ["2.1.1"]

export interface RoamingCdr extends Cdr {
  readonly body: CdrBody & { readonly roaming: SessionRoaming }
  /** ms epoch: when it was stored, after which it never changes. */
  readonly lastUpdated: number
}
