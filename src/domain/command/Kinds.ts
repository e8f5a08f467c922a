/** Properties of each type of command, for code that handles all types. */
import type { ChargerCommand } from "./ChargerCommand.ts"
import type { CommandType } from "./Command.ts"

/** Whether a command changes something at the charger or only reads. */
const kinds: { readonly [Type in CommandType]: "changes" | "asks" } = {
  RemoteStart: "changes",
  RemoteStop: "changes",
  UnlockConnector: "changes",
  Reset: "changes",
  ChangeAvailability: "changes",
  GetConfiguration: "asks",
  ChangeConfiguration: "changes",
  ClearCache: "changes",
  DataTransfer: "changes",
  GetDiagnostics: "asks",
  UpdateFirmware: "changes",
  GetLocalListVersion: "asks",
  SendLocalList: "changes",
  ReserveNow: "changes",
  CancelReservation: "changes",
  SetChargingProfile: "changes",
  ClearChargingProfile: "changes",
  GetCompositeSchedule: "asks",
  TriggerMessage: "asks",
  ExtendedTriggerMessage: "asks",
  CertificateSigned: "changes",
  DeleteCertificate: "changes",
  GetInstalledCertificateIds: "asks",
  GetLog: "asks",
  InstallCertificate: "changes",
  SignedUpdateFirmware: "changes"
}

// Object.keys does not keep the type of the record's keys.
export const commandTypes = Object.keys(kinds) as ReadonlyArray<CommandType>

/** The commands that can do harm when they are sent to many chargers at once (T26). */
export const disruptiveTypes: ReadonlyArray<CommandType> = commandTypes.filter((type) => kinds[type] === "changes")

/** True for a command of a disruptive type. */
export const isDisruptive = (command: ChargerCommand): boolean => kinds[command._tag] === "changes"

/** The configuration key that holds the charger's password (security whitepaper §2.3), in lower case as keys compare. */
export const passwordKey = "authorizationkey"
