/**
 * Credentials in OCPI 2.1.1 §8.4: one party, whose role follows from the URL of the other side. If we have several parties, only the first
 * is sent.
 */
import { Effect, Schema } from "effect"
import type { Credentials } from "../../../domain/roaming/Credentials.ts"
import { CountryCode, CredentialsToken, maybe, PartyCode, Text, Url } from "../Liberal.ts"
import { businessDetailsOf, cut } from "./BusinessDetails.ts"

export const Credentials211 = Schema.Struct({
  token: CredentialsToken,
  url: Url,
  business_details: maybe(Schema.Struct({ name: maybe(Text), website: maybe(Text) })),
  party_id: PartyCode,
  country_code: CountryCode
})
const decode = Schema.decodeUnknownEffect(Credentials211)

export const credentialsV211 = {
  /** The other side is an eMSP, the only role with which we connect in 2.1.1. */
  decode: (input: unknown) =>
    Effect.map(decode(input), ({ business_details, country_code, party_id, token, url }): Credentials => ({
      token,
      url,
      parties: [
        {
          role: "EMSP",
          countryCode: country_code,
          partyId: party_id,
          businessDetails: businessDetailsOf(business_details, party_id)
        }
      ]
    })),
  encode: ({ parties: [party], token, url }: Credentials): unknown => ({
    token,
    url,
    business_details: cut(party?.businessDetails),
    party_id: party?.partyId,
    country_code: party?.countryCode
  })
}
