/** Storage of drivers' tokens, scoped by organisation; uids compare case-insensitively. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Token, TokenStatus } from "./Token.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export type TokenInput = Pick<Token, "uid" | "type" | "status" | "parentUid" | "expiresAt" | "visualNumber" | "note">
export type TokenPatch = { readonly [K in Exclude<keyof TokenInput, "uid">]?: TokenInput[K] | null }

export interface TokenFilter {
  readonly status?: TokenStatus | undefined
  /** A part of the uid, group, printed number or note, case-insensitive. */
  readonly text?: string | undefined
}

export class Tokens extends Context.Service<
  Tokens,
  {
    /** `Conflict` `token_exists` if the organisation has a token with this uid. */
    readonly create: (
      input: TokenInput,
      audit: AuditContext
    ) => Effect.Effect<Token, Conflict | InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, uid: string) => Effect.Effect<Token, NotFound | StorageUnavailable>
    readonly list: (
      organisationId: string,
      page: PageRequest & TokenFilter
    ) => Effect.Effect<Page<Token>, InvalidInput | StorageUnavailable>
    readonly update: (
      uid: string,
      patch: TokenPatch,
      audit: AuditContext
    ) => Effect.Effect<Token, NotFound | InvalidInput | StorageUnavailable>
    readonly remove: (uid: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/Tokens") {}
