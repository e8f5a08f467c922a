/** Signatures of webhooks (Standard Webhooks), computed by the browser. */

export const prefix = "whsec_"

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

/** `v1,<base64>` by the Standard Webhooks convention; undefined if the secret is invalid. */
export const signatureOf = async (secret: string, content: string): Promise<string | undefined> => {
  try {
    const bytes = bytesOf(secret.trim().replace(prefix, ""))
    if (bytes.length === 0) return undefined
    const algorithm = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"])
    const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(content))
    return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`
  } catch {
    return undefined
  }
}
