/** The answer to a charger about a driver's token (OCPP 1.6 §7.27). */
import type { IdTagVerdict } from "../../domain/charger/Reply.ts"
import { text } from "./Kinds.ts"
import { writeTime } from "./Time.ts"

/** Longest idTag that OCPP 1.6 allows (§7.28 IdToken: CiString20Type). */
export const idTagMaxLength = 20

/**
 * Longest uid that is kept of a charger's idTag: longer than any token of ours or of a partner's. A longer one is cut,
 * and matches no token.
 */
const uidKept = 255

/**
 * An idTag from a charger. It is accepted even if it is longer than OCPP allows, since cutting it could turn it into
 * another token.
 */
export const idTag = text(idTagMaxLength, uidKept)

/**
 * The parent, if it can be sent. One that is longer than an idTag is left out: the charger would refuse the whole
 * message, and a shortened parent would belong to another group.
 */
export const fittingParent = (parentUid: string | undefined): string | undefined =>
  parentUid !== undefined && parentUid !== "" && parentUid.length <= idTagMaxLength ? parentUid : undefined

/** The verdict as it is sent, with fields in the order of §7.27. */
export const idTagInfo = ({ expiresAt, parentUid, status }: IdTagVerdict): Readonly<Record<string, unknown>> => {
  const expiryDate = expiresAt === undefined ? undefined : writeTime(expiresAt)
  const parentIdTag = fittingParent(parentUid)
  return {
    ...(expiryDate === undefined ? {} : { expiryDate }),
    ...(parentIdTag === undefined ? {} : { parentIdTag }),
    status
  }
}
