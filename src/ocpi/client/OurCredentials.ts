/** The credentials that we send a partner: all CPO parties of the organisation, the default party first. Versions with one party send that one. */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { Credentials } from "../../domain/roaming/Credentials.ts"
import type { Parties } from "../../domain/roaming/Parties.ts"

/** `base` is our OCPI URL without a trailing slash. `token` is the one that the partner uses towards us. */
export const ourCredentials = (
  parties: Parties["Service"],
  base: string,
  organisationId: string,
  token: string
): Effect.Effect<Credentials, StorageUnavailable> =>
  Effect.map(parties.list(organisationId), (all) => ({
    token,
    url: `${base}/versions`,
    parties: all.map(({ businessDetails, countryCode, partyId }) => ({
      role: "CPO" as const,
      countryCode,
      partyId,
      businessDetails
    }))
  }))
