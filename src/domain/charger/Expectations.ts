/** What an organisation sets for its chargers: the configuration that they must have, and its quirk rules. */
import { Context, type Effect } from "effect"
import type { Make, Quirk } from "./Quirks.ts"
import type { TemplateKey } from "./Template.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface Template {
  readonly keys: ReadonlyArray<TemplateKey>
  /** ms epoch; undefined if none was ever set. */
  readonly updatedAt: number | undefined
}

/** Chargers of one make, with the same firmware. */
export interface Fleet extends Make {
  readonly chargers: number
  /** The first few ids. */
  readonly chargerIds: ReadonlyArray<string>
}

export class Expectations extends Context.Service<
  Expectations,
  {
    /** Empty if none is set. */
    readonly template: (organisationId: string) => Effect.Effect<Template, StorageUnavailable>
    /** Replaces the template. A connected charger gets the new one once it has booted on its next connection. */
    readonly setTemplate: (
      keys: ReadonlyArray<TemplateKey>,
      audit: AuditContext
    ) => Effect.Effect<Template, InvalidInput | StorageUnavailable>
    /** The organisation's own quirk rules, without the built-in ones. */
    readonly quirks: (organisationId: string) => Effect.Effect<ReadonlyArray<Quirk>, StorageUnavailable>
    /** Replaces the organisation's own quirk rules. */
    readonly setQuirks: (
      rules: ReadonlyArray<Quirk>,
      audit: AuditContext
    ) => Effect.Effect<ReadonlyArray<Quirk>, InvalidInput | StorageUnavailable>
    /** The makes of the organisation's chargers, most frequent first. Chargers that have not reported their make are left out. */
    readonly fleets: (organisationId: string) => Effect.Effect<ReadonlyArray<Fleet>, StorageUnavailable>
  }
>()("voltlane/Expectations") {}
