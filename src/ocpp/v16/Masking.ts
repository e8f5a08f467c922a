/**
 * What of OCPP 1.6's messages is secret: the charger's password among its configuration keys (whitepaper §2.3), one-time URLs, and private
 * keys that should not be there. Frames lose them before they are logged, answers before they are stored and shown.
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

/** Whether the text may name the secret at all: a search for the rest of them. */
const namesSecret = new RegExp(passwordKey, "i")

/** A name may hide behind an escape, which only frames about configuration are worth reading for. */
const maskPassword = (action: string, text: string): string =>
  namesSecret.test(text) || (action.endsWith("Configuration") && text.includes("\\u"))
    ? maskConfigurationKey(text, passwordKey)
    : text

/** As `ProtocolVersion.mask`. */
export const mask = (action: string, frame: string): string => maskPrivateKeys(maskUrls(maskPassword(action, frame)))

/** Shortest password that is looked for in an answer (whitepaper §2.3 has 16 at the least): a shorter one could be any word. */
const passwordMinLength = 8

/** A charger may repeat what it was sent, and hexadecimal digits in the other case. */
const maskEcho = (command: ChargerCommand, text: string): string => {
  if (!isSecret(command) || command.value.length < passwordMinLength) return text
  const written = JSON.stringify(command.value).slice(1, -1)
  return text.replace(new RegExp(written.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi"), maskedValue)
}

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

/**
 * A CALLERROR to a command without its secrets. Of one to a new password nothing is kept that the charger worded itself, since it may
 * repeat the password in any writing.
 */
export const maskError = (command: ChargerCommand, code: string, description: string) =>
  isSecret(command)
    ? { code: hiddenErrorText(code), description: hiddenText(description) }
    : { code, description: maskPrivateKeys(maskUrls(description)) }

/**
 * The answer to a command without its secrets, as a JSON value; the value itself when it has none, null for none. One that is no JSON
 * any more without them (a number was one) is hidden whole.
 */
export const maskAnswer = (command: ChargerCommand, payload: unknown): unknown => {
  const text = JSON.stringify(payload ?? null)
  const masked = mask(command._tag, maskEcho(command, text))
  if (masked === text) return payload ?? null
  return Option.getOrElse(parse(masked), () => maskedValue)
}
