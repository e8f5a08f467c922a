/** The log of what was exchanged with each partner, in both directions: written behind in batches, bounded, gone after its retention. */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { ExchangeRecord } from "./ExchangeRecord.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export interface ExchangeSearch extends PageRequest {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly module?: string | undefined
  readonly direction?: "in" | "out" | undefined
  /** True for those alone that did not succeed, false for those that did. */
  readonly failed?: boolean | undefined
}

/** How one module does in one direction, since the partner was made. Times in ms epoch. */
export interface ModuleHealth {
  readonly module: string
  readonly direction: "in" | "out"
  readonly lastSuccessAt: number | undefined
  readonly lastFailureAt: number | undefined
  /** What went wrong then. */
  readonly lastFailure: string | undefined
  readonly successes: number
  readonly failures: number
}

export class Exchanges extends Context.Service<
  Exchanges,
  {
    /** Never waits and never fails: over its bound the record is dropped and counted. */
    readonly record: (exchange: ExchangeRecord) => void
    /** Newest first. Includes what has not been written yet. */
    readonly search: (
      organisationId: string,
      partnerId: string,
      search: ExchangeSearch
    ) => Effect.Effect<Page<ExchangeRecord & { readonly id: string }>, InvalidInput | StorageUnavailable>
    readonly health: (
      organisationId: string,
      partnerId: string
    ) => Effect.Effect<ReadonlyArray<ModuleHealth>, StorageUnavailable>
  }
>()("voltlane/Exchanges") {}
