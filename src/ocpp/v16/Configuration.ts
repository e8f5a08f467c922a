/** Configuration keys (OCPP 1.6 §5.3, §5.8): asking for them, changing them, reading what the charger makes of it. */
import type { CommandResult, ConfigurationKey } from "../../domain/charger/ChargerCommand.ts"
import { flag, list, text, texts } from "./Kinds.ts"
import { message, optional, Report, type ReadOf } from "./Lenient.ts"
import { readStatus, type Command } from "./Command.ts"

/** The charger's password (whitepaper §2.3). Write-only, and some chargers tell it all the same. Lower case: keys have none (§9). */
export const secretKey = "authorizationkey"

export const isSecretKey = (key: string): boolean => key.trim().toLowerCase() === secretKey

const keyValue = message({ key: text(50), readonly: flag, value: optional(text(500)) })

const configuration = message({
  configurationKey: optional(list(keyValue)),
  unknownKey: optional(texts(50))
})

const readKey = ({ key, readonly = false, value }: ReadOf<typeof keyValue>): ReadonlyArray<ConfigurationKey> => {
  if (key === undefined || key.trim() === "") return []
  return [{ key, value: isSecretKey(key) ? undefined : value, readonly }]
}

/** §5.8. No key asks for all of them. */
export const getConfiguration: Command<"GetConfiguration"> = {
  encode: ({ keys }) => ({ action: "GetConfiguration", payload: keys.length === 0 ? {} : { key: keys } }),
  decode: (payload): CommandResult => {
    const { configurationKey = [], unknownKey = [] } = configuration.take(payload, "", new Report())
    return { _tag: "ConfigurationKeys", keys: configurationKey.flatMap(readKey), unknown: unknownKey }
  }
}

/** §5.3. */
export const changeConfiguration: Command<"ChangeConfiguration"> = {
  encode: ({ key, value }) => ({ action: "ChangeConfiguration", payload: { key, value } }),
  decode: readStatus
}
