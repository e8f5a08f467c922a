/** Tokens in OCPI 2.2 and 2.2.1 §12.3.3, which are the same in both. */
import { Effect, Option, Schema } from "effect"
import type { EnergyContract } from "../../../domain/token/RoamingToken.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { CountryCode, maybe, PartyCode, Text } from "../Liberal.ts"
import {
  aloneInList,
  commonFields,
  commonOf,
  commonPatchFields,
  commonPatchOf,
  Id,
  named,
  placeOf,
  referencesOf,
  type WireTokens,
  Word,
  wordFields
} from "./Enums.ts"

const Contract = Schema.Struct({ supplier_name: Text, contract_id: maybe(Text) })

const newFields = {
  country_code: maybe(CountryCode),
  party_id: maybe(PartyCode),
  group_id: maybe(Id),
  default_profile_type: maybe(Word),
  energy_contract: maybe(Contract)
}
export const Token22 = Schema.Struct({ ...commonFields, ...newFields, contract_id: Id })
const decode = Schema.decodeUnknownEffect(Token22)
const decodePatch = Schema.decodeUnknownEffect(
  Schema.Struct({ ...commonPatchFields, ...newFields, contract_id: maybe(Id) })
)

/** A longer reference is ignored, since it could not be repeated (OCPI 2.2.1 §8.3.1: at most 36 characters). */
const referenceMax = 36

const decodeWord = Schema.decodeUnknownEffect(
  Schema.Struct({ ...wordFields, authorization_reference: maybe(Text), token: Schema.optionalKey(Schema.Unknown) })
)

const referenceOf = (given: string | null | undefined): string | undefined =>
  given && [...given].length <= referenceMax ? given : undefined

const contractOf = (given: typeof Contract.Type | null | undefined): EnergyContract | undefined =>
  given ? { supplierName: given.supplier_name, ...named({ contractId: given.contract_id }) } : undefined

export const tokensV22: WireTokens = {
  decode: (input, { countryCode, partyId }) =>
    Effect.map(decode(input), (given) => ({
      ...commonOf(given),
      countryCode: given.country_code ?? countryCode,
      partyId: given.party_id ?? partyId,
      contractId: given.contract_id,
      groupUid: given.group_id ?? undefined,
      defaultProfileType: given.default_profile_type ?? undefined,
      energyContract: contractOf(given.energy_contract)
    })),
  decodePatch: (input) =>
    Effect.map(decodePatch(input), (given) => ({
      ...commonPatchOf(given),
      ...named({
        countryCode: given.country_code,
        partyId: given.party_id,
        contractId: given.contract_id,
        groupUid: given.group_id,
        defaultProfileType: given.default_profile_type,
        energyContract: contractOf(given.energy_contract)
      })
    })),
  references: referencesOf,
  decodeWord: (input, party) =>
    Effect.gen(function* () {
      const { allowed, authorization_reference, location, token } = yield* decodeWord(aloneInList(input))
      return {
        allowed,
        token: Option.getOrUndefined(yield* Effect.option(tokensV22.decode(token, party))),
        authorizationReference: referenceOf(authorization_reference),
        place: placeOf(location)
      }
    }),
  encode: (token) => ({
    country_code: token.countryCode,
    party_id: token.partyId,
    uid: token.uid,
    type: token.type,
    contract_id: token.contractId,
    ...named({ visual_number: token.visualNumber }),
    issuer: token.issuer,
    ...named({ group_id: token.groupUid }),
    valid: token.valid,
    whitelist: token.whitelist,
    ...named({
      language: token.language,
      default_profile_type: token.defaultProfileType,
      energy_contract: token.energyContract && {
        supplier_name: token.energyContract.supplierName,
        ...named({ contract_id: token.energyContract.contractId })
      }
    }),
    last_updated: printTimestamp(token.lastUpdated)
  })
}
