/** The page that explains a webhook's signature works it out as the service does. */
import { createHmac } from "node:crypto"
import { expect, it } from "vitest"
import { signatureOf } from "../../console/src/live/signature.ts"
import { signedContent } from "../../src/domain/event/Webhook.ts"

it("signs what the service signs, and says of text that is no secret that it is none", async () => {
  const bytes = Buffer.from("a secret of 32 bytes for webhook")
  const content = signedContent("msg_1", 1_700_000_000, '{"é":1}')
  const wanted = `v1,${createHmac("sha256", bytes).update(content).digest("base64")}`
  expect(await signatureOf(`whsec_${bytes.toString("base64")}`, content)).toBe(wanted)
  expect(await signatureOf(` ${bytes.toString("base64")} `, content)).toBe(wanted)
  for (const none of ["", "whsec_", "whsec_not base64!"]) expect(await signatureOf(none, content)).toBeUndefined()
})
