/** What the commands of all versions have in common: their ids and tokens, and OCPI's names of their fields (OCPI 2.2.1 §13.4.3). */
import { type Effect, Schema } from "effect"
import type { CommandRequest, CommandResponse, PresentedToken } from "../../../domain/command/CommandRequest.ts"
import type { CommandOutcome } from "../../../domain/command/Outcome.ts"
import { Timestamp } from "../../protocol/Timestamp.ts"
import { CountryCode, maybe, PartyCode, Text, Url } from "../Liberal.ts"

export interface WireCommands {
  /** The decoder of a command by its name in the URL, in upper case; undefined for a command that this version does not have. */
  readonly request: (name: string) => ((body: unknown) => Effect.Effect<CommandRequest, Schema.SchemaError>) | undefined
  readonly response: (response: CommandResponse) => unknown
  /** Undefined if this version cannot express the result: then the partner receives none. */
  readonly result: (outcome: CommandOutcome) => unknown
}

/**
 * Longest id that is accepted. OCPI allows 36 characters, but partners use more. Some ids are in keys of the database, whose size is
 * limited.
 */
const idMax = 255

/** Longest authorization_reference (OCPI 2.2.1 §13.3.4): a longer one could not be repeated in the session and the CDR. */
const referenceMax = 36

const Reference = Text.check(Schema.isMaxLength(referenceMax))

/** The fields of a driver's token in a command. Its other fields belong to the tokens module and are ignored here. */
const tokenFields = { uid: Text.check(Schema.isNonEmpty(), Schema.isMaxLength(idMax)), type: maybe(Text) }
export const Token211 = Schema.Struct({ ...tokenFields, auth_id: maybe(Text) })
export const Token22 = Schema.Struct({
  ...tokenFields,
  contract_id: maybe(Text),
  country_code: CountryCode,
  party_id: PartyCode
})

/** Types of later versions are kept. Without a type it is an RFID card. */
const typeOf = (type: string | null | undefined): string => type?.trim().toUpperCase() || "RFID"

export const token211 = ({ auth_id, type, uid }: typeof Token211.Type): PresentedToken => ({
  uid,
  type: typeOf(type),
  contractId: auth_id ?? uid
})

export const token22 = ({ contract_id, country_code, party_id, type, uid }: typeof Token22.Type): PresentedToken => ({
  uid,
  type: typeOf(type),
  contractId: contract_id ?? uid,
  countryCode: country_code,
  partyId: party_id
})

/** An id of a partner or of ours. Numbers are accepted as their text. */
const Id = Schema.Union([Text.check(Schema.isMaxLength(idMax)), Schema.Int])
const id = String
/** The same for an optional id. */
const maybeId = (given: string | number | null | undefined): string | undefined =>
  given === null || given === undefined ? undefined : id(given)

const asked = { response_url: Url }

/** Fields of START_SESSION, besides the token of the version. */
export const startFields = {
  ...asked,
  location_id: Id,
  evse_uid: maybe(Id),
  connector_id: maybe(Id),
  authorization_reference: maybe(Reference)
}

/** Fields of RESERVE_NOW, besides the token of the version. */
export const reserveFields = {
  ...asked,
  expiry_date: Timestamp,
  reservation_id: Id,
  location_id: Id,
  evse_uid: maybe(Id),
  authorization_reference: maybe(Reference)
}

type Start = Schema.Struct.Type<typeof startFields>
type Reserve = Schema.Struct.Type<typeof reserveFields>

export const startOf = (given: Start, token: PresentedToken): CommandRequest => ({
  _tag: "StartSession",
  responseUrl: given.response_url,
  token,
  locationId: id(given.location_id),
  evseUid: maybeId(given.evse_uid),
  connectorId: maybeId(given.connector_id),
  authorizationReference: given.authorization_reference || undefined
})

export const reserveOf = (given: Reserve, token: PresentedToken): CommandRequest => ({
  _tag: "ReserveNow",
  responseUrl: given.response_url,
  token,
  expiresAt: given.expiry_date,
  reservationId: id(given.reservation_id),
  locationId: id(given.location_id),
  evseUid: maybeId(given.evse_uid),
  authorizationReference: given.authorization_reference || undefined
})

export const Stop = Schema.Struct({ ...asked, session_id: Id })
export const stopOf = ({ response_url, session_id }: typeof Stop.Type): CommandRequest => ({
  _tag: "StopSession",
  responseUrl: response_url,
  sessionId: id(session_id)
})

export const Cancel = Schema.Struct({ ...asked, reservation_id: Id })
export const cancelOf = ({ reservation_id, response_url }: typeof Cancel.Type): CommandRequest => ({
  _tag: "CancelReservation",
  responseUrl: response_url,
  reservationId: id(reservation_id)
})

export const Unlock = Schema.Struct({ ...asked, location_id: Id, evse_uid: Id, connector_id: Id })
export const unlockOf = ({
  connector_id,
  evse_uid,
  location_id,
  response_url
}: typeof Unlock.Type): CommandRequest => ({
  _tag: "UnlockConnector",
  responseUrl: response_url,
  locationId: id(location_id),
  evseUid: id(evse_uid),
  connectorId: id(connector_id)
})
