/** The page that explains a webhook's signature computes it as the service does. */
import { createHmac } from "node:crypto"
import { expect, it } from "vitest"
import { signatureOf } from "../../console/src/live/signature.ts"
import { signedContent } from "../../src/domain/event/Webhook.ts"

it("signs as the service does, and gives no signature for a text that is not a secret", async () => {
  const bytes = Buffer.from("a secret of 32 bytes for webhook")
  const content = signedContent("msg_1", 1_700_000_000, '{"é":1}')
  const wanted = `v1,${createHmac("sha256", bytes).update(content).digest("base64")}`
  expect(await signatureOf(`whsec_${bytes.toString("base64")}`, content)).toBe(wanted)
  expect(await signatureOf(` ${bytes.toString("base64")} `, content)).toBe(wanted)
  for (const none of ["", "whsec_", "whsec_not base64!"]) expect(await signatureOf(none, content)).toBeUndefined()
})
