/**
 * The content of chargers' messages, independent of the OCPP version; `ocpp/v*` translate into it. OCPP 1.6's connectorId n is EVSE n with
 * connector 1. Its connectorId 0 is EVSE 0 with connector 0, the whole charger.
 */
import type { ConnectorStatus, Place } from "../site/Connector.ts"
import type { MeterKey } from "./MeterKeys.ts"
import type { Reading } from "./MeterValue.ts"

/** A time as the charger sent it. `at` (ms epoch) is undefined when `raw` is missing or cannot be understood. */
export interface ChargerTime {
  readonly at: number | undefined
  readonly raw: string | undefined
}

/** What a charger reports of itself when it boots (OCPP 1.6 §6.3). */
export interface ReportedIdentity {
  readonly vendor: string
  readonly model: string
  readonly serialNumber: string | undefined
  readonly firmwareVersion: string | undefined
  readonly iccid: string | undefined
  readonly imsi: string | undefined
  readonly meterType: string | undefined
  readonly meterSerialNumber: string | undefined
}

export interface Booted extends ReportedIdentity {
  readonly _tag: "Booted"
}

export interface HeartbeatReceived {
  readonly _tag: "HeartbeatReceived"
}

export interface StatusReported {
  readonly _tag: "StatusReported"
  readonly place: Place
  readonly status: ConnectorStatus
  readonly rawStatus: string
  readonly errorCode: string | undefined
  readonly info: string | undefined
  readonly vendorId: string | undefined
  readonly vendorErrorCode: string | undefined
  readonly time: ChargerTime
}

export interface AuthorizationAsked {
  readonly _tag: "AuthorizationAsked"
  readonly tokenUid: string
}

export interface TransactionStarted {
  readonly _tag: "TransactionStarted"
  readonly place: Place
  readonly tokenUid: string
  readonly time: ChargerTime
  /** Register at the start in Wh; undefined when the charger sent nothing usable. */
  readonly meterStartWh: number | undefined
  readonly reservationId: number | undefined
}

export interface MeterValuesReported {
  readonly _tag: "MeterValuesReported"
  readonly place: Place
  /** Undefined when missing, 0, negative or not a 31-bit number: chargers send all of these for "none". */
  readonly transactionId: number | undefined
  readonly readings: ReadonlyArray<Reading>
}

export interface TransactionEnded {
  readonly _tag: "TransactionEnded"
  /** Undefined when missing, 0, negative or not a 31-bit number. */
  readonly transactionId: number | undefined
  /** The id as it was sent. */
  readonly rawTransactionId: string
  readonly tokenUid: string | undefined
  readonly time: ChargerTime
  readonly meterStopWh: number | undefined
  /** Absent means Local (OCPP 1.6 §6.49). */
  readonly reason: string
  readonly readings: ReadonlyArray<Reading>
}

export interface DataReceived {
  readonly _tag: "DataReceived"
  readonly vendorId: string
  readonly messageId: string | undefined
  /** A string as it was sent; any other value as JSON text. Of a long text only the beginning, with `size`. */
  readonly data: string | undefined
  /** The size of the data in bytes, if it was cut. */
  readonly size?: number
  /** The public keys of its meters in the data; missing if there are none. */
  readonly meterKeys?: ReadonlyArray<MeterKey>
}

export interface FirmwareStatusReported {
  readonly _tag: "FirmwareStatusReported"
  readonly status: string
  readonly requestId: number | undefined
}

export interface UploadStatusReported {
  readonly _tag: "UploadStatusReported"
  /** `Diagnostics` is DiagnosticsStatusNotification, `Log` is LogStatusNotification. */
  readonly kind: "Diagnostics" | "Log"
  readonly status: string
  readonly requestId: number | undefined
}

export interface SecurityEventReported {
  readonly _tag: "SecurityEventReported"
  readonly type: string
  readonly time: ChargerTime
  readonly techInfo: string | undefined
}

export interface CertificateRequested {
  readonly _tag: "CertificateRequested"
  readonly csr: string
}

/** OCPP 1.6's messages about transactions. They are always acknowledged, whatever they contain (§3.7.1). */
export const transactionActions = ["StartTransaction", "StopTransaction", "MeterValues"] as const
export type TransactionAction = (typeof transactionActions)[number]

/**
 * A transaction message that cannot be decoded. It is stored raw and acknowledged, since a CALLERROR would make the charger repeat it for ever
 * (OCPP 1.6 §3.7.1).
 */
export interface UnreadableTransactionMessage {
  readonly _tag: "UnreadableTransactionMessage"
  readonly action: TransactionAction
  readonly problem: string
}

/** Faults of a charger's frames that the service puts up with: each costs only the part that it is in, and is noted for operators. */
export const frameFaults = ["ControlCharacters", "UnreadableAnswer", "BinaryFrame", "FrameTooLarge"] as const
export type FrameFault = (typeof frameFaults)[number]

/** The connection received a frame with a fault. It is no message of the charger, and its answer is not sent. */
export interface FrameFaultFound {
  readonly _tag: "FrameFaultFound"
  readonly fault: FrameFault
  /** What was received, without the charger's own text: for example an action or a size. */
  readonly detail: string
}

export type ChargerEvent =
  | Booted
  | HeartbeatReceived
  | StatusReported
  | AuthorizationAsked
  | TransactionStarted
  | MeterValuesReported
  | TransactionEnded
  | DataReceived
  | FirmwareStatusReported
  | UploadStatusReported
  | SecurityEventReported
  | CertificateRequested
  | UnreadableTransactionMessage
  | FrameFaultFound
