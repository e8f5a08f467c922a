/**
 * The secrets in OCPP 1.6's messages: passwords among the configuration keys and in vendors' data, one-time URLs, and
 * private keys that should not be there. They are removed from frames before logging, and from answers before these are
 * stored and shown.
 */
import { Option, Schema } from "effect"
import type { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import { secretsOf, setsSecret } from "../../domain/command/SecretParts.ts"
import { maskJson } from "../../domain/values/SecretJson.ts"
import { maskedValue } from "../../domain/values/SecretNames.ts"
import { maskUrls } from "../../domain/values/SecretAddresses.ts"
import { maskPrivateKeys, mayHoldSecret, namesSecret, shownText } from "../../domain/values/SecretText.ts"
import { hiddenErrorText, hiddenText } from "../rpc/Secrets.ts"

/**
 * As `ProtocolVersion.mask`. A secret may be in a field that no specification has, and in an error, whatever the action; so the text alone decides.
 * If the frame cannot be read, or a name is written with escapes, it is unknown where the secret is, and the whole frame is hidden.
 */
export const mask = (frame: string): string => {
  if (!mayHoldSecret(frame)) return frame
  const named = maskJson(frame, shownText) ?? (namesSecret(frame) || frame.includes("\\u") ? maskedValue : frame)
  return maskPrivateKeys(maskUrls(named))
}

/** Shortest secret that is searched for anywhere in an answer. A shorter one could be part of any word, so whole strings are compared. */
const echoMinLength = 8

/** Masks the secrets of the command if the charger repeats them, also with hexadecimal digits in the other case. */
const maskEchoes = (command: ChargerCommand, text: string): string =>
  secretsOf(command).reduce((shown, secret) => {
    const written = JSON.stringify(secret).slice(1, -1)
    const literal = written.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
    const pattern = secret.length < echoMinLength ? `(?<=")${literal}(?=")` : literal
    return shown.replace(new RegExp(pattern, "gi"), maskedValue)
  }, text)

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
  const masked = mask(maskEchoes(command, text))
  if (masked === text) return payload ?? null
  return Option.getOrElse(parse(masked), () => maskedValue)
}
