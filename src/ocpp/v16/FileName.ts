/** The name of the file that a charger will upload (OCPP 1.6 §6.26; whitepaper GetLog.conf). */
import type { AnswerContent } from "../../domain/command/ChargerCommand.ts"
import { maskUrls } from "../../domain/values/SecretAddresses.ts"
import { take } from "./Command.ts"
import { text } from "./Kinds.ts"
import { message, optional, type PayloadObject } from "./Lenient.ts"

/** GetDiagnostics spells it `fileName` and GetLog `filename`, and chargers mix the two up. */
const named = message({ fileName: optional(text(255)), filename: optional(text(255)) })

export const readFileName = (payload: PayloadObject): AnswerContent => {
  const { fileName, filename } = take(named, payload)
  const given = [fileName, filename].find((name) => name !== undefined && name.trim() !== "")
  // Some chargers answer with the whole URL, which for our own file store contains a key.
  return { _tag: "FileName", fileName: given === undefined ? undefined : maskUrls(given) }
}
