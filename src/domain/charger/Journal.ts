/**
 * The journal of facts as a charger's actor uses it. When `commit` succeeds, the facts and all their projections are stored. Implementations put
 * the simultaneous commits of many chargers into one transaction.
 */
import { Context, type Effect } from "effect"
import type { CommitOutcome } from "./Decision.ts"
import type { FactRefused, StorageUnavailable } from "../Errors.ts"
import type { ChargerFact } from "./Fact.ts"

export class Journal extends Context.Service<
  Journal,
  {
    /**
     * Stores facts of one charger, all or none. A fact with a business key that is stored already changes nothing and comes back as not recorded.
     * `StorageUnavailable` with reason `unknown` means that the commit may have happened: drop the state and load it again.
     */
    readonly commit: (
      facts: ReadonlyArray<ChargerFact>
    ) => Effect.Effect<CommitOutcome, StorageUnavailable | FactRefused>
  }
>()("voltlane/Journal") {}
