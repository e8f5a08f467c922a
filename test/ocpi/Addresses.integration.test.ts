/** Addresses that a partner tells are called only where they are the public's (T16): as versions URL in its credentials, and in our operator's own handover. */
import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Roaming } from "./partner/Roaming.ts"

const roaming = new Roaming({ OUTBOUND_ALLOW_PRIVATE: "false" })

/** Whoever connects to it was let through. */
let listener: Server | undefined
let connections = 0
let port = 0
beforeAll(async () => {
  const made = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => made.listen(0, "::", resolve))
  listener = made
  port = (made.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => (listener === undefined ? resolve(undefined) : listener.close(resolve))))

const urls = (): ReadonlyArray<string> => [
  `http://127.0.0.1:${port}/versions`,
  `https://127.0.0.1:${port}/versions`,
  `https://127.1:${port}/versions`,
  `https://2130706433:${port}/versions`,
  `https://0x7f000001:${port}/versions`,
  `https://0177.0.0.1:${port}/versions`,
  `https://0.0.0.0:${port}/versions`,
  `https://localhost:${port}/versions`,
  `https://LOCALHOST.:${port}/versions`,
  `https://[::1]:${port}/versions`,
  `https://[::]:${port}/versions`,
  `https://[::ffff:127.0.0.1]:${port}/versions`,
  `https://[64:ff9b::7f00:1]:${port}/versions`,
  `https://user:password@127.0.0.1:${port}/versions`,
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1/versions",
  "https://192.168.1.1/versions",
  "https://172.16.0.1/versions",
  "https://[fd00::1]/versions",
  "https://metadata.google.internal/versions",
  "ftp://example.com/versions",
  "file:///etc/passwd",
  "gopher://example.com:6379/_"
]

it("makes no connection for a versions URL that is none of the public's", async () => {
  const partner = await roaming.partner("2.2.1")
  const { id, token, versionsUrl } = await roaming.invite(partner)
  await partner.discover(versionsUrl, token)
  const credentials = partner.endpoint("credentials") ?? ""
  for (const url of urls()) {
    const body = { ...partner.credentials(partner.invitation()), url }
    const answer = await partner.client.ask("POST", credentials, { token, body })
    expect([answer.http, answer.code], url).toEqual([200, 3001])
    expect(answer.message).toBe("Your versions could not be read: nobody can be reached at that address")
    const handover = { versionsUrl: url, token: "theirs" }
    expect(await roaming.world.ask("POST", `partners/${id}/register`, handover, 409), url).toMatchObject({
      code: "partner_unusable"
    })
  }
  expect([connections, partner.server.connections]).toEqual([0, 0])
  expect(await roaming.shown(id)).toMatchObject({ status: "Invited" })
})
