/**
 * The journal of facts, as a charger's actor sees it. Its one promise: when `commit` succeeds, the facts and every projection of them
 * are stored. Implementations gather what many chargers commit at one time into one transaction.
 */
import { Context, type Effect } from "effect"
import type { CommitOutcome } from "./Decision.ts"
import type { FactRefused, StorageUnavailable } from "../Errors.ts"
import type { ChargerFact } from "./Fact.ts"

export class Journal extends Context.Service<
  Journal,
  {
    /**
     * Stores facts of one charger, all or none. Facts whose business key is stored already change nothing and come back as not recorded.
     * `StorageUnavailable` with reason `unknown` means that the commit may have happened: drop state and load it again.
     */
    readonly commit: (
      facts: ReadonlyArray<ChargerFact>
    ) => Effect.Effect<CommitOutcome, StorageUnavailable | FactRefused>
  }
>()("voltlane/Journal") {}
