/** A receiver of webhooks over real HTTP, which verifies them by its own computation of the convention's signature. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly event: { readonly id: string; readonly type: string; readonly subject: string; readonly data: object }
}

export class Receiver {
  readonly received: Array<Received> = []
  /** Answers a delivery; a response that is not ended stays open. */
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.writeHead(204).end()
  private readonly server: Server

  private constructor() {
    this.server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const received: Received = { headers: request.headers, text, event: JSON.parse(text) }
        this.received.push(received)
        this.answer(response, received)
      })
    })
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver()
    await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }
}

/** How many of a message's signatures were made with a secret, checked with the Web Crypto of the runtime. */
export const signaturesBy = async (secret: string, { headers, text }: Received): Promise<number> => {
  const key = await crypto.subtle.importKey(
    "raw",
    Buffer.from(secret.replace(/^whsec_/, ""), "base64"),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"]
  )
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${text}`
  const made = Buffer.from(await crypto.subtle.sign("HMAC", key, Buffer.from(content))).toString("base64")
  return String(headers["webhook-signature"])
    .split(" ")
    .filter((signature) => signature === `v1,${made}`).length
}
