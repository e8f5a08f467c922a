/** The uploads that run in this process: what has come of each, and whose they are. */
import { Deferred, Effect } from "effect"
import { Conflict } from "../../domain/Errors.ts"
import type { UploadMeasures } from "./UploadMetrics.ts"

export interface Upload {
  readonly id: string
  readonly organisationId: string
  readonly declared: number
  /** What has come of it. */
  bytes: number
  readonly replaced: Deferred.Deferred<never, Conflict>
}

const replaced = new Conflict({ code: "upload_replaced", message: "This upload has begun again." })

export class RunningUploads {
  private readonly running = new Set<Upload>()
  private readonly measures: UploadMeasures

  constructor(measures: UploadMeasures) {
    this.measures = measures
  }

  add(upload: Upload): void {
    this.running.add(upload)
    this.measures.running(this.running.size)
  }

  remove(upload: Upload): void {
    this.running.delete(upload)
    this.measures.running(this.running.size)
  }

  of(organisationId: string): ReadonlyArray<Upload> {
    return [...this.running].filter((one) => one.organisationId === organisationId)
  }

  received(id: string): number | undefined {
    return [...this.running].find((one) => one.id === id)?.bytes
  }

  /**
   * One upload of a file at a time: a charger that tries again after its line broke does so before we notice that the first try has ended. So the
   * newer one goes on.
   */
  replace(id: string): Effect.Effect<void> {
    return Effect.forEach(
      [...this.running].filter((one) => one.id === id),
      (older) => {
        this.remove(older)
        return Deferred.fail(older.replaced, replaced)
      },
      { discard: true }
    )
  }
}
