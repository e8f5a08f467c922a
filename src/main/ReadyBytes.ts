/** Sends ready answers without routing them. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Offer, type Ready, sent } from "../http/Ready.ts"

export const readyBytes = () => {
  const answers = new Map<string, { readonly answer: Ready; readonly until: number }>()
  const offer: Offer = (path, answer, until = Number.POSITIVE_INFINITY) => void answers.set(path, { answer, until })
  /** The answer to a request if it is ready. */
  const find = ({ method }: IncomingMessage, path: string): Ready | undefined => {
    const found = method === "GET" || method === "HEAD" ? answers.get(path) : undefined
    return found !== undefined && performance.now() < found.until ? found.answer : undefined
  }
  const send = (answer: Ready, { headers: asked }: IncomingMessage, response: ServerResponse): void => {
    const known = asked["if-none-match"]
    const { body, headers, status } = sent(answer, String(asked["accept-encoding"] ?? ""), known)
    response.writeHead(status, headers)
    // Node leaves the body out of an answer to HEAD.
    response.end(body)
  }
  return { find, offer, send }
}
