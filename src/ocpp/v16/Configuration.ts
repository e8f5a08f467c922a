/** Configuration keys (OCPP 1.6 §5.3, §5.8): requesting and changing them, and reading the charger's answers. */
import type { ConfigurationKey } from "../../domain/command/ChargerCommand.ts"
import { passwordKey } from "../../domain/command/Kinds.ts"
import { cutList, cutMark } from "../../domain/values/Cut.ts"
import { answersWith, answersWithout, take, type Command } from "./Command.ts"
import { flag, list, text, texts } from "./Kinds.ts"
import { message, optional, type ReadOf } from "./Lenient.ts"

/** Keys are not case-sensitive (§9). The password is write-only, but some chargers report it anyway. */
const isSecretKey = (key: string): boolean => key.trim().toLowerCase() === passwordKey

/** Characters of a value that are kept: as many as OCPP 2.x allows, since meters' public keys are reported here. */
const valueKept = 2500

/** UTF-16 units that are kept of all keys, as JSON: some chargers have four hundred keys. */
const keysKept = 131_072

/** The same for the names of keys that the charger does not have; we request only a few. */
const unknownKept = 16_384

const keyValue = message({ key: text(50), readonly: flag, value: optional(text(500, valueKept)) })

const configuration = message({
  configurationKey: optional(list(keyValue)),
  unknownKey: optional(texts(50))
})

const readKey = ({ key, readonly = false, value }: ReadOf<typeof keyValue>): ReadonlyArray<ConfigurationKey> => {
  if (key === undefined || key.trim() === "") return []
  return [{ key, value: isSecretKey(key) ? undefined : value, readonly }]
}

/** The keys that fit, with a last one that says how many others were left out. */
const keysWithin = (keys: ReadonlyArray<ConfigurationKey>): ReadonlyArray<ConfigurationKey> => {
  const kept = cutList(keys, keysKept)
  const more = keys.length - kept.length
  return more === 0 ? kept : [...kept, { key: cutMark, value: `${more} more keys were not kept`, readonly: true }]
}

/** §5.8. No key requests all of them. */
export const getConfiguration: Command<"GetConfiguration"> = {
  action: "GetConfiguration",
  encode: ({ keys }) => (keys.length === 0 ? {} : { key: keys }),
  decode: answersWithout((payload) => {
    const { configurationKey = [], unknownKey = [] } = take(configuration, payload)
    const keys = keysWithin(configurationKey.flatMap(readKey))
    return { _tag: "Configuration", keys, unknown: cutList(unknownKey, unknownKept) }
  })
}

/** §5.3. */
export const changeConfiguration: Command<"ChangeConfiguration"> = {
  action: "ChangeConfiguration",
  encode: ({ key, value }) => ({ key, value }),
  decode: answersWith(["Accepted", "Rejected", "RebootRequired", "NotSupported"])
}
