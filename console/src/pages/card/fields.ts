/** The fields of the form of a card, and what is sent for them. */
import type { Answer } from "../../api/types.ts"
import { changedFields } from "../../parts/changes.ts"

type Card = Answer<"tokens.get">

export interface CardFields {
  readonly type: Card["type"]
  readonly note: string
  readonly visualNumber: string
  readonly parentUid: string
  /** A day; the form cannot show the time of day at which a card expires. */
  readonly expiresOn: string
  /** The form cannot show that a card is stored as expired. */
  readonly isBlocked: boolean
}

export const fieldsOf = (
  card: Pick<Card, "type" | "status" | "note" | "visualNumber" | "parentUid" | "expiresAt"> | undefined
): CardFields => ({
  type: card?.type ?? "RFID",
  note: card?.note ?? "",
  visualNumber: card?.visualNumber ?? "",
  parentUid: card?.parentUid ?? "",
  expiresOn: card?.expiresAt?.slice(0, 10) ?? "",
  isBlocked: card?.status === "Blocked"
})

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim())

/** All fields, for a new card. */
export const cardOf = ({ expiresOn, isBlocked, note, parentUid, type, visualNumber }: CardFields) => ({
  type,
  status: isBlocked ? ("Blocked" as const) : ("Accepted" as const),
  note: orNull(note),
  visualNumber: orNull(visualNumber),
  parentUid: orNull(parentUid),
  expiresAt: expiresOn === "" ? null : new Date(expiresOn).toISOString()
})

/** The changed fields: otherwise saving a new note would accept an expired card, and move its expiry to midnight. */
export const patchOf = (shown: CardFields, typed: CardFields): Partial<ReturnType<typeof cardOf>> =>
  changedFields(cardOf(shown), cardOf(typed))
