/** Which command the progress of an upload or of a firmware update belongs to (OCPP 1.6 §4.4, §4.5; security whitepaper §5). */
import type { FileKind } from "../file/StoredFile.ts"
import { mayHaveObeyed } from "./CommandEnd.ts"
import type { CommandStatus } from "./Command.ts"

export const transferTypes = ["GetDiagnostics", "GetLog", "UpdateFirmware", "SignedUpdateFirmware"] as const

/** A command for a transfer, of one charger. */
export interface Transfer {
  readonly commandId: string
  readonly type: (typeof transferTypes)[number]
  /** Of a GetLog or SignedUpdateFirmware. */
  readonly requestId: number | undefined
  readonly status: CommandStatus
  readonly errorCode: string | undefined
}

export interface TransferReport {
  readonly kind: FileKind
  readonly status: string
  /** Undefined where the charger's message has none. */
  readonly requestId: number | undefined
}

const typesOf: Readonly<Record<FileKind, ReadonlyArray<Transfer["type"]>>> = {
  Diagnostics: ["GetDiagnostics"],
  Log: ["GetLog"],
  Firmware: ["UpdateFirmware", "SignedUpdateFirmware"]
}

/** The command that a report means: of its kind, with its number where it has one, and one that the charger may have obeyed. `newestFirst`. */
export const transferMeant = (
  { kind, requestId, status }: TransferReport,
  newestFirst: ReadonlyArray<Transfer>
): Transfer | undefined =>
  // A charger that has nothing to do says Idle, and means no transfer.
  status === "Idle"
    ? undefined
    : newestFirst.find(
        (transfer) =>
          typesOf[kind].includes(transfer.type) &&
          (requestId === undefined || transfer.requestId === requestId) &&
          mayHaveObeyed(transfer)
      )
