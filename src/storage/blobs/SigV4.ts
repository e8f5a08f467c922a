/**
 * Signature Version 4 of requests to S3-compatible stores (AWS General Reference, "Signature Version 4 signing process"). It supports only
 * what is needed to put, read and remove one object: no query, and the hash of the body known beforehand.
 */
import { createHash, createHmac } from "node:crypto"

export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

export interface Signable {
  readonly method: string
  /** As sent in the Host header: with the port if it is not the scheme's default. */
  readonly host: string
  /** Percent-encoded, once; S3 does not normalise it. */
  readonly path: string
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string
  /** ms epoch. */
  readonly now: number
}

/** SHA-256 of an empty body. */
export const emptyHash = createHash("sha256").update("").digest("hex")

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** The headers that sign a request, without `host`, which every client sends itself. */
export const signed = (
  { bodyHash, host, method, now, path }: Signable,
  { accessKeyId, region, secretAccessKey }: SigningKey
): Readonly<Record<string, string>> => {
  const at = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const day = at.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const names = "host;x-amz-content-sha256;x-amz-date"
  const canonical = `${method}\n${path}\n\nhost:${host}\nx-amz-content-sha256:${bodyHash}\nx-amz-date:${at}\n\n${names}\n${bodyHash}`
  const toSign = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${sha256(canonical)}`
  const key = [day, region, "s3", "aws4_request"].reduce<string | Uint8Array>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, toSign).toString("hex")
  return {
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": at,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }
}
