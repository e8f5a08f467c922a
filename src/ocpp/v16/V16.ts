/**
 * OCPP 1.6J as a `ProtocolVersion`: the table of its messages, and nothing else. To add a message, add a row here and
 * its fields in the file of its profile.
 */
import type { ChargerCommand, CommandOf, CommandResult } from "../../domain/command/ChargerCommand.ts"
import { cutJson, cutText } from "../../domain/values/Cut.ts"
import type { DecodedCall, EncodedReply, ProtocolVersion } from "../ProtocolVersion.ts"
import type { Action } from "./Action.ts"
import { certificateSigned, deleteCertificate, getInstalledCertificateIds, installCertificate } from "./Certificates.ts"
import type { Command } from "./Command.ts"
import { changeConfiguration, getConfiguration } from "./Configuration.ts"
import { authorize, bootNotification, dataTransfer, heartbeat, statusNotification } from "./Core.ts"
import { changeAvailability, clearCache, remoteStart, remoteStop, reset, sendData, unlockConnector } from "./Core.ts"
import { getDiagnostics, updateFirmware } from "./FirmwareManagement.ts"
import { diagnosticsStatusNotification, firmwareStatusNotification } from "./FirmwareManagement.ts"
import { asObject } from "./Lenient.ts"
import { getLocalListVersion, sendLocalList } from "./LocalAuthList.ts"
import { mask, maskAnswer, maskError } from "./Masking.ts"
import { extendedTriggerMessage, triggerMessage } from "./RemoteTrigger.ts"
import { cancelReservation, reserveNow } from "./Reservation.ts"
import {
  logStatusNotification,
  securityEventNotification,
  signCertificate,
  signedFirmwareStatusNotification
} from "./Security.ts"
import { getLog, signedUpdateFirmware } from "./Security.ts"
import { clearChargingProfile, getCompositeSchedule, setChargingProfile } from "./SmartCharging.ts"
import { meterValuesAction, startTransaction, stopTransaction } from "./Transactions.ts"

/** What chargers send. A map, so that an action named `constructor` finds nothing. */
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

/** What we send. */
const commands: { readonly [Tag in ChargerCommand["_tag"]]: Command<Tag> } = {
  RemoteStart: remoteStart,
  RemoteStop: remoteStop,
  UnlockConnector: unlockConnector,
  Reset: reset,
  ChangeAvailability: changeAvailability,
  GetConfiguration: getConfiguration,
  ChangeConfiguration: changeConfiguration,
  ClearCache: clearCache,
  DataTransfer: sendData,
  GetDiagnostics: getDiagnostics,
  UpdateFirmware: updateFirmware,
  GetLocalListVersion: getLocalListVersion,
  SendLocalList: sendLocalList,
  ReserveNow: reserveNow,
  CancelReservation: cancelReservation,
  SetChargingProfile: setChargingProfile,
  ClearChargingProfile: clearChargingProfile,
  GetCompositeSchedule: getCompositeSchedule,
  TriggerMessage: triggerMessage,
  ExtendedTriggerMessage: extendedTriggerMessage,
  CertificateSigned: certificateSigned,
  DeleteCertificate: deleteCertificate,
  GetInstalledCertificateIds: getInstalledCertificateIds,
  GetLog: getLog,
  InstallCertificate: installCertificate,
  SignedUpdateFirmware: signedUpdateFirmware
}

/** Actions that only the central system sends (OCPP 1.6 §5 and the security whitepaper): known, but not accepted from chargers. */
const ownActions: ReadonlySet<string> = new Set(Object.values(commands).map(({ action }) => action))

const refuseAction = (action: string): DecodedCall =>
  ownActions.has(action)
    ? {
        _tag: "Refused",
        code: "NotSupported",
        description: "this action is sent by the central system, not by the charger"
      }
    : { _tag: "Refused", code: "NotImplemented", description: "OCPP 1.6 has no such action" }

const noSuchAction: EncodedReply = { _tag: "Error", code: "NotImplemented", description: "OCPP 1.6 has no such action" }

const encodeWith = <Tag extends ChargerCommand["_tag"]>(tag: Tag, command: CommandOf<Tag>) => {
  const { action, encode } = commands[tag]
  return { action, payload: encode(command) }
}

/** UTF-16 units that are kept of an answer, as JSON: it is stored in the journal and with its command. */
const answerMost = 65_536

/** OCPP-J 1.6 §4.2.3: maximum lengths of an error's texts. */
const errorMost = { code: 50, description: 255 }

const decodeResult = (command: ChargerCommand, payload: unknown): CommandResult => {
  const object = asObject(payload)
  const answer = cutJson(maskAnswer(command, payload), answerMost)
  if (object === undefined) return { _tag: "Unreadable", problem: "the answer is not a JSON object", answer }
  const reading = commands[command._tag].decode(object)
  return reading._tag === "Unreadable"
    ? { ...reading, answer }
    : { _tag: "Answered", status: reading.status, answer: asObject(answer) ?? {}, content: reading.content }
}

export const v16: ProtocolVersion = {
  version: "1.6",
  subprotocol: "ocpp1.6",
  decodeCall: (action, payload) => actions.get(action)?.decode(payload) ?? refuseAction(action),
  encodeReply: (action, reply, now) => actions.get(action)?.encodeReply(reply, now) ?? noSuchAction,
  encodeCommand: (command) => encodeWith(command._tag, command),
  decodeResult,
  decodeError: (command, code, description) => {
    const given = maskError(command, code, description)
    return {
      _tag: "CallError",
      code: cutText(given.code, errorMost.code),
      description: cutText(given.description, errorMost.description)
    }
  },
  mask
}
