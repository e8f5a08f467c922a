/**
 * The partners of a benchmark: eMSPs of OCPI 2.2.1, each at an address of its own. They answer as fast as they can and report when each push arrived.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

export interface Push {
  readonly partner: number
  readonly method: string
  /** The segments of the path after the module's address. */
  readonly path: ReadonlyArray<string>
  readonly body: Readonly<Record<string, unknown>>
  /** By `performance.now`. */
  readonly at: number
}

const read = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

export const partnerParty = (partner: number): string => `B${partner.toString(36).toUpperCase().padStart(2, "0")}`

/** Serves one partner, which accepts any token. */
const serve = async (partner: number, pushed: (push: Push) => void) => {
  let base = ""
  const answerOf = (module: string): unknown => {
    switch (module) {
      case "versions":
        return [{ version: "2.2.1", url: `${base}/details` }]
      case "details": {
        const endpoint = (identifier: string) => ({ identifier, role: "RECEIVER", url: `${base}/${identifier}` })
        return { version: "2.2.1", endpoints: ["credentials", "locations"].map(endpoint) }
      }
      case "credentials": {
        const role = { role: "EMSP", business_details: { name: "Bench" }, country_code: "DE" }
        return {
          token: `bench-${partner}`,
          url: `${base}/versions`,
          roles: [{ ...role, party_id: partnerParty(partner) }]
        }
      }
      default:
        return undefined
    }
  }
  const server = createServer((incoming, response) => {
    const at = performance.now()
    void read(incoming).then((text) => {
      const [, module = "", ...path] = (incoming.url ?? "").split("/")
      const body = text === "" ? {} : (JSON.parse(text) as Push["body"])
      pushed({ partner, method: incoming.method ?? "", path: [module, ...path], body, at })
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ data: answerOf(module), status_code: 1000, timestamp: "2026-11-20T08:30:00Z" }))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, close: () => void server.close() }
}

export const servePartners = async (count: number, pushed: (push: Push) => void) => {
  const servers: Array<Awaited<ReturnType<typeof serve>>> = []
  for (let partner = 0; partner < count; partner++) servers.push(await serve(partner, pushed))
  return {
    versionsUrl: (partner: number) => `${servers[partner]?.base ?? ""}/versions`,
    close: () => {
      for (const { close } of servers) close()
    }
  }
}
