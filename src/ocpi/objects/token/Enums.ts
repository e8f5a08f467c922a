/** What tokens of all versions have in common (OCPI 2.2.1 §12.3.3), and how they are decoded: unknown enumeration values are kept. */
import { type Effect, Schema } from "effect"
import type { PartyId } from "../../../domain/values/PartyId.ts"
import type { PermittedPlace } from "../../../domain/token/RealTime.ts"
import type { RoamingTokenBody, RoamingTokenPatch } from "../../../domain/token/RoamingToken.ts"
import type { ReadingPlace } from "../../../domain/token/RoamingTokens.ts"
import { Timestamp } from "../../protocol/Timestamp.ts"
import { maybe, Text } from "../Liberal.ts"

export interface WireTokens {
  /** `party` is the owner if the object does not name one. */
  readonly decode: (input: unknown, party: PartyId) => Effect.Effect<RoamingTokenBody, Schema.SchemaError>
  /**
   * The fields that a PATCH changes. A null field is not one of them: many partners send null for fields that they do not want to change.
   */
  readonly decodePatch: (input: unknown) => Effect.Effect<RoamingTokenPatch, Schema.SchemaError>
  readonly encode: (token: RoamingTokenBody) => unknown
  /** The place where a card is presented (OCPI 2.2.1 §12.3.2). */
  readonly references: (place: NonNullable<ReadingPlace["location"]>) => unknown
  /** Decodes a partner's real-time authorisation; `party` is as above. */
  readonly decodeWord: (input: unknown, party: PartyId) => Effect.Effect<GivenWord, Schema.SchemaError>
}

/** OCPI 2.2.1 §12.3.1 AuthorizationInfo. A missing or unreadable token is left out, and the answer still counts. */
export interface GivenWord {
  readonly allowed: string
  readonly token: RoamingTokenBody | undefined
  readonly authorizationReference: string | undefined
  /** Where the driver may charge, if the partner limits that. An unreadable place is left out. */
  readonly place: PermittedPlace | undefined
}

/** The most EVSEs of a place in an answer. */
const placesMax = 1_000

/** Longest id that is accepted: OCPI allows 36 characters, but partners use more. */
const idMax = 255

export const Id = Text.check(Schema.isNonEmpty(), Schema.isMaxLength(idMax))

/** An enumeration value, also of a later version. Its spelling is kept. */
export const Word = Id

export const wordFields = { allowed: Word, location: Schema.optionalKey(Schema.Unknown) }

const decodePlace = Schema.decodeUnknownOption(
  Schema.Struct({ location_id: maybe(Text), evse_uids: maybe(Schema.Array(Text).check(Schema.isMaxLength(placesMax))) })
)

export const placeOf = (given: unknown): PermittedPlace | undefined => {
  const found = decodePlace(given)
  if (found._tag === "None") return undefined
  const { evse_uids, location_id } = found.value
  return { locationId: location_id || undefined, evseUids: evse_uids ?? [] }
}

/** Unwraps a list of one item: some eMSPs answer every request with a list. */
export const aloneInList = (input: unknown): unknown => (Array.isArray(input) && input.length === 1 ? input[0] : input)

export const referencesOf: WireTokens["references"] = ({ evses, id }) => ({
  location_id: id,
  evse_uids: evses.map(({ uid }) => uid)
})

export const commonFields = {
  uid: Id,
  type: Word,
  visual_number: maybe(Text),
  issuer: Text,
  valid: Schema.Boolean,
  whitelist: Word,
  language: maybe(Text),
  last_updated: Timestamp
}

export const commonPatchFields = {
  uid: maybe(Id),
  type: maybe(Word),
  visual_number: maybe(Text),
  issuer: maybe(Text),
  valid: maybe(Schema.Boolean),
  whitelist: maybe(Word),
  language: maybe(Text),
  last_updated: maybe(Timestamp)
}

type Common = Schema.Struct.Type<typeof commonFields>
type CommonPatch = Schema.Struct.Type<typeof commonPatchFields>

export const commonOf = (given: Common) => ({
  uid: given.uid,
  type: given.type,
  visualNumber: given.visual_number ?? undefined,
  issuer: given.issuer,
  valid: given.valid,
  whitelist: given.whitelist,
  language: given.language ?? undefined,
  lastUpdated: given.last_updated
})

/** Only the fields that have a value. */
export const named = <A extends object>(values: A): { readonly [K in keyof A]?: NonNullable<A[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null)) as {
    readonly [K in keyof A]?: NonNullable<A[K]>
  }

export const commonPatchOf = (given: CommonPatch): RoamingTokenPatch =>
  named({
    uid: given.uid,
    type: given.type,
    visualNumber: given.visual_number,
    issuer: given.issuer,
    valid: given.valid,
    whitelist: given.whitelist,
    language: given.language,
    lastUpdated: given.last_updated
  })
