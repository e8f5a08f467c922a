/** Reads the bodies of answers: codings that were asked for (RFC 9110 §8.4.1) are undone within the same limit of bytes as the answer itself. */
import { brotliDecompress, gunzip } from "node:zlib"

/** The codings that are read. A server may use any coding if a request names none (RFC 9110 §12.5.3). */
export const readableCodings = "gzip, br"

/** Why a body is not read. `kind` as in `CallFailed`. */
export interface Unread {
  readonly kind: "broken" | "too-large"
  readonly message: string
}

/** A text without a byte order mark, which some servers write before JSON. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const failureOf = (error: Error, maxBytes: number): Unread =>
  "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
    ? { kind: "too-large", message: `the answer has more than ${maxBytes} bytes when it is unpacked` }
    : { kind: "broken", message: "the compressed answer cannot be unpacked" }

/** Calls `end` once, with the text or with why there is none. `coding` is the answer's `Content-Encoding`. */
export const decodeBody = (
  bytes: Buffer,
  coding: string | undefined,
  maxBytes: number,
  end: (read: string | Unread) => void
): void => {
  const name = coding?.trim().toLowerCase() ?? ""
  if (name === "" || name === "identity" || bytes.length === 0) return end(textOf(bytes))
  const options = { maxOutputLength: maxBytes }
  const unpacked = (error: Error | null, read: Buffer): void =>
    end(error === null ? textOf(read) : failureOf(error, maxBytes))
  if (name === "gzip" || name === "x-gzip") return gunzip(bytes, options, unpacked)
  if (name === "br") return brotliDecompress(bytes, options, unpacked)
  return end({
    kind: "broken",
    message: `the answer has the content coding "${name.slice(0, 50)}", and only ${readableCodings} were asked for`
  })
}
