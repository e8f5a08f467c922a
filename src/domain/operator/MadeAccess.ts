/**
 * What an operator has made or was shown that gives access and still works: keys, webhooks, links and partners' registration tokens. Owners
 * look at it when they disable the operator, and close what they choose. Keys and links then stop without that; webhooks and registration
 * tokens go on, because the organisation may need them.
 */
import { missing, type Permission } from "./Permission.ts"

export const madeKinds = ["ApiKey", "Webhook", "Invitation", "Reset", "PartnerInvitation"] as const
export type MadeKind = (typeof madeKinds)[number]

export interface MadeRef {
  readonly kind: MadeKind
  /** The key's, webhook's or link's id, or for a registration token the partner's. */
  readonly id: string
}

export interface MadeItem extends MadeRef {
  /** By which people recognise it: a key's or partner's name, a webhook's URL, a link's email address. */
  readonly name: string
  readonly createdAt: number
  /** ms epoch; undefined if it does not expire. */
  readonly expiresAt: number | undefined
  /** False for a key of a disabled operator, which works again when the operator is enabled. */
  readonly works: boolean
}

const needs: Readonly<Record<MadeKind, { readonly read: Permission; readonly close: Permission }>> = {
  ApiKey: { read: "api-keys:read", close: "api-keys:write" },
  Webhook: { read: "webhooks:read", close: "webhooks:write" },
  Invitation: { read: "operators:read", close: "operators:write" },
  Reset: { read: "operators:read", close: "operators:write" },
  PartnerInvitation: { read: "partners:read", close: "partners:write" }
}

/** The kinds that a caller may see. */
export const readable = (permissions: ReadonlyArray<string>): ReadonlyArray<MadeKind> =>
  madeKinds.filter((kind) => permissions.includes(needs[kind].read))

/** The permissions that a caller lacks to close items of these kinds. */
export const lackingToClose = (
  permissions: ReadonlyArray<string>,
  kinds: ReadonlyArray<MadeKind>
): ReadonlyArray<Permission> => missing(permissions, [...new Set(kinds.map((kind) => needs[kind].close))])

/** How many items of each kind are listed, newest first: more than one person makes. */
export const madeMost = 500
