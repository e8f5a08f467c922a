/**
 * Full keys: those that can do whatever any operator of their organisation may. While one is left, no one is locked out; the last one is therefore not
 * revoked by a request, but only by who has the machine.
 */
import { missing, type Permission } from "./Permission.ts"

/** What a key may do now: its operator's permissions, cut down to its own; none for an operator who is not active (T22). */
export const effectivePermissions = (key: {
  readonly active: boolean
  readonly keyPermissions: ReadonlyArray<string> | undefined
  readonly operatorPermissions: ReadonlyArray<string>
}): ReadonlyArray<string> => {
  if (!key.active) return []
  const { keyPermissions, operatorPermissions } = key
  return keyPermissions === undefined
    ? operatorPermissions
    : operatorPermissions.filter((permission) => keyPermissions.includes(permission))
}

export interface HeldKey {
  readonly id: string
  readonly active: boolean
  readonly keyPermissions: ReadonlyArray<string> | undefined
  readonly operatorPermissions: ReadonlyArray<string>
}

/** Whether the key `id` is the only full one of `keys`, which are those of one organisation that work now. */
export const isLastFull = (id: string, keys: ReadonlyArray<HeldKey>): boolean => {
  const all = [...new Set(keys.flatMap((key) => (key.active ? key.operatorPermissions : [])))] as Array<Permission>
  const full = keys.filter((key) => all.length > 0 && missing(effectivePermissions(key), all).length === 0)
  return full.length === 1 && full[0]?.id === id
}
