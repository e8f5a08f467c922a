/** What we tell a partner of ourselves: all CPO parties of the organisation, the default one first; versions that know one party say that one. */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { Credentials } from "../../domain/roaming/Credentials.ts"
import type { Parties } from "../../domain/roaming/Parties.ts"

/** `base` is our OCPI address without a slash at its end, `token` the one by which the partner calls us. */
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
