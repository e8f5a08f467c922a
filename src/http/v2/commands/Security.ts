/** FirmwareManagement (OCPP 1.6 §5.9, §5.19) and the security whitepaper's set (edition 3, §5). */
import { Schema } from "effect"
import { Uuid, whole } from "../../Fields.ts"
import { refused, row, type Open } from "./Row.ts"
import { Location, retriesOf, retrying, text, Time } from "./Values.ts"

const type = <T extends string>(name: T) => ({ type: Schema.Literal(name) })
const RequestId = Schema.optionalKey(whole(0, 0x7fffffff))
const Use = Schema.Literals(["CentralSystemRootCertificate", "ManufacturerRootCertificate"])
const Pem = (max: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(max))
const hex = (max: number) => text(max)

/** With the request id that was given, or one of ours. */
const numbered = (requestId: number | undefined, make: (id: number) => Open): Open =>
  requestId === undefined ? { _tag: "NeedsNumber", with: make } : make(requestId)

/** From where: a location, or a file of ours. */
const fetched = (
  location: string | undefined,
  fileId: string | undefined,
  retrieveAt: number,
  make: (location: string) => Open
): Open => {
  if (location !== undefined) return make(location)
  if (fileId !== undefined) return { _tag: "NeedsDownload", fileId, retrieveAt, with: make }
  return refused("/location", "Must be there, or fileId instead of it")
}

const between = (from: number | undefined, to: number | undefined, names: readonly [string, string]) => ({
  ...(from === undefined ? {} : { [names[0]]: from }),
  ...(to === undefined ? {} : { [names[1]]: to })
})

export const security = {
  GetDiagnostics: row(
    Schema.Struct({
      ...type("GetDiagnostics"),
      location: Schema.optionalKey(
        Location.annotate({ description: "Without it the charger uploads to this service" })
      ),
      startTime: Schema.optionalKey(Time),
      stopTime: Schema.optionalKey(Time),
      ...retrying
    }),
    (given) => {
      const make = (location: string): Open => ({
        _tag: "GetDiagnostics",
        location,
        ...between(given.startTime, given.stopTime, ["startTime", "stopTime"]),
        ...retriesOf(given)
      })
      return given.location === undefined
        ? { _tag: "NeedsUpload", kind: "Diagnostics", with: make }
        : make(given.location)
    }
  ),
  UpdateFirmware: row(
    Schema.Struct({
      ...type("UpdateFirmware"),
      location: Schema.optionalKey(Location),
      fileId: Schema.optionalKey(Uuid.annotate({ description: "A file of this service, instead of a location" })),
      retrieveDate: Time,
      ...retrying
    }),
    (given) =>
      fetched(given.location, given.fileId, given.retrieveDate, (location) => ({
        _tag: "UpdateFirmware",
        location,
        retrieveAt: given.retrieveDate,
        ...retriesOf(given)
      }))
  ),
  CertificateSigned: row(Schema.Struct({ ...type("CertificateSigned"), certificateChain: Pem(10_000) }), (given) => ({
    _tag: "CertificateSigned",
    certificateChain: given.certificateChain
  })),
  DeleteCertificate: row(
    Schema.Struct({
      ...type("DeleteCertificate"),
      certificateHashData: Schema.Struct({
        hashAlgorithm: Schema.Literals(["SHA256", "SHA384", "SHA512"]),
        issuerNameHash: hex(128),
        issuerKeyHash: hex(128),
        serialNumber: hex(40)
      })
    }),
    ({ certificateHashData }) => ({ _tag: "DeleteCertificate", hash: certificateHashData })
  ),
  GetInstalledCertificateIds: row(
    Schema.Struct({ ...type("GetInstalledCertificateIds"), certificateType: Use }),
    ({ certificateType }) => ({ _tag: "GetInstalledCertificateIds", certificateType })
  ),
  InstallCertificate: row(
    Schema.Struct({ ...type("InstallCertificate"), certificateType: Use, certificate: Pem(5500) }),
    ({ certificate, certificateType }) => ({ _tag: "InstallCertificate", certificateType, certificate })
  ),
  GetLog: row(
    Schema.Struct({
      ...type("GetLog"),
      logType: Schema.Literals(["DiagnosticsLog", "SecurityLog"]),
      requestId: RequestId,
      location: Schema.optionalKey(Location),
      log: Schema.optionalKey(
        Schema.Struct({
          remoteLocation: Schema.optionalKey(Location),
          oldestTimestamp: Schema.optionalKey(Time),
          latestTimestamp: Schema.optionalKey(Time)
        })
      ),
      ...retrying
    }),
    (given) =>
      numbered(given.requestId, (requestId) => {
        const make = (location: string): Open => ({
          _tag: "GetLog",
          logType: given.logType,
          requestId,
          location,
          ...between(given.log?.oldestTimestamp, given.log?.latestTimestamp, ["oldestAt", "latestAt"]),
          ...retriesOf(given)
        })
        const location = given.log?.remoteLocation ?? given.location
        return location === undefined ? { _tag: "NeedsUpload", kind: "Log", with: make } : make(location)
      })
  ),
  SignedUpdateFirmware: row(
    Schema.Struct({
      ...type("SignedUpdateFirmware"),
      requestId: RequestId,
      fileId: Schema.optionalKey(
        Uuid.annotate({ description: "A file of this service, instead of firmware.location" })
      ),
      firmware: Schema.Struct({
        location: Schema.optionalKey(Location),
        retrieveDateTime: Time,
        installDateTime: Schema.optionalKey(Time),
        signingCertificate: Pem(5500),
        signature: text(800)
      }),
      ...retrying
    }),
    (given) =>
      numbered(given.requestId, (requestId) =>
        fetched(given.firmware.location, given.fileId, given.firmware.retrieveDateTime, (location) => ({
          _tag: "SignedUpdateFirmware",
          requestId,
          location,
          retrieveAt: given.firmware.retrieveDateTime,
          ...(given.firmware.installDateTime === undefined ? {} : { installAt: given.firmware.installDateTime }),
          signingCertificate: given.firmware.signingCertificate,
          signature: given.firmware.signature,
          ...retriesOf(given)
        }))
      )
  )
} as const
