/** All sites of the organisation, for lists to choose from. */
import { type QueryObserverOptions } from "@tanstack/react-query"
import { call } from "../api/client.ts"
import type { Answer, Site } from "../api/types.ts"

const pageSize = 500

/** Reads every page: a page also ends at 1 MiB, so that even a few hundred sites may be more than one. */
export const readSites = async (signal?: AbortSignal): Promise<ReadonlyArray<Site>> => {
  const sites: Array<Site> = []
  let cursor: string | null = null
  do {
    const page: Answer<"sites.list"> = await call(
      "sites.list",
      { query: { limit: pageSize, ...(cursor === null ? {} : { cursor }) } },
      signal
    )
    sites.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return sites
}

/** All sites, as one query that the pages share. */
export const allSites = {
  queryKey: ["sites.list", { all: true }],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => readSites(signal)
} satisfies QueryObserverOptions<ReadonlyArray<Site>>
