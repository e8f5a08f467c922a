/** What tokens of all versions have in common (OCPI 2.2.1 §12.3.3), and how they are read: words that we do not know are kept. */
import { type Effect, Schema } from "effect"
import type { PartyId } from "../../../domain/values/PartyId.ts"
import type { RoamingTokenBody, RoamingTokenPatch } from "../../../domain/token/RoamingToken.ts"
import { Timestamp } from "../../protocol/Timestamp.ts"
import { maybe, Text } from "../Liberal.ts"

export interface WireTokens {
  /** `party` is whose it is where the object does not say. */
  readonly decode: (input: unknown, party: PartyId) => Effect.Effect<RoamingTokenBody, Schema.SchemaError>
  /** What a PATCH names. A field that is null is none of them: many partners print those that they do not mean. */
  readonly decodePatch: (input: unknown) => Effect.Effect<RoamingTokenPatch, Schema.SchemaError>
  readonly encode: (token: RoamingTokenBody) => unknown
  /** Where a card is read (OCPI 2.2.1 §12.3.2). */
  readonly references: (place: { readonly id: string; readonly evseUids: ReadonlyArray<string> }) => unknown
  /** A partner's word in real time; `party` is as above. */
  readonly decodeWord: (input: unknown, party: PartyId) => Effect.Effect<GivenWord, Schema.SchemaError>
}

/** OCPI 2.2.1 §12.3.1 AuthorizationInfo. A token that is missing or cannot be read is left out: the answer counts all the same. */
export interface GivenWord {
  readonly allowed: string
  readonly token: RoamingTokenBody | undefined
  readonly authorizationReference: string | undefined
}

/** Longest id that is taken: OCPI has at most 36 characters, and partners have more. */
const idMax = 255

export const Id = Text.check(Schema.isNonEmpty(), Schema.isMaxLength(idMax))

/** A word of an enumeration, also one of a later version; it is kept as it is spelt. */
export const Word = Id

export const wordFields = { allowed: Word }

/** Some eMSPs answer every request with a list, and so say their one word in a list of one. */
export const aloneInList = (input: unknown): unknown => (Array.isArray(input) && input.length === 1 ? input[0] : input)

export const referencesOf: WireTokens["references"] = ({ evseUids, id }) => ({ location_id: id, evse_uids: evseUids })

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

/** Only what was named. */
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
