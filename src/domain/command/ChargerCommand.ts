/**
 * Commands to a charger, independent of the OCPP version; `ocpp/v*` encode each into its own action and decode the answer. They are Schemas because
 * commands are stored before they are sent. Times are ms epoch, durations are seconds.
 */
import { Schema } from "effect"
import { ChargingProfile, type ChargingSchedule, ProfilePurpose } from "./ChargingProfile.ts"

/** A place on a charger; `{ evseId: 0, connectorId: 0 }` is the whole charger. */
const Place = Schema.Struct({ evseId: Schema.Int, connectorId: Schema.Int })

const retries = { retries: Schema.optionalKey(Schema.Int), retryIntervalSeconds: Schema.optionalKey(Schema.Int) }

/** The statuses that a token can have in a local list (OCPP 1.6 §7.2, without ConcurrentTx). */
export const listedStatuses = ["Accepted", "Blocked", "Expired", "Invalid"] as const

export const LocalListEntry = Schema.Struct({
  tokenUid: Schema.String,
  /** Without it the token is removed from the list (only in a differential update). */
  authorization: Schema.optionalKey(
    Schema.Struct({
      status: Schema.Literals(listedStatuses),
      expiresAt: Schema.optionalKey(Schema.Finite),
      parentUid: Schema.optionalKey(Schema.String)
    })
  )
})
export type LocalListEntry = typeof LocalListEntry.Type

export const hashAlgorithms = ["SHA256", "SHA384", "SHA512"] as const

export const CertificateHash = Schema.Struct({
  hashAlgorithm: Schema.Literals(hashAlgorithms),
  issuerNameHash: Schema.String,
  issuerKeyHash: Schema.String,
  serialNumber: Schema.String
})
export type CertificateHash = typeof CertificateHash.Type

export const CertificateUse = Schema.Literals(["CentralSystemRootCertificate", "ManufacturerRootCertificate"])
export type CertificateUse = typeof CertificateUse.Type

