/** What two platforms tell each other to be able to call (OCPI 2.2.1 `credentials`). */
import type { PartnerParty } from "./Party.ts"

export interface Credentials {
  /** By which the receiver of this calls the sender; never encoded here. */
  readonly token: string
  /** Of the sender's versions. */
  readonly url: string
  readonly parties: ReadonlyArray<PartnerParty>
}
