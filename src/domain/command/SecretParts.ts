/**
 * The secrets in commands: passwords in configuration keys and in vendors' data, and credentials in the locations of files. Only the charger gets
 * them. What is stored and shown of a command has them masked.
 */
import { shownLocation } from "../values/SecretAddresses.ts"
import { maskedValue } from "../values/SecretNames.ts"
import { shownValue } from "../values/SecretText.ts"
import type { ChargerCommand, CommandOf } from "./ChargerCommand.ts"
import { passwordKey } from "./Kinds.ts"

const isPasswordKey = (key: string): boolean => key.trim().toLowerCase() === passwordKey

/** True for a command that sets the charger's own password, which the service verifies afterwards. */
export const setsPassword = (command: ChargerCommand): command is CommandOf<"ChangeConfiguration"> =>
  command._tag === "ChangeConfiguration" && isPasswordKey(command.key)

const shownData = (messageId: string | undefined, data: string): string => shownValue(messageId ?? "", data)

/** What a command sends, and how it is shown; undefined if it sends nothing that may be secret as a value. */
const valueOf = (command: ChargerCommand): readonly [value: string, shown: string] | undefined => {
  if (command._tag === "ChangeConfiguration") {
    const { key, value } = command
    return [value, isPasswordKey(key) ? maskedValue : shownValue(key, value)]
  }
  if (command._tag !== "DataTransfer" || command.data === undefined) return undefined
  return [command.data, shownData(command.messageId, command.data)]
}

/** The parts of a text that its shown form hides; the whole text if they cannot be distinguished. */
const hiddenParts = (text: string, shown: string): ReadonlyArray<string> => {
  const [start = "", ...others] = shown.split(maskedValue)
  if (others.length === 0 || !text.startsWith(start)) return [text]
  const parts: Array<string> = []
  let from = start.length
  for (const [i, kept] of others.entries()) {
    const to = i === others.length - 1 ? text.length - kept.length : text.indexOf(kept, from)
    if (to < from || !text.startsWith(kept, to)) return [text]
    parts.push(text.slice(from, to))
    from = to + kept.length
  }
  // Of a query that is hidden as a whole, the answer may repeat one value.
  const values = parts.flatMap((part) => [...part.matchAll(/=([^&;=\s]{4,})/g)].map(([, value = ""]) => value))
  return [...parts, ...values].filter((part) => part !== "" && part !== maskedValue)
}

/** The secrets among the values that a command sends to the charger. Its answer may repeat them. */
export const secretsOf = (command: ChargerCommand): ReadonlyArray<string> => {
  const [value, shown] = valueOf(command) ?? ["", ""]
  return value === shown ? [] : hiddenParts(value, shown)
}

/** True for a command with a secret value. Its answer may repeat that in any notation. */
export const setsSecret = (command: ChargerCommand): boolean => secretsOf(command).length > 0

/** The command without its secrets; the same object if it has none. */
export const withoutSecrets = (command: ChargerCommand): ChargerCommand => {
  if (command._tag === "ChangeConfiguration") {
    const value = isPasswordKey(command.key) ? "" : shownValue(command.key, command.value)
    return value === command.value ? command : { ...command, value }
  }
  if (command._tag === "DataTransfer") {
    if (command.data === undefined) return command
    const data = shownData(command.messageId, command.data)
    return data === command.data ? command : { ...command, data }
  }
  if (!("location" in command)) return command
  const location = shownLocation(command.location)
  return location === command.location ? command : { ...command, location }
}

const locations: ReadonlySet<string> = new Set(["location", "remoteLocation"])

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The fields of a command in REST as they may be shown. Locations are at the top or one level below (GetLog, SignedUpdateFirmware). */
export const shownFields = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (name === "log" || name === "firmware") return [name, shownFields({ ...(value as object) })]
      if (typeof value !== "string") return [name, value]
      if (locations.has(name)) return [name, shownLocation(value)]
      if (name === "value") return [name, shownValue(textOf(given["key"]), value)]
      return [name, name === "data" ? shownData(textOf(given["messageId"]), value) : value]
    })
  )
