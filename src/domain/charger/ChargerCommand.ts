/**
 * What we ask of a charger, in the domain's words; `ocpp/v*` encode each into its own action and read the answer back. This issue needs
 * only what fills a charger's record; further commands are further members.
 */

export type ChargerCommand =
  /** All keys when `keys` is empty (OCPP 1.6 §5.8). */
  | { readonly _tag: "GetConfiguration"; readonly keys: ReadonlyArray<string> }
  | { readonly _tag: "ChangeConfiguration"; readonly key: string; readonly value: string }
  | { readonly _tag: "TriggerMessage"; readonly requestedMessage: string; readonly connectorId: number | undefined }

export interface ConfigurationKey {
  readonly key: string
  readonly value: string | undefined
  readonly readonly: boolean
}

/** What came of a command that was sent. */
export type CommandResult =
  | {
      readonly _tag: "ConfigurationKeys"
      readonly keys: ReadonlyArray<ConfigurationKey>
      readonly unknown: ReadonlyArray<string>
    }
  | { readonly _tag: "Status"; readonly status: string }
  | { readonly _tag: "CallError"; readonly code: string; readonly description: string }
  /** The charger's CALLRESULT could not be read; kept for the log. */
  | { readonly _tag: "Unreadable"; readonly problem: string }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "ConnectionLost" }
