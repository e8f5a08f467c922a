/** Signatures by the Standard Webhooks convention: HMAC-SHA-256 over id, time and body, one for each secret that is good. */
import { createHmac } from "node:crypto"
import { secretPrefix, signedContent } from "../domain/event/Webhook.ts"

const signed = (secret: string, content: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(secretPrefix.length), "base64"))
    .update(content)
    .digest("base64")}`

/** The three headers of a message; `seconds` is the time of this try. */
export const signatureHeaders = (
  id: string,
  seconds: number,
  body: string,
  secrets: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const content = signedContent(id, seconds, body)
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => signed(secret, content)).join(" ")
  }
}
