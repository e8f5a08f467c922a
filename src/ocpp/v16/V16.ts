/**
 * OCPP 1.6J as a `ProtocolVersion`: the table of its messages, and nothing else. To add a message is to add a row here and its fields in
 * its profile's file.
 */
import type { ChargerCommand, CommandResult } from "../../domain/charger/ChargerCommand.ts"
import type { DecodedCall, EncodedReply, ProtocolVersion } from "../ProtocolVersion.ts"
import { maskConfigurationKey } from "../rpc/Secrets.ts"
import type { Action } from "./Action.ts"
import { changeConfiguration, getConfiguration, secretKey } from "./Configuration.ts"
import { authorize, bootNotification, dataTransfer, heartbeat, statusNotification } from "./Core.ts"
import { diagnosticsStatusNotification, firmwareStatusNotification } from "./FirmwareManagement.ts"
import { asObject } from "./Lenient.ts"
import { triggerMessage } from "./RemoteTrigger.ts"
import {
  logStatusNotification,
  securityEventNotification,
  signCertificate,
  signedFirmwareStatusNotification
} from "./Security.ts"
import { meterValuesAction, startTransaction, stopTransaction } from "./Transactions.ts"

/** What chargers send. A map, so that an action by the name of `constructor` finds nothing. */
const actions: ReadonlyMap<string, Action> = new Map([
  ["Authorize", authorize],
  ["BootNotification", bootNotification],
  ["DataTransfer", dataTransfer],
  ["DiagnosticsStatusNotification", diagnosticsStatusNotification],
  ["FirmwareStatusNotification", firmwareStatusNotification],
  ["Heartbeat", heartbeat],
  ["LogStatusNotification", logStatusNotification],
  ["MeterValues", meterValuesAction],
  ["SecurityEventNotification", securityEventNotification],
  ["SignCertificate", signCertificate],
  ["SignedFirmwareStatusNotification", signedFirmwareStatusNotification],
  ["StartTransaction", startTransaction],
  ["StatusNotification", statusNotification],
  ["StopTransaction", stopTransaction]
])

/** What only the central system sends (OCPP 1.6 §5 and the security whitepaper): known, and not for us to answer. */
const centralSystemOnly: ReadonlySet<string> = new Set([
  "CancelReservation",
  "CertificateSigned",
  "ChangeAvailability",
  "ChangeConfiguration",
  "ClearCache",
  "ClearChargingProfile",
  "DeleteCertificate",
  "ExtendedTriggerMessage",
  "GetCompositeSchedule",
  "GetConfiguration",
  "GetDiagnostics",
  "GetInstalledCertificateIds",
  "GetLocalListVersion",
  "GetLog",
  "InstallCertificate",
  "RemoteStartTransaction",
  "RemoteStopTransaction",
  "ReserveNow",
  "Reset",
  "SendLocalList",
  "SetChargingProfile",
  "SignedUpdateFirmware",
  "TriggerMessage",
  "UnlockConnector",
  "UpdateFirmware"
])

const refuseAction = (action: string): DecodedCall =>
  centralSystemOnly.has(action)
    ? { _tag: "Refused", code: "NotSupported", description: "this action is the central system's, not the charger's" }
    : { _tag: "Refused", code: "NotImplemented", description: "OCPP 1.6 has no such action" }

const noSuchAction: EncodedReply = { _tag: "Error", code: "NotImplemented", description: "OCPP 1.6 has no such action" }

const encodeCommand: ProtocolVersion["encodeCommand"] = (command) => {
  switch (command._tag) {
    case "GetConfiguration":
      return getConfiguration.encode(command)
    case "ChangeConfiguration":
      return changeConfiguration.encode(command)
    case "TriggerMessage":
      return triggerMessage.encode(command)
  }
}

const commands: { readonly [Tag in ChargerCommand["_tag"]]: { readonly decode: typeof getConfiguration.decode } } = {
  GetConfiguration: getConfiguration,
  ChangeConfiguration: changeConfiguration,
  TriggerMessage: triggerMessage
}

const decodeResult = (command: ChargerCommand, payload: unknown): CommandResult => {
  const object = asObject(payload)
  return object === undefined
    ? { _tag: "Unreadable", problem: "the answer is not a JSON object" }
    : commands[command._tag].decode(object)
}

/** Whether the text may name the secret at all: a search for the rest of them. */
const namesSecret = new RegExp(secretKey, "i")

export const v16: ProtocolVersion = {
  version: "1.6",
  subprotocol: "ocpp1.6",
  decodeCall: (action, payload) => actions.get(action)?.decode(payload) ?? refuseAction(action),
  encodeReply: (action, reply, now) => actions.get(action)?.encodeReply(reply, now) ?? noSuchAction,
  encodeCommand,
  decodeResult,
  // A name may hide behind an escape, which only frames about configuration are worth reading for.
  mask: (action, frame) =>
    namesSecret.test(frame) || (action.endsWith("Configuration") && frame.includes("\\u"))
      ? maskConfigurationKey(frame, secretKey)
      : frame
}
