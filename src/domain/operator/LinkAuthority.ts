/**
 * When a link that gives access (invitation, reset, set-up) is in force. A link has the authority of its maker at the time when it is used:
 * it gives nothing that the maker could not give then. A link to an account is also bound to the account's credentials, so that an old link
 * does not undo what its owner has changed since.
 */
import type { Principal } from "../values/AuditContext.ts"
import { beyond, type Permission } from "./Permission.ts"
import { builtInRoles } from "./Role.ts"

/** Who made a link, as it is stored. */
export interface LinkAuthor {
  /** The person who made it, or for whom the key acted. Undefined for the machine itself: the command line and the first start. */
  readonly operatorId: string | undefined
  /** The key that made it. */
  readonly keyId: string | undefined
  /** True if the person had signed in through the organisation's identity provider. */
  readonly bySingleSignOn: boolean
}

/** The author of what a caller makes. Only the machine itself acts for no operator, and it alone has these names. */
export const authorOf = ({
  actor,
  bySingleSignOn,
  keyId,
  operatorId
}: Pick<Principal, "actor" | "bySingleSignOn" | "keyId" | "operatorId">): LinkAuthor | undefined => {
  if (actor === "platform" || actor.startsWith("command-line:")) {
    return { operatorId: undefined, keyId: undefined, bySingleSignOn: false }
  }
  if (operatorId === undefined) return undefined
  const isKey = actor.startsWith("key:")
  return { operatorId, keyId: isKey ? keyId : undefined, bySingleSignOn: bySingleSignOn === true }
}

/** The author of a link as it is now. */
export type LinkMaker =
  | { readonly _tag: "Machine" }
  | {
      readonly _tag: "Caller"
      /** The present permissions of the operator, limited to the key's; none if either was disabled, revoked or has expired. */
      readonly permissions: ReadonlyArray<string>
      readonly bySingleSignOn: boolean
    }

/** What a link gives to the person who uses it, as it is now. */
export type LinkGift =
  /** A membership, with the permissions of its role. */
  | { readonly _tag: "Membership"; readonly permissions: ReadonlyArray<string> }
  /** An account that exists. */
  | {
      readonly _tag: "Account"
      /** The permissions of the account's membership in the link's organisation; undefined if it is disabled or does not exist. */
      readonly permissions: ReadonlyArray<string> | undefined
      readonly worksElsewhere: boolean
      /** Whether password, second factor or passkeys have changed since the link was made. */
      readonly hasNewCredentials: boolean
    }

/** What everyone needs who makes links. */
const making: Permission = "operators:write"

const mostBySingleSignOn: ReadonlyArray<string> = builtInRoles.Owner

/** Whether the maker could give these permissions now. A sign-in through an identity provider never has the platform's own. */
const mayGive = (maker: LinkMaker, permissions: ReadonlyArray<string>): boolean => {
  if (maker._tag === "Machine") return true
  const held = maker.bySingleSignOn
    ? maker.permissions.filter((permission) => mostBySingleSignOn.includes(permission))
    : maker.permissions
  return beyond(held, [making, ...permissions]).length === 0
}

/** Whether an open link may be used now. */
export const isLinkInForce = (maker: LinkMaker, gift: LinkGift): boolean => {
  if (gift._tag === "Membership") return mayGive(maker, gift.permissions)
  if (gift.permissions === undefined || gift.hasNewCredentials) return false
  return mayGive(maker, gift.permissions) && (maker._tag === "Machine" || !gift.worksElsewhere)
}

/** What a person signs in with. */
export interface Credentials {
  readonly passwordHash: string | undefined
  readonly totpSecret: string | undefined
  readonly passkeyIds: ReadonlyArray<string>
}

/** A text that differs after each change of the credentials. Only its keyed hash is stored with a link. */
export const credentialsText = ({ passkeyIds, passwordHash, totpSecret }: Credentials): string =>
  JSON.stringify([passwordHash ?? null, totpSecret ?? null, passkeyIds.toSorted()])
