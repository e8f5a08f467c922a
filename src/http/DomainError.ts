/** The errors of the domain as one closed type, for the tables that map them: each generation of REST owns one. */
import type * as Errors from "../domain/Errors.ts"

/** Every error that the domain knows. */
export type DomainError = InstanceType<(typeof Errors)[keyof typeof Errors]>

export interface Row {
  readonly status: number
  /** Stable and machine-readable; `Conflict` carries its own. */
  readonly code: string
}

/** True for an error that `table`, exhaustive by its type, has a row for. */
export const isDomainError =
  (table: Record<DomainError["_tag"], Row>) =>
  (error: unknown): error is DomainError =>
    error instanceof Error && "_tag" in error && typeof error._tag === "string" && Object.hasOwn(table, error._tag)