export const ChargerCommand = Schema.Union([
  // Core
  Schema.TaggedStruct("RemoteStart", {
    tokenUid: Schema.String,
    place: Schema.optionalKey(Place),
    chargingProfile: Schema.optionalKey(ChargingProfile)
  }),
  Schema.TaggedStruct("RemoteStop", { transactionId: Schema.Int }),
  Schema.TaggedStruct("UnlockConnector", { place: Place }),
  Schema.TaggedStruct("Reset", { kind: Schema.Literals(["Hard", "Soft"]) }),
  Schema.TaggedStruct("ChangeAvailability", {
    place: Place,
    availability: Schema.Literals(["Operative", "Inoperative"])
  }),
  /** All keys when `keys` is empty (OCPP 1.6 §5.8). */
  Schema.TaggedStruct("GetConfiguration", { keys: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("ChangeConfiguration", { key: Schema.String, value: Schema.String }),
  Schema.TaggedStruct("ClearCache", {}),
  Schema.TaggedStruct("DataTransfer", {
    vendorId: Schema.String,
    messageId: Schema.optionalKey(Schema.String),
    data: Schema.optionalKey(Schema.String)
  }),
  // FirmwareManagement
  Schema.TaggedStruct("GetDiagnostics", {
    location: Schema.String,
    startTime: Schema.optionalKey(Schema.Finite),
    stopTime: Schema.optionalKey(Schema.Finite),
    ...retries
  }),
  Schema.TaggedStruct("UpdateFirmware", { location: Schema.String, retrieveAt: Schema.Finite, ...retries }),
  // LocalAuthListManagement
  Schema.TaggedStruct("GetLocalListVersion", {}),
  Schema.TaggedStruct("SendLocalList", {
    listVersion: Schema.Int,
    updateType: Schema.Literals(["Full", "Differential"]),
    entries: Schema.Array(LocalListEntry)
  }),
  // Reservation
  Schema.TaggedStruct("ReserveNow", {
    reservationId: Schema.Int,
    place: Place,
    tokenUid: Schema.String,
    parentUid: Schema.optionalKey(Schema.String),
    expiresAt: Schema.Finite
  }),
  Schema.TaggedStruct("CancelReservation", { reservationId: Schema.Int }),
  // SmartCharging
  Schema.TaggedStruct("SetChargingProfile", { place: Place, profile: ChargingProfile }),
  /** Clears the profiles that match all given fields; all profiles if none is given. */
  Schema.TaggedStruct("ClearChargingProfile", {
    profileId: Schema.optionalKey(Schema.Int),
    place: Schema.optionalKey(Place),
    purpose: Schema.optionalKey(ProfilePurpose),
    stackLevel: Schema.optionalKey(Schema.Int)
  }),
  Schema.TaggedStruct("GetCompositeSchedule", {
    place: Place,
    durationSeconds: Schema.Int,
    rateUnit: Schema.optionalKey(Schema.Literals(["A", "W"]))
  }),
  // RemoteTrigger, and the security whitepaper's extension of it
  Schema.TaggedStruct("TriggerMessage", { requestedMessage: Schema.String, place: Schema.optionalKey(Place) }),
  Schema.TaggedStruct("ExtendedTriggerMessage", { requestedMessage: Schema.String, place: Schema.optionalKey(Place) }),
  // Security whitepaper
  Schema.TaggedStruct("CertificateSigned", { certificateChain: Schema.String }),
  Schema.TaggedStruct("DeleteCertificate", { hash: CertificateHash }),
  Schema.TaggedStruct("GetInstalledCertificateIds", { certificateType: CertificateUse }),
  Schema.TaggedStruct("GetLog", {
    logType: Schema.Literals(["DiagnosticsLog", "SecurityLog"]),
    requestId: Schema.Int,
    location: Schema.String,
    oldestAt: Schema.optionalKey(Schema.Finite),
    latestAt: Schema.optionalKey(Schema.Finite),
    ...retries
  }),
  Schema.TaggedStruct("InstallCertificate", { certificateType: CertificateUse, certificate: Schema.String }),
  Schema.TaggedStruct("SignedUpdateFirmware", {
    requestId: Schema.Int,
    location: Schema.String,
    retrieveAt: Schema.Finite,
    installAt: Schema.optionalKey(Schema.Finite),
    signingCertificate: Schema.String,
    signature: Schema.String,
    ...retries
  })
])
export type ChargerCommand = typeof ChargerCommand.Type

/** The command of one kind. */
export type CommandOf<Tag extends ChargerCommand["_tag"]> = Extract<ChargerCommand, { readonly _tag: Tag }>

export interface ConfigurationKey {
  readonly key: string
  readonly value: string | undefined
  readonly readonly: boolean
}

/** The parts of an answer that decisions need besides its status. */
export type AnswerContent =
  | {
      readonly _tag: "Configuration"
      readonly keys: ReadonlyArray<ConfigurationKey>
      readonly unknown: ReadonlyArray<string>
    }
  | { readonly _tag: "LocalListVersion"; readonly version: number }
  | { readonly _tag: "FileName"; readonly fileName: string | undefined }
  | {
      readonly _tag: "CompositeSchedule"
      readonly evseId: number | undefined
      /** ms epoch at which the schedule begins. */
      readonly startAt: number | undefined
      readonly schedule: ChargingSchedule | undefined
    }
  | { readonly _tag: "Certificates"; readonly hashes: ReadonlyArray<CertificateHash> }

/** The outcome of a command. */
export type CommandResult =
  | {
      readonly _tag: "Answered"
      /** The answer's status; undefined for answers that have none (GetConfiguration, UpdateFirmware, GetLocalListVersion …). */
      readonly status: string | undefined
      /** The payload as received, with secrets masked. A very long one is cut. */
      readonly answer: Readonly<Record<string, unknown>>
      readonly content: AnswerContent | undefined
    }
  | { readonly _tag: "CallError"; readonly code: string; readonly description: string }
  /** The charger's CALLRESULT could not be decoded; `answer` is its payload, for the caller. */
  | { readonly _tag: "Unreadable"; readonly problem: string; readonly answer: unknown }
  | { readonly _tag: "TimedOut" }
  /** It was sent and the connection ended before an answer arrived, so its outcome is not known. */
  | { readonly _tag: "ConnectionLost" }
  /** It was not sent because too many calls wait for this charger. */
  | { readonly _tag: "Crowded" }
