/**
 * The secrets in commands: passwords in configuration keys and in vendors' data, and credentials in the locations of files. Only the charger gets
 * them. What is stored and shown of a command has them masked.
 */
import { shownLocation } from "../values/SecretAddresses.ts"
import { isSecretEntry } from "../values/SecretNames.ts"
import { shownValue } from "../values/SecretText.ts"
import type { ChargerCommand, CommandOf } from "./ChargerCommand.ts"
import { passwordKey } from "./Kinds.ts"

const isPasswordKey = (key: string): boolean => key.trim().toLowerCase() === passwordKey

/** True for a command that sets the charger's own password, which the service verifies afterwards. */
export const setsPassword = (command: ChargerCommand): command is CommandOf<"ChangeConfiguration"> =>
  command._tag === "ChangeConfiguration" && isPasswordKey(command.key)

/** True for a command whose whole value is secret. Its answer may repeat the value in any notation. */
export const setsSecret = (command: ChargerCommand): command is CommandOf<"ChangeConfiguration"> =>
  command._tag === "ChangeConfiguration" && (isPasswordKey(command.key) || isSecretEntry(command.key, command.value))

const shownData = (messageId: string | undefined, data: string): string => shownValue(messageId ?? "", data)

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
