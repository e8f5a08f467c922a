/**
 * Full keys have all permissions that any operator of their organisation has. While one is left, the organisation is not locked out. So the last one
 * cannot be revoked over HTTP, only on the service's own machine.
 */
import { missing, type Permission } from "./Permission.ts"

/** A key's present permissions: those of its operator, limited to its own; none if the operator is inactive (T22). */
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

/** Whether the key `id` is the only full one of `keys`, the valid keys of one organisation. */
export const isLastFull = (id: string, keys: ReadonlyArray<HeldKey>): boolean => {
  const all = [...new Set(keys.flatMap((key) => (key.active ? key.operatorPermissions : [])))] as Array<Permission>
  const full = keys.filter((key) => all.length > 0 && missing(effectivePermissions(key), all).length === 0)
  return full.length === 1 && full[0]?.id === id
}
