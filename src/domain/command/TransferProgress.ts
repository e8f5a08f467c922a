/** Finds the command to which a progress report of an upload or firmware update belongs (OCPP 1.6 §4.4, §4.5; security whitepaper §5). */
import type { FileKind } from "../file/StoredFile.ts"
import { mayHaveObeyed } from "./CommandEnd.ts"
import type { CommandStatus } from "./Command.ts"

export const transferTypes = ["GetDiagnostics", "GetLog", "UpdateFirmware", "SignedUpdateFirmware"] as const

/** A command to one charger that makes it transfer a file. */
export interface Transfer {
  readonly commandId: string
  readonly type: (typeof transferTypes)[number]
  /** The request id of a GetLog or SignedUpdateFirmware. */
  readonly requestId: number | undefined
  readonly status: CommandStatus
  readonly errorCode: string | undefined
}

export interface TransferReport {
  readonly kind: FileKind
  readonly status: string
  /** Undefined if the charger's message has none. */
  readonly requestId: number | undefined
}

const typesOf: Readonly<Record<FileKind, ReadonlyArray<Transfer["type"]>>> = {
  Diagnostics: ["GetDiagnostics"],
  Log: ["GetLog"],
  Firmware: ["UpdateFirmware", "SignedUpdateFirmware"]
}

/** The newest command of the report's kind that the charger may have executed, with the report's request id if it has one. */
export const transferMeant = (
  { kind, requestId, status }: TransferReport,
  newestFirst: ReadonlyArray<Transfer>
): Transfer | undefined =>
  // A charger that has nothing to do reports Idle, which belongs to no transfer.
  status === "Idle"
    ? undefined
    : newestFirst.find(
        (transfer) =>
          typesOf[kind].includes(transfer.type) &&
          (requestId === undefined || transfer.requestId === requestId) &&
          mayHaveObeyed(transfer)
      )
