/**
 * The secrets in OCPP 1.6's messages: passwords among the configuration keys and in vendors' data, one-time URLs, and
 * private keys that should not be there. They are removed from frames before logging, and from answers before these are
 * stored and shown.
 */
import { Option, Schema } from "effect"
import type { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import { setsSecret } from "../../domain/command/SecretParts.ts"
import { maskJson } from "../../domain/values/SecretJson.ts"
import { maskedValue } from "../../domain/values/SecretNames.ts"
import { maskUrls } from "../../domain/values/SecretAddresses.ts"
import { maskPrivateKeys, namesSecret, shownText } from "../../domain/values/SecretText.ts"
import { hiddenErrorText, hiddenText } from "../rpc/Secrets.ts"

/** Actions whose messages have no field in which a vendor could send a secret. They are most of all messages and are not parsed here. */
const plainActions: ReadonlySet<string> = new Set([
  "Authorize",
  "BootNotification",
  "Heartbeat",
  "MeterValues",
  "StartTransaction",
  "StopTransaction",
  "StatusNotification",
  "DiagnosticsStatusNotification",
  "FirmwareStatusNotification",
  "SignCertificate",
  "LogStatusNotification",
  "SignedFirmwareStatusNotification",
  "RemoteStartTransaction",
  "RemoteStopTransaction",
  "UnlockConnector",
  "Reset",
  "ChangeAvailability",
  "ClearCache",
  "GetLocalListVersion",
  "SendLocalList",
  "ReserveNow",
  "CancelReservation",
  "SetChargingProfile",
  "ClearChargingProfile",
  "GetCompositeSchedule",
  "TriggerMessage",
  "ExtendedTriggerMessage",
  "RemoteStart",
  "RemoteStop"
])

/** A cheap test whether a frame that should have none contains the name of a charger's password. */
const namesPassword = /authorizationkey/i

/**
 * Masks secrets by the names next to them. If the frame cannot be read, or a name is written with escapes, it is unknown where the secret is, and
 * the whole frame is hidden.
 */
const maskNamed = (action: string, text: string): string => {
  if (plainActions.has(action) && !namesPassword.test(text)) return text
  return maskJson(text, shownText) ?? (namesSecret(text) || text.includes("\\u") ? maskedValue : text)
}

/** As `ProtocolVersion.mask`. */
export const mask = (action: string, frame: string): string => maskPrivateKeys(maskUrls(maskNamed(action, frame)))

/** Shortest secret that is searched for anywhere in an answer. A shorter one could be part of any word, so whole strings are compared. */
const echoMinLength = 8

/** Masks the secret if the charger repeats it, also with hexadecimal digits in the other case. */
const maskEcho = (command: ChargerCommand, text: string): string => {
  if (!setsSecret(command)) return text
  const written = JSON.stringify(command.value).slice(1, -1)
  const literal = written.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
  const pattern = command.value.length < echoMinLength ? `(?<=")${literal}(?=")` : literal
  return text.replace(new RegExp(pattern, "gi"), maskedValue)
}

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

/**
 * A CALLERROR to a command, without secrets. If the command set a secret, nothing that the charger worded is kept,
 * since it may repeat the secret in any notation.
 */
export const maskError = (command: ChargerCommand, code: string, description: string) =>
  setsSecret(command)
    ? { code: hiddenErrorText(code), description: hiddenText(description) }
    : { code, description: shownText(description) }

/**
 * The answer to a command, without secrets, as a JSON value: the value itself if it has none, null for no answer. If it
 * is no longer JSON without them (a number was secret), it is hidden completely.
 */
export const maskAnswer = (command: ChargerCommand, payload: unknown): unknown => {
  const text = JSON.stringify(payload ?? null)
  const masked = mask(command._tag, maskEcho(command, text))
  if (masked === text) return payload ?? null
  return Option.getOrElse(parse(masked), () => maskedValue)
}
