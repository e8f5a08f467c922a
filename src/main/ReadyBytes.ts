/** Sends ready answers without routing them, and compresses those that never change once, in the runtime's threads. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { type Offer, type Ready, sent } from "../http/Ready.ts"

/** Good compression in a tenth of the time that the best takes. */
const quality = 6

/** Shorter answers are not compressed. */
const compressedFrom = 1024

const compressed = async (answer: Ready): Promise<Ready> => ({
  ...answer,
  br: await promisify(brotliCompress)(answer.plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: await promisify(gzip)(answer.plain, { level: quality })
})

/** Files of the console come compressed, images cannot be, and what has no tag changes. */
const isCompressible = ({ br, etag, gzip, headers, plain }: Ready): boolean =>
  etag !== undefined &&
  br === undefined &&
  gzip === undefined &&
  plain.length >= compressedFrom &&
  /^(?:text\/|application\/json)/.test(headers["content-type"] ?? "")

export const readyBytes = () => {
  const answers = new Map<string, { readonly answer: Ready; readonly until: number }>()
  const keep = (path: string, answer: Ready, until: number): void => void answers.set(path, { answer, until })
  const offer: Offer = (path, answer, until = Number.POSITIVE_INFINITY) => {
    keep(path, answer, until)
    // If it cannot be compressed it is sent as it is.
    if (isCompressible(answer))
      compressed(answer).then(
        (both) => keep(path, both, until),
        () => undefined
      )
  }
  /** The answer to a request if it is ready. */
  const find = ({ method }: IncomingMessage, path: string): Ready | undefined => {
    const found = method === "GET" || method === "HEAD" ? answers.get(path) : undefined
    return found !== undefined && performance.now() < found.until ? found.answer : undefined
  }
  const send = (answer: Ready, { headers: asked }: IncomingMessage, response: ServerResponse): void => {
    const accepted = asked["accept-encoding"]
    const { body, headers, status } = sent(answer, accepted?.toString(), asked["if-none-match"])
    response.writeHead(status, headers)
    // Node leaves the body out of an answer to HEAD.
    response.end(body)
  }
  return { find, offer, send }
}
