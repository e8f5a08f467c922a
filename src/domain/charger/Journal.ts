/**
 * The journal of facts as a charger's actor uses it. When `commit` succeeds, the facts and all their projections are stored. Implementations combine
 * the simultaneous commits of many chargers into one transaction.
 */
import { Context, Effect, type Result } from "effect"
import type { CommitOutcome } from "./Decision.ts"
import type { FactRefused, StorageUnavailable } from "../Errors.ts"
import type { ChargerFact } from "./Fact.ts"

export type CommitResult = Result.Result<CommitOutcome, StorageUnavailable | FactRefused>

export class Journal extends Context.Service<
  Journal,
  {
    /**
     * Stores facts of one charger, all or none. A fact whose business key is stored already changes nothing and is reported as not recorded.
     * `StorageUnavailable` with reason `unknown` means that the commit may have happened: drop the state and load it again.
     */
    readonly commit: (
      facts: ReadonlyArray<ChargerFact>
    ) => Effect.Effect<CommitOutcome, StorageUnavailable | FactRefused>
    /** `commit` as a callback, for the path of every message. `done` is called once with the result and must not throw. */
    readonly commitThen: (facts: ReadonlyArray<ChargerFact>, done: (result: CommitResult) => void) => void
  }
>()("voltlane/Journal") {}

/** Builds a journal from its callback form. */
export const journalOf = (commitThen: Journal["Service"]["commitThen"]): Journal["Service"] => ({
  commitThen,
  commit: (facts) => Effect.callback((resume) => commitThen(facts, (result) => resume(Effect.fromResult(result))))
})
