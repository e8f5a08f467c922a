/** Until when a key works, and from where. A key that another key makes or rotates has no wider bounds than that one. */
import { InvalidInput } from "../Errors.ts"
import { isWithin } from "../values/Network.ts"

export interface KeyBounds {
  /** ms epoch; undefined for ever. */
  readonly expiresAt: number | undefined
  /** In CIDR form; undefined for anywhere. */
  readonly networks: ReadonlyArray<string> | undefined
}

/** Why a key that is right is refused now; undefined where it is not. `address` is the caller's, or undefined where only the time counts. */
export const keyRefusal = (
  { expiresAt, networks }: KeyBounds,
  now: number,
  address: string | undefined
): "expired" | "network" | undefined => {
  if (expiresAt !== undefined && expiresAt <= now) return "expired"
  return networks === undefined || address === undefined || isWithin(address, networks) ? undefined : "network"
}

/** What of the wanted bounds is wider than the calling key's own. */
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
