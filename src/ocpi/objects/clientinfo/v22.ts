/** ClientInfo in OCPI 2.2 and 2.2.1 §14.4.1, the same in both; 2.1.1 has none. */
import { Effect, Schema } from "effect"
import { type ClientInfo, type ClientStatus, clientStatuses } from "../../../domain/roaming/ClientInfo.ts"
import { printTimestamp, Timestamp } from "../../protocol/Timestamp.ts"
import { roleOf } from "../credentials/v22.ts"
import { CountryCode, PartyCode, Text } from "../Liberal.ts"

const Wire = Schema.Struct({
  party_id: PartyCode,
  country_code: CountryCode,
  role: Text,
  status: Text,
  last_updated: Timestamp
})
const decode = Schema.decodeUnknownEffect(Wire)

/** An unknown status only means that the party cannot be reached. */
const statusOf = (text: string): ClientStatus =>
  clientStatuses.find((status) => status === text.trim().toUpperCase()) ?? "OFFLINE"

export const clientInfoV22 = {
  decode: (input: unknown) =>
    Effect.map(decode(input), ({ country_code, last_updated, party_id, role, status }): ClientInfo => ({
      countryCode: country_code,
      partyId: party_id,
      role: roleOf(role),
      status: statusOf(status),
      lastUpdated: last_updated
    })),
  encode: ({ countryCode, lastUpdated, partyId, role, status }: ClientInfo): unknown => ({
    party_id: partyId,
    country_code: countryCode,
    role,
    status,
    last_updated: printTimestamp(lastUpdated)
  })
}
