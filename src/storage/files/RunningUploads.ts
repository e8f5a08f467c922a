/** The uploads that are running in this process: how much of each was received, and whose they are. */
import { Deferred, Effect } from "effect"
import { Conflict } from "../../domain/Errors.ts"
import type { UploadMeasures } from "./UploadMetrics.ts"

export interface Upload {
  readonly id: string
  readonly organisationId: string
  readonly declared: number
  /** How many bytes were received. */
  bytes: number
  readonly replaced: Deferred.Deferred<never, Conflict>
}

const replaced = new Conflict({
  code: "upload_replaced",
  message: "The upload was started again, which ended this one."
})

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
   * Ends older uploads of the same file. A charger whose connection broke may retry before we notice that its first upload has ended, so
   * the newer one continues.
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
