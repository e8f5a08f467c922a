/** Metrics of uploads: how many are running, and how many were refused or aborted, by reason. */
import { type Context, Metric } from "effect"

const running = Metric.gauge("file_uploads_running", {
  description: "Uploads of files that are running in this process"
})

const reasons = ["busy", "full", "quota", "replaced", "slow"] as const
export type UploadRefusal = (typeof reasons)[number]

const refused = new Map(
  reasons.map((reason) => [
    reason,
    Metric.counter("file_uploads_refused_total", {
      description:
        "Uploads of files that were refused or aborted, by reason: too many at once, a full disk, the quota, a newer upload to the same URL, too slow",
      incremental: true,
      attributes: { reason }
    })
  ])
)

export const uploadMetrics = [running, ...refused.values()]

/** Functions that record the metrics in the given context. */
export const uploadMeasures = (context: Context.Context<never>) => ({
  running: (count: number): void => running.updateUnsafe(count, context),
  refused: (reason: UploadRefusal): void => refused.get(reason)?.updateUnsafe(1, context)
})

export type UploadMeasures = ReturnType<typeof uploadMeasures>
