/** Until when a key works, and from which networks. A key that was made or rotated with another key has no wider bounds than that key. */
import { InvalidInput } from "../Errors.ts"
import { isWithin } from "../values/Network.ts"

export interface KeyBounds {
  /** ms epoch; undefined: it never expires. */
  readonly expiresAt: number | undefined
  /** In CIDR form; undefined: any address. */
  readonly networks: ReadonlyArray<string> | undefined
}

/** Why a correct key is refused now; undefined if it is accepted. `address` is the caller's, or undefined to check the time only. */
export const keyRefusal = (
  { expiresAt, networks }: KeyBounds,
  now: number,
  address: string | undefined
): "expired" | "network" | undefined => {
  if (expiresAt !== undefined && expiresAt <= now) return "expired"
  return networks === undefined || address === undefined || isWithin(address, networks) ? undefined : "network"
}

/** An error for the first requested bound that is wider than the calling key's own; undefined if there is none. */
export const widerBound = (own: KeyBounds, { expiresAt, networks }: KeyBounds): InvalidInput | undefined => {
  if (own.expiresAt !== undefined && (expiresAt === undefined || expiresAt > own.expiresAt)) {
    return new InvalidInput({ pointer: "/expiresAt", detail: "Must not be after the calling key itself expires" })
  }
  const allowed = own.networks
  if (allowed === undefined) return undefined
  const isInside = networks !== undefined && networks.every((network) => isWithin(network, allowed))
  return isInside
    ? undefined
    : new InvalidInput({ pointer: "/networks", detail: "Must be within the networks of the calling key" })
}
