/** One type of command as REST v2 takes it: the shape of its parameters, and the domain's command that they make. */
import type { Schema } from "effect"
import type { ChargerCommand } from "../../../domain/command/ChargerCommand.ts"

/** What a command needs that its parameters leave out: found from the ports when it is issued. */
export type Open<C extends ChargerCommand = ChargerCommand> =
  | C
  /** A number that the service gives: a reservation's, a request's. */
  | { readonly _tag: "NeedsNumber"; readonly with: (n: number) => ChargerCommand | Open }
  /** A session of this charger, by its id; `with` takes its transaction id. */
  | {
      readonly _tag: "NeedsSession"
      readonly sessionId: string
      readonly with: (transactionId: number) => ChargerCommand
    }
  /** The version after the one that the charger's local list has. */
  | { readonly _tag: "NeedsListVersion"; readonly with: (listVersion: number) => ChargerCommand }
  /** The organisation's own tokens. */
  | { readonly _tag: "NeedsTokens"; readonly listVersion: number | undefined }
  /** A place for the charger's upload; `with` takes its URL. */
  | {
      readonly _tag: "NeedsUpload"
      readonly kind: "Diagnostics" | "Log"
      readonly with: (location: string) => ChargerCommand | Open
    }
  /** A stored file as a URL for the charger. */
  | {
      readonly _tag: "NeedsDownload"
      readonly fileId: string
      /** When the charger is to fetch it; ms epoch. */
      readonly retrieveAt: number
      readonly with: (location: string) => ChargerCommand | Open
    }
  /** A new password, when none was given. */
  | { readonly _tag: "NeedsPassword"; readonly key: string }
  | { readonly _tag: "Refused"; readonly pointer: string; readonly detail: string }

export interface Row<S extends Schema.Top> {
  readonly schema: S
  /** `now` in ms epoch, for what must lie ahead. */
  readonly open: (given: S["Type"], now: number) => Open
}

export const row = <S extends Schema.Top>(schema: S, open: Row<S>["open"]): Row<S> => ({ schema, open })

export const refused = (pointer: string, detail: string): Open => ({ _tag: "Refused", pointer, detail })
