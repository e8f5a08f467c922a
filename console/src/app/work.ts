/** How much waits for a decision, as the service counts it; read again when it says that a count has changed. */
import { useQuery } from "@tanstack/react-query"
import { call } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import { count } from "../parts/format.ts"

export type WorkCounts = Answer<"work.get">

/** The service counts no further. */
const countedMost = 1_000

export const useWork = (): WorkCounts | undefined =>
  useQuery({ queryKey: ["work.get"], queryFn: () => call("work.get", {}) }).data

/** All queues together; what one may not read counts for nothing. */
export const waitingOf = (counts: WorkCounts | undefined): number =>
  Object.values(counts ?? {}).reduce<number>((sum, items) => sum + (items ?? 0), 0)

/** `999+` says of a queue that there are that many or more. */
export const counted = (items: number): string => (items >= countedMost ? `${count(countedMost - 1)}+` : count(items))
