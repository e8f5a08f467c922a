/**
 * The log of the exchanges with each partner in both directions. Records are written later in batches, limited in number, and deleted after their
 * retention.
 */
import { Context, type Effect } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { ExchangeRecord } from "./ExchangeRecord.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export interface ExchangeSearch extends PageRequest {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly module?: string | undefined
  readonly direction?: "in" | "out" | undefined
  /** True: only failed exchanges. False: only successful ones. */
  readonly failed?: boolean | undefined
}

/** The state of one module in one direction since the partner was created. Times in ms epoch. */
export interface ModuleHealth {
  readonly module: string
  readonly direction: "in" | "out"
  readonly lastSuccessAt: number | undefined
  readonly lastFailureAt: number | undefined
  /** The error of that failure. */
  readonly lastFailure: string | undefined
  readonly successes: number
  readonly failures: number
}

export class Exchanges extends Context.Service<
  Exchanges,
  {
    /** Never waits and never fails. A record over the limit is dropped and counted. */
    readonly record: (exchange: ExchangeRecord) => void
    /** Newest first, including records that are not written yet. */
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
