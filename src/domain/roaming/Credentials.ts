/** The data that two platforms exchange so that they can call each other (OCPI 2.2.1 `credentials`). */
import type { PartnerParty } from "./Party.ts"

export interface Credentials {
  /** The token with which the receiver calls the sender; never in Base64 here. */
  readonly token: string
  /** The URL of the sender's versions. */
  readonly url: string
  readonly parties: ReadonlyArray<PartnerParty>
}
