/** The errors of the domain as one closed type. REST v1 and REST v2 each map them to answers in a table of their own. */
import { Cause } from "effect"
import type * as Errors from "../domain/Errors.ts"
import { refusalOf } from "../domain/operator/WriteBudget.ts"

/** Every error that the domain knows. */
export type DomainError = InstanceType<(typeof Errors)[keyof typeof Errors]>

export interface Row {
  readonly status: number
  /** Stable and machine-readable. `Conflict` has a code of its own instead. */
  readonly code: string
}

/** True for an error that `table` has a row for. The type of `table` requires a row for every domain error. */
export const isDomainError =
  (table: Record<DomainError["_tag"], Row>) =>
  (error: unknown): error is DomainError =>
    error instanceof Error && "_tag" in error && typeof error._tag === "string" && Object.hasOwn(table, error._tag)

/** The refusal of a write whose author's budget is used up, which ends the write as a defect; undefined for any other cause. */
export const refusalIn = refusalOf

/** The failure of an effect; undefined if it ended with a defect. */
export const failureIn = (cause: Cause.Cause<unknown>): unknown =>
  cause.reasons.some(Cause.isDieReason) ? undefined : cause.reasons.find(Cause.isFailReason)?.error
