/**
 * Tokens in OCPI 2.1.1 §12: no party (it is in the URL), `auth_id` for the contract, and two types. A token that was received in a later
 * version loses its group, profile and energy contract, and its type becomes OTHER unless it is RFID.
 */
import { Effect, Schema } from "effect"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { maybe } from "../Liberal.ts"
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
  wordFields
} from "./Enums.ts"

export const Token211 = Schema.Struct({ ...commonFields, auth_id: Id })
const decode = Schema.decodeUnknownEffect(Token211)
const decodePatch = Schema.decodeUnknownEffect(Schema.Struct({ ...commonPatchFields, auth_id: maybe(Id) }))

/** The answer has no token and no reference. */
const decodeWord = Schema.decodeUnknownEffect(Schema.Struct(wordFields))

export const tokensV211: WireTokens = {
  decode: (input, { countryCode, partyId }) =>
    Effect.map(decode(input), (given) => ({
      ...commonOf(given),
      countryCode,
      partyId,
      contractId: given.auth_id,
      groupUid: undefined,
      defaultProfileType: undefined,
      energyContract: undefined
    })),
  decodePatch: (input) =>
    Effect.map(decodePatch(input), (given) => ({ ...commonPatchOf(given), ...named({ contractId: given.auth_id }) })),
  references: referencesOf,
  decodeWord: (input) =>
    Effect.map(decodeWord(aloneInList(input)), ({ allowed, location }) => ({
      allowed,
      token: undefined,
      authorizationReference: undefined,
      place: placeOf(location)
    })),
  encode: (token) => ({
    uid: token.uid,
    type: token.type.toUpperCase() === "RFID" ? "RFID" : "OTHER",
    auth_id: token.contractId,
    ...named({ visual_number: token.visualNumber }),
    issuer: token.issuer,
    valid: token.valid,
    whitelist: token.whitelist,
    ...named({ language: token.language }),
    last_updated: printTimestamp(token.lastUpdated)
  })
}
