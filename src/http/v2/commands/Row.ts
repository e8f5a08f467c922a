/** One type of command in REST v2: the schema of its parameters, and the domain's command made from them. */
import type { Schema } from "effect"
import type { ChargerCommand } from "../../../domain/command/ChargerCommand.ts"

/** A command, or what is still missing from it. Missing values are filled in from the ports when the command is issued. */
export type Open<C extends ChargerCommand = ChargerCommand> =
  | C
  /** A number that the service assigns: of a reservation or a request. */
  | { readonly _tag: "NeedsNumber"; readonly with: (n: number) => ChargerCommand | Open }
  /** A session of this charger by its id; `with` receives its transaction id. */
  | {
      readonly _tag: "NeedsSession"
      readonly sessionId: string
      readonly with: (transactionId: number) => ChargerCommand
    }
  /** The version that follows the current one of the charger's local list. */
  | { readonly _tag: "NeedsListVersion"; readonly with: (listVersion: number) => ChargerCommand }
  /** The organisation's own tokens. */
  | { readonly _tag: "NeedsTokens"; readonly listVersion: number | undefined }
  /** A place for the charger's upload; `with` receives its URL. */
  | {
      readonly _tag: "NeedsUpload"
      readonly kind: "Diagnostics" | "Log"
      readonly with: (location: string) => ChargerCommand | Open
    }
  /** A stored file as a URL for the charger. */
  | {
      readonly _tag: "NeedsDownload"
      readonly fileId: string
      /** When the charger is to download it; ms epoch. */
      readonly retrieveAt: number
      readonly with: (location: string) => ChargerCommand | Open
    }
  /** A new password, if none was given. */
  | { readonly _tag: "NeedsPassword"; readonly key: string }
  | { readonly _tag: "Refused"; readonly pointer: string; readonly detail: string }

export interface Row<S extends Schema.Top> {
  readonly schema: S
  /** `now` in ms epoch, for times that must be in the future. */
  readonly open: (given: S["Type"], now: number) => Open
}

export const row = <S extends Schema.Top>(schema: S, open: Row<S>["open"]): Row<S> => ({ schema, open })

export const refused = (pointer: string, detail: string): Open => ({ _tag: "Refused", pointer, detail })
