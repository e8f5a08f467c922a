/** Credentials in OCPI 2.2 and 2.2.1 §7.3: any number of parties with their roles. */
import { Effect, Schema } from "effect"
import type { Credentials } from "../../../domain/roaming/Credentials.ts"
import type { PartyRole } from "../../../domain/roaming/Party.ts"
import { CountryCode, CredentialsToken, maybe, PartyCode, Text, Url } from "../Liberal.ts"
import { businessDetailsOf, cut } from "./BusinessDetails.ts"

/** Most parties of one partner: a hub that lists its members has hundreds. */
const partiesMax = 2000

export const Credentials22 = Schema.Struct({
  token: CredentialsToken,
  url: Url,
  roles: Schema.Array(
    Schema.Struct({
      role: Text,
      business_details: maybe(Schema.Struct({ name: maybe(Text), website: maybe(Text) })),
      party_id: PartyCode,
      country_code: CountryCode
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(partiesMax))
})
const decode = Schema.decodeUnknownEffect(Credentials22)

const roles: ReadonlySet<string> = new Set<PartyRole>(["CPO", "EMSP", "HUB", "NAP", "NSP", "SCSP"])

/** Roles of later versions and misspelt ones become OTHER; nothing here is for them. */
export const roleOf = (text: string): PartyRole => {
  const word = text.trim().toUpperCase()
  return roles.has(word) ? (word as PartyRole) : "OTHER"
}

export const credentialsV22 = {
  decode: (input: unknown) =>
    Effect.map(decode(input), ({ roles, token, url }): Credentials => ({
      token,
      url,
      parties: roles.map(({ business_details, country_code, party_id, role }) => ({
        role: roleOf(role),
        countryCode: country_code,
        partyId: party_id,
        businessDetails: businessDetailsOf(business_details, party_id)
      }))
    })),
  encode: ({ parties, token, url }: Credentials): unknown => ({
    token,
    url,
    roles: parties.map(({ businessDetails, countryCode, partyId, role }) => ({
      role,
      business_details: cut(businessDetails),
      party_id: partyId,
      country_code: countryCode
    }))
  })
}
