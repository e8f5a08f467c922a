/**
 * The contract that every OCPP version fulfils: a value that translates between that version's messages and the types
 * of the domain. Nothing outside `ocpp/v*` knows a version's messages. The version of a connection is fixed by its
 * subprotocol and never changes.
 */
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../domain/charger/ChargerEvent.ts"
import type { Reply } from "../domain/charger/Reply.ts"
import type { ErrorCode } from "./rpc/ErrorCode.ts"

export type DecodedCall =
  /**
   * `violations`: names of the deviations that were tolerated. They are counted and shown to operators, and are never a
   * reason to refuse.
   */
  | { readonly _tag: "Event"; readonly event: ChargerEvent; readonly violations: ReadonlyArray<string> }
  | { readonly _tag: "Refused"; readonly code: ErrorCode; readonly description: string }

export type EncodedReply =
  | { readonly _tag: "Result"; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Error"; readonly code: ErrorCode; readonly description: string }

export interface ProtocolVersion {
  /** As the domain and REST show it. */
  readonly version: "1.6" | "2.0.1" | "2.1"
  readonly subprotocol: "ocpp1.6" | "ocpp2.0.1" | "ocpp2.1"
  /**
   * Reads the payload of a CALL as liberally as it can. `undefined` as payload means that the frame is unreadable but
   * names its action. A transaction message is then an event (unreadable, to be stored raw); anything else is refused.
   */
  readonly decodeCall: (action: string, payload: unknown) => DecodedCall
  /** Writes a strictly valid, minimal answer to `action`. Times are UTC with a trailing Z. */
  readonly encodeReply: (action: string, reply: Reply, now: number) => EncodedReply
  readonly encodeCommand: (command: ChargerCommand) => {
    readonly action: string
    readonly payload: Readonly<Record<string, unknown>>
  }
  /** Reads the CALLRESULT of a command of ours. The result contains the answer as it was sent, without secrets and cut to a limit. */
  readonly decodeResult: (command: ChargerCommand, payload: unknown) => CommandResult
  /** Reads the CALLERROR of a command of ours, without its secrets. */
  readonly decodeError: (command: ChargerCommand, code: string, description: string) => CommandResult
  /** The frame's text with secrets replaced by `***`, for logs. */
  readonly mask: (frame: string) => string
}
