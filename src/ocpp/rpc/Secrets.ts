/** What is shown of frames that may repeat a secret in any notation: nothing that the charger worded. */
import { maskedValue } from "../../domain/values/SecretNames.ts"
import { readErrorCode } from "./ErrorCode.ts"
import type { CallError } from "./Frame.ts"

/** Hides a text that the charger worded; an empty one stays empty. */
export const hiddenText = (text: string): string => (text === "" ? "" : maskedValue)

/** The code of a CALLERROR, hidden if no version defines it. */
export const hiddenErrorText = (code: string): string => readErrorCode(code) ?? maskedValue

/** A CALLRESULT that shows nothing except its message id. */
export const hiddenResult = (messageId: string): string =>
  JSON.stringify([3, messageId, { [maskedValue]: maskedValue }])

/** A CALLERROR that shows only its message id, and its code if a version defines it. */
export const hiddenError = ({ code, description, details, messageId }: CallError): string =>
  JSON.stringify([
    4,
    messageId,
    hiddenErrorText(code),
    hiddenText(description),
    JSON.stringify(details) === "{}" ? {} : { [maskedValue]: maskedValue }
  ])
