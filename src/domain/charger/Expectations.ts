/** What an organisation expects of its chargers: the configuration they are to have, and what some makes need to be granted. */
import { Context, type Effect } from "effect"
import type { Make, Quirk } from "./Quirks.ts"
import type { TemplateKey } from "./Template.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface Template {
  readonly keys: ReadonlyArray<TemplateKey>
  /** ms epoch; undefined while there never was one. */
  readonly updatedAt: number | undefined
}

/** Chargers that reported the same of themselves. */
export interface Fleet extends Make {
  readonly chargers: number
  /** The first few ids. */
  readonly chargerIds: ReadonlyArray<string>
}

export class Expectations extends Context.Service<
  Expectations,
  {
    /** Empty while there is none. */
    readonly template: (organisationId: string) => Effect.Effect<Template, StorageUnavailable>
    /** Replaces it. A charger that is connected learns of it after it has connected anew. */
    readonly setTemplate: (
      keys: ReadonlyArray<TemplateKey>,
      audit: AuditContext
    ) => Effect.Effect<Template, InvalidInput | StorageUnavailable>
    /** The organisation's own rules, without the built-in ones. */
    readonly quirks: (organisationId: string) => Effect.Effect<ReadonlyArray<Quirk>, StorageUnavailable>
    /** Replaces them. */
    readonly setQuirks: (
      rules: ReadonlyArray<Quirk>,
      audit: AuditContext
    ) => Effect.Effect<ReadonlyArray<Quirk>, InvalidInput | StorageUnavailable>
    /** The makes of the organisation's chargers, the most frequent first; those that have not reported theirs are left out. */
    readonly fleets: (organisationId: string) => Effect.Effect<ReadonlyArray<Fleet>, StorageUnavailable>
  }
>()("voltlane/Expectations") {}
