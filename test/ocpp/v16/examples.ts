/** A full and a minimal example of every message that a 1.6 charger sends, with the resulting event. */
import type { ChargerEvent } from "../../../src/domain/charger/ChargerEvent.ts"

export interface Example {
  readonly action: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly event: ChargerEvent
}

const iso = "2026-11-20T10:00:00.000Z"
const at = Date.UTC(2026, 10, 20, 10)
const time = { at, raw: iso }
const noTime = { at: undefined, raw: undefined }

const defaults = {
  measurand: "Energy.Active.Import.Register",
  context: "Sample.Periodic",
  format: "Raw",
  location: "Outlet",
  unit: "Wh",
  phase: undefined
}

export const examples: ReadonlyArray<Example> = [
  { action: "Authorize", payload: { idTag: "04A1B2C3" }, event: { _tag: "AuthorizationAsked", tokenUid: "04A1B2C3" } },
  {
    action: "BootNotification",
    payload: {
      chargePointVendor: "Vendor",
      chargePointModel: "Model",
      chargePointSerialNumber: "S-1",
      chargeBoxSerialNumber: "B-1",
      firmwareVersion: "1.2.3",
      iccid: "8931",
      imsi: "2040",
      meterType: "DIN",
      meterSerialNumber: "M-1"
    },
    event: {
      _tag: "Booted",
      vendor: "Vendor",
      model: "Model",
      serialNumber: "S-1",
      firmwareVersion: "1.2.3",
      iccid: "8931",
      imsi: "2040",
      meterType: "DIN",
      meterSerialNumber: "M-1"
    }
  },
  {
    action: "BootNotification",
    payload: { chargePointVendor: "Vendor", chargePointModel: "Model", chargeBoxSerialNumber: "B-1" },
    event: {
      _tag: "Booted",
      vendor: "Vendor",
      model: "Model",
      serialNumber: "B-1",
      firmwareVersion: undefined,
      iccid: undefined,
      imsi: undefined,
      meterType: undefined,
      meterSerialNumber: undefined
    }
  },
  {
    action: "DataTransfer",
    payload: { vendorId: "com.vendor", messageId: "M", data: "{}" },
    event: { _tag: "DataReceived", vendorId: "com.vendor", messageId: "M", data: "{}" }
  },
  {
    action: "DataTransfer",
    payload: { vendorId: "com.vendor" },
    event: { _tag: "DataReceived", vendorId: "com.vendor", messageId: undefined, data: undefined }
  },
  {
    action: "DiagnosticsStatusNotification",
    payload: { status: "Uploaded" },
    event: { _tag: "UploadStatusReported", kind: "Diagnostics", status: "Uploaded", requestId: undefined }
  },
  {
    action: "FirmwareStatusNotification",
    payload: { status: "Installing" },
    event: { _tag: "FirmwareStatusReported", status: "Installing", requestId: undefined }
  },
  { action: "Heartbeat", payload: {}, event: { _tag: "HeartbeatReceived" } },
  {
    action: "LogStatusNotification",
    payload: { status: "UploadFailure", requestId: 7 },
    event: { _tag: "UploadStatusReported", kind: "Log", status: "UploadFailure", requestId: 7 }
  },
  {
    action: "LogStatusNotification",
    payload: { status: "Idle" },
    event: { _tag: "UploadStatusReported", kind: "Log", status: "Idle", requestId: undefined }
  },
  {
    action: "MeterValues",
    payload: {
      connectorId: 2,
      transactionId: 77,
      meterValue: [
        {
          timestamp: iso,
          sampledValue: [
            { value: "1003" },
            {
              value: "15.7",
              context: "Sample.Clock",
              format: "Raw",
              measurand: "Current.Import",
              phase: "L1",
              location: "Cable",
              unit: "A"
            },
            { value: "50", measurand: "SoC", unit: "Percent" },
            { value: "a0b1", format: "SignedData", measurand: "Energy.Active.Import.Register" }
          ]
        },
        {
          timestamp: iso,
          sampledValue: [
            { value: "1.5", unit: "kWh" },
            { value: "230", measurand: "Voltage" }
          ]
        }
      ]
    },
    event: {
      _tag: "MeterValuesReported",
      place: { evseId: 2, connectorId: 1 },
      transactionId: 77,
      readings: [
        {
          at,
          rawAt: iso,
          samples: [
            { ...defaults, value: "1003" },
            {
              value: "15.7",
              context: "Sample.Clock",
              format: "Raw",
              measurand: "Current.Import",
              phase: "L1",
              location: "Cable",
              unit: "A"
            },
            { ...defaults, value: "50", measurand: "SoC", unit: "Percent" },
            { ...defaults, value: "a0b1", format: "SignedData" }
          ]
        },
        {
          at,
          rawAt: iso,
          samples: [
            { ...defaults, value: "1.5", unit: "kWh" },
            // Only energies have a default unit.
            { ...defaults, value: "230", measurand: "Voltage", unit: "" }
          ]
        }
      ]
    }
  },
  {
    action: "MeterValues",
    payload: { connectorId: 0, meterValue: [{ timestamp: iso, sampledValue: [{ value: "1" }] }] },
    event: {
      _tag: "MeterValuesReported",
      place: { evseId: 0, connectorId: 0 },
      transactionId: undefined,
      readings: [{ at, rawAt: iso, samples: [{ ...defaults, value: "1" }] }]
    }
  },
  {
    action: "SecurityEventNotification",
    payload: { type: "SettingSystemTime", timestamp: iso, techInfo: "by hand" },
    event: { _tag: "SecurityEventReported", type: "SettingSystemTime", time, techInfo: "by hand" }
  },
  {
    action: "SecurityEventNotification",
    payload: { type: "StartupOfTheDevice", timestamp: iso },
    event: { _tag: "SecurityEventReported", type: "StartupOfTheDevice", time, techInfo: undefined }
  },
  {
    action: "SignCertificate",
    payload: { csr: "-----BEGIN CERTIFICATE REQUEST-----" },
    event: { _tag: "CertificateRequested", csr: "-----BEGIN CERTIFICATE REQUEST-----" }
  },
  {
    action: "SignedFirmwareStatusNotification",
    payload: { status: "SignatureVerified", requestId: 8 },
    event: { _tag: "FirmwareStatusReported", status: "SignatureVerified", requestId: 8 }
  },
  {
    action: "StartTransaction",
    payload: { connectorId: 1, idTag: "04A1B2C3", meterStart: 1000, reservationId: 5, timestamp: iso },
    event: {
      _tag: "TransactionStarted",
      place: { evseId: 1, connectorId: 1 },
      tokenUid: "04A1B2C3",
      time,
      meterStartWh: 1000,
      reservationId: 5
    }
  },
  {
    action: "StartTransaction",
    payload: { connectorId: 1, idTag: "04A1B2C3", meterStart: 0, timestamp: iso },
    event: {
      _tag: "TransactionStarted",
      place: { evseId: 1, connectorId: 1 },
      tokenUid: "04A1B2C3",
      time,
      meterStartWh: 0,
      reservationId: undefined
    }
  },
  {
    action: "StatusNotification",
    payload: {
      connectorId: 1,
      errorCode: "GroundFailure",
      info: "L1",
      status: "Faulted",
      timestamp: iso,
      vendorId: "V",
      vendorErrorCode: "E7"
    },
    event: {
      _tag: "StatusReported",
      place: { evseId: 1, connectorId: 1 },
      status: "Faulted",
      rawStatus: "Faulted",
      errorCode: "GroundFailure",
      info: "L1",
      vendorId: "V",
      vendorErrorCode: "E7",
      time
    }
  },
  {
    action: "StatusNotification",
    payload: { connectorId: 0, errorCode: "NoError", status: "Available" },
    event: {
      _tag: "StatusReported",
      place: { evseId: 0, connectorId: 0 },
      status: "Available",
      rawStatus: "Available",
      errorCode: "NoError",
      info: undefined,
      vendorId: undefined,
      vendorErrorCode: undefined,
      time: noTime
    }
  },
  {
    action: "StopTransaction",
    payload: {
      transactionId: 77,
      idTag: "04A1B2C3",
      meterStop: 2000,
      timestamp: iso,
      reason: "EVDisconnected",
      transactionData: [{ timestamp: iso, sampledValue: [{ value: "2000", context: "Transaction.End" }] }]
    },
    event: {
      _tag: "TransactionEnded",
      transactionId: 77,
      rawTransactionId: "77",
      tokenUid: "04A1B2C3",
      time,
      meterStopWh: 2000,
      reason: "EVDisconnected",
      readings: [{ at, rawAt: iso, samples: [{ ...defaults, value: "2000", context: "Transaction.End" }] }]
    }
  },
  {
    action: "StopTransaction",
    payload: { transactionId: 77, meterStop: 2000, timestamp: iso },
    event: {
      _tag: "TransactionEnded",
      transactionId: 77,
      rawTransactionId: "77",
      tokenUid: undefined,
      time,
      meterStopWh: 2000,
      reason: "Local",
      readings: []
    }
  }
]

/** The payload of the first example of an action, with members replaced; undefined removes one. */
export const exampleWith = (action: string, change: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { payload } = examples.find((example) => example.action === action)!
  return Object.fromEntries(Object.entries({ ...payload, ...change }).filter(([, value]) => value !== undefined))
}
