/** Looks up records of domains in the DNS. */
import { Context, Data, type Effect } from "effect"

/** There was no answer. `message` may be shown. */
export class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly message: string }> {}

export class DomainRecords extends Context.Service<
  DomainRecords,
  {
    /** The TXT records of a name; empty if the name has none or does not exist. */
    readonly texts: (name: string) => Effect.Effect<ReadonlyArray<string>, LookupFailed>
  }
>()("voltlane/DomainRecords") {}
