/** How many things wait for a decision, as the service counts them; read again when an event says that a count has changed. */
import { useQuery } from "@tanstack/react-query"
import { call } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import { count } from "../parts/format.ts"

export type WorkCounts = Answer<"work.get">

/** The service stops counting here. */
const countedMost = 1_000

export const useWork = (): WorkCounts | undefined =>
  useQuery({ queryKey: ["work.get"], queryFn: () => call("work.get", {}) }).data

/** The sum of all queues; a queue that the person may not read counts as 0. */
export const waitingOf = (counts: WorkCounts | undefined): number =>
  Object.values(counts ?? {}).reduce<number>((sum, items) => sum + (items ?? 0), 0)

/** A count as text; `999+` if the service stopped counting. */
export const counted = (items: number): string => (items >= countedMost ? `${count(countedMost - 1)}+` : count(items))
