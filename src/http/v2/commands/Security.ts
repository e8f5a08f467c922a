/** The commands of FirmwareManagement (OCPP 1.6 §5.9, §5.19) and of the security whitepaper (edition 3, §5). */
import { Schema } from "effect"
import { Uuid, whole } from "../../Fields.ts"
import { PemCertificate, PemChain } from "./Pem.ts"
import { refused, row, type Open } from "./Row.ts"
import { Location, retriesOf, retrying, text, Time } from "./Values.ts"
import { hashAlgorithms } from "../../../domain/command/ChargerCommand.ts"

const type = <T extends string>(name: T) => ({ type: Schema.Literal(name) })
const RequestId = Schema.optionalKey(whole(0, 0x7fffffff))
const Use = Schema.Literals(["CentralSystemRootCertificate", "ManufacturerRootCertificate"])
const Pem = (max: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(max))
const hex = (max: number) => text(max)

/** Uses the given request id, or a number that the service assigns. */
const numbered = (requestId: number | undefined, make: (id: number) => Open): Open =>
  requestId === undefined ? { _tag: "NeedsNumber", with: make } : make(requestId)

const noSource =
  "Is required (an http, https, ftp, ftps or sftp URL that the charger can reach), or fileId instead: a file from POST /cpo/v2/files"

interface Source {
  readonly location: string | undefined
  /** JSON Pointer to the field `location`. */
  readonly pointer: string
  readonly fileId: string | undefined
  /** ms epoch. */
  readonly retrieveAt: number
}

/** The source of a file: a given location, or a file of this service. */
const fetched = ({ fileId, location, pointer, retrieveAt }: Source, make: (location: string) => Open): Open => {
  if (fileId === undefined) return location === undefined ? refused(pointer, noSource) : make(location)
  if (location !== undefined)
    return refused("/fileId", `Must not be given together with ${pointer.slice(1).replace("/", ".")}`)
  return { _tag: "NeedsDownload", fileId, retrieveAt, with: make }
}

const between = (from: number | undefined, to: number | undefined, names: readonly [string, string]) => ({
  ...(from === undefined ? {} : { [names[0]]: from }),
  ...(to === undefined ? {} : { [names[1]]: to })
})

export const security = {
  GetDiagnostics: row(
    Schema.Struct({
      ...type("GetDiagnostics"),
      location: Schema.optionalKey(Location.annotate({ description: "Default: the charger uploads to this service" })),
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
    ({ fileId, location, retrieveDate, ...given }) =>
      fetched({ location, pointer: "/location", fileId, retrieveAt: retrieveDate }, (from) => ({
        _tag: "UpdateFirmware",
        location: from,
        retrieveAt: retrieveDate,
        ...retriesOf(given)
      }))
  ),
  CertificateSigned: row(
    Schema.Struct({ ...type("CertificateSigned"), certificateChain: PemChain(10_000) }),
    (given) => ({
      _tag: "CertificateSigned",
      certificateChain: given.certificateChain
    })
  ),
  DeleteCertificate: row(
    Schema.Struct({
      ...type("DeleteCertificate"),
      certificateHashData: Schema.Struct({
        hashAlgorithm: Schema.Literals(hashAlgorithms),
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
    Schema.Struct({ ...type("InstallCertificate"), certificateType: Use, certificate: PemCertificate(5500) }),
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
    (given) => {
      const { location: atTheTop, log } = given
      if (atTheTop !== undefined && log?.remoteLocation !== undefined) {
        return refused("/location", "Must not be given together with log.remoteLocation, which is another name for it")
      }
      return numbered(given.requestId, (requestId) => {
        const make = (location: string): Open => ({
          _tag: "GetLog",
          logType: given.logType,
          requestId,
          location,
          ...between(log?.oldestTimestamp, log?.latestTimestamp, ["oldestAt", "latestAt"]),
          ...retriesOf(given)
        })
        const location = log?.remoteLocation ?? atTheTop
        return location === undefined ? { _tag: "NeedsUpload", kind: "Log", with: make } : make(location)
      })
    }
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
    ({ fileId, firmware, requestId, ...given }) => {
      const { installDateTime, location, retrieveDateTime, signature, signingCertificate } = firmware
      const source = { location, pointer: "/firmware/location", fileId, retrieveAt: retrieveDateTime }
      return fetched(source, (from) =>
        numbered(requestId, (id) => ({
          _tag: "SignedUpdateFirmware",
          requestId: id,
          location: from,
          retrieveAt: retrieveDateTime,
          ...(installDateTime === undefined ? {} : { installAt: installDateTime }),
          signingCertificate,
          signature,
          ...retriesOf(given)
        }))
      )
    }
  )
} as const
