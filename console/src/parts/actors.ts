/** Names of actors: the audit log has only their ids. */
import { useMemo } from "react"
import { may, useMe } from "../app/me.ts"
import { usePages } from "./pages.ts"

export const useActors = (): ((actor: string) => string) => {
  const me = useMe()
  const operators = usePages("operators.list", { query: { limit: 500 } }, may(me, "operators.list"))
  const keys = usePages("api-keys.list", { query: { limit: 500 } }, may(me, "api-keys.list"))
  return useMemo(() => {
    const names = new Map<string, string>([
      ...operators.rows.map(({ email, id, name }) => [`operator:${id}`, name === "" ? email : name] as const),
      ...keys.rows.map(({ id, name }) => [`key:${id}`, name] as const)
    ])
    return (actor) => names.get(actor) ?? actor
  }, [operators.rows, keys.rows])
}

/** For example `SiteChanged` becomes `Site changed`. */
export const actionText = (action: string): string => {
  const spaced = action.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`
  )
  return spaced.slice(0, 1).toUpperCase() + spaced.slice(1)
}
