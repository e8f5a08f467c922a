/** Who has signed in, and what they may do. The table of operations says which permissions a call needs before it is made. */
import { useQuery } from "@tanstack/react-query"
import { call, permissionsOf } from "../api/client.ts"
import type { Answer, Name } from "../api/types.ts"
import { queries } from "../live/store.ts"

export type Me = Answer<"me.get">

export const meQuery = { queryKey: ["me"], queryFn: () => call("me.get", {}) } as const

export const setMe = (me: Me): void => void queries.setQueryData(["me"], me)

export const knownMe = (): Me | undefined => queries.getQueryData<Me>(["me"])

/** Only for use below the shell, which is shown once the person is known. */
export const useMe = (): Me => {
  const { data } = useQuery(meQuery)
  if (data === undefined) throw new Error("me is read before the shell is shown")
  return data
}

/** The permissions that are missing for some operations; empty if all of them may be called. */
export const missingFor = (me: Me | undefined, ...names: ReadonlyArray<Name>): ReadonlyArray<string> =>
  [...new Set(names.flatMap(permissionsOf))].filter((permission) => me?.permissions.includes(permission) !== true)

export const may = (me: Me | undefined, ...names: ReadonlyArray<Name>): boolean => missingFor(me, ...names).length === 0

/** The name of the person who has signed in; the email address if no name was given yet. */
export const personName = ({ operator }: Me): string => operator?.name || operator?.email || "?"
