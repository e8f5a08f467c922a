/**
 * The secrets in OCPP 1.6's messages: the charger's password among its configuration keys (whitepaper §2.3), one-time
 * URLs, and private keys that should not be there. They are removed from frames before logging, and from answers before
 * these are stored and shown.
 */
import { Option, Schema } from "effect"
import type { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import { isSecret, passwordKey } from "../../domain/command/Kinds.ts"
import {
  hiddenErrorText,
  hiddenText,
  maskConfigurationKey,
  maskedValue,
  maskPrivateKeys,
  maskUrls
} from "../rpc/Secrets.ts"

/** A cheap test whether the text may name the secret. */
const namesSecret = new RegExp(passwordKey, "i")

/** Masks the password. Its name may be written with escapes, for which only frames about configuration are worth parsing. */
const maskPassword = (action: string, text: string): string =>
  namesSecret.test(text) || (action.endsWith("Configuration") && text.includes("\\u"))
    ? maskConfigurationKey(text, passwordKey)
    : text

/** As `ProtocolVersion.mask`. */
export const mask = (action: string, frame: string): string => maskPrivateKeys(maskUrls(maskPassword(action, frame)))

/** Shortest password that is searched for in an answer (whitepaper §2.3 requires at least 16). A shorter one could be any word. */
const passwordMinLength = 8

/** Masks the password if the charger repeats it, also with hexadecimal digits in the other case. */
const maskEcho = (command: ChargerCommand, text: string): string => {
  if (!isSecret(command) || command.value.length < passwordMinLength) return text
  const written = JSON.stringify(command.value).slice(1, -1)
  return text.replace(new RegExp(written.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi"), maskedValue)
}

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

/**
 * A CALLERROR to a command, without secrets. If the command set a password, nothing that the charger worded is kept,
 * since it may repeat the password in any notation.
 */
export const maskError = (command: ChargerCommand, code: string, description: string) =>
  isSecret(command)
    ? { code: hiddenErrorText(code), description: hiddenText(description) }
    : { code, description: maskPrivateKeys(maskUrls(description)) }

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
