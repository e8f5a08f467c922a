/** Configuration keys (OCPP 1.6 §5.3, §5.8): asking for them, changing them, reading what the charger makes of it. */
import type { ConfigurationKey } from "../../domain/charger/ChargerCommand.ts"
import { passwordKey } from "../../domain/command/Kinds.ts"
import { answersWith, answersWithout, take, type Command } from "./Command.ts"
import { flag, list, text, texts } from "./Kinds.ts"
import { message, optional, type ReadOf } from "./Lenient.ts"

/** Keys have no case (§9). The password is write-only, and some chargers tell it all the same. */
const isSecretKey = (key: string): boolean => key.trim().toLowerCase() === passwordKey

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
  action: "GetConfiguration",
  encode: ({ keys }) => (keys.length === 0 ? {} : { key: keys }),
  decode: answersWithout((payload) => {
    const { configurationKey = [], unknownKey = [] } = take(configuration, payload)
    return { _tag: "Configuration", keys: configurationKey.flatMap(readKey), unknown: unknownKey }
  })
}

/** §5.3. */
export const changeConfiguration: Command<"ChangeConfiguration"> = {
  action: "ChangeConfiguration",
  encode: ({ key, value }) => ({ key, value }),
  decode: answersWith(["Accepted", "Rejected", "RebootRequired", "NotSupported"])
}
