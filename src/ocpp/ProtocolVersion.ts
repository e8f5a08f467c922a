/**
 * The contract that every OCPP version fulfils: a value that translates between that version's messages and the domain's words. Nothing
 * outside `ocpp/v*` knows a version's message; a connection's version is fixed by its subprotocol and never changes.
 */
import type { ChargerCommand, CommandResult } from "../domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../domain/charger/ChargerEvent.ts"
import type { Reply } from "../domain/charger/Reply.ts"
import type { ErrorCode } from "./rpc/ErrorCode.ts"

export type DecodedCall =
  /** `violations` are named deviations that were tolerated; counted, and shown to operators, never a reason to refuse. */
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
   * Reads the payload of a CALL as liberally as it can. `undefined` means a frame that is beyond reading and still names its action:
   * a transaction message is then an event (unreadable, to be stored raw), anything else refused.
   */
  readonly decodeCall: (action: string, payload: unknown) => DecodedCall
  /** Writes the strictly valid, minimal answer to `action`; times are UTC with a trailing Z. */
  readonly encodeReply: (action: string, reply: Reply, now: number) => EncodedReply
  readonly encodeCommand: (command: ChargerCommand) => {
    readonly action: string
    readonly payload: Readonly<Record<string, unknown>>
  }
  /** Reads the CALLRESULT of a command of ours. The answer in the result is as it came, without its secrets and within bounds. */
  readonly decodeResult: (command: ChargerCommand, payload: unknown) => CommandResult
  /** Reads the CALLERROR of a command of ours, without its secrets. */
  readonly decodeError: (command: ChargerCommand, code: string, description: string) => CommandResult
  /** The frame's text with secrets replaced by `***`, for logs. `action` is the CALL's, also for its result. */
  readonly mask: (action: string, frame: string) => string
}
