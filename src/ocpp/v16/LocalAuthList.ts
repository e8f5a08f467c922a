/** The LocalAuthListManagement profile (OCPP 1.6 §5.10, §5.15): the tokens that a charger may authorise by itself. */
import type { LocalListEntry } from "../../domain/command/ChargerCommand.ts"
import { answersWith, present, take, type Command } from "./Command.ts"
import { idTagInfo } from "./IdTagInfo.ts"
import { integer } from "./Kinds.ts"
import { message } from "./Lenient.ts"

const listVersion = message({ listVersion: integer })

/** §5.10. -1 means that the charger has no such lists, 0 that its list is empty. */
export const getLocalListVersion: Command<"GetLocalListVersion"> = {
  action: "GetLocalListVersion",
  encode: () => ({}),
  decode: (payload) => {
    const { listVersion: version } = take(listVersion, payload)
    return version === undefined
      ? { _tag: "Unreadable", problem: "the answer has no listVersion" }
      : { _tag: "Read", status: undefined, content: { _tag: "LocalListVersion", version } }
  }
}

/** §7.1. Without idTagInfo the charger removes the tag from its list. */
const writeEntry = ({ authorization, tokenUid }: LocalListEntry): Readonly<Record<string, unknown>> =>
  present({
    idTag: tokenUid,
    idTagInfo:
      authorization === undefined
        ? undefined
        : idTagInfo({
            status: authorization.status,
            expiresAt: authorization.expiresAt,
            parentUid: authorization.parentUid
          })
  })

/** §5.15, its fields in the order of §6.41. An empty list is sent as such: a full update with it clears the charger's. */
export const sendLocalList: Command<"SendLocalList"> = {
  action: "SendLocalList",
  encode: ({ entries, listVersion: version, updateType }) => ({
    listVersion: version,
    localAuthorizationList: entries.map(writeEntry),
    updateType
  }),
  decode: answersWith(["Accepted", "Failed", "NotSupported", "VersionMismatch"])
}
