/** TLS handshakes: how many begin in a second, from one network and in all, and what happens to the others. */
import { once } from "node:events"
import { createServer } from "node:https"
import { type AddressInfo, connect as connectPlain } from "node:net"
import { connect } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Handshakes, type HandshakesOptions } from "../../src/main/Handshakes.ts"
import { type Certificates, makeCertificates, noOpenssl } from "../ocpp/server/certificates.ts"

const missing = noOpenssl()
// Deno makes handshakes outside the main thread and reports connections after them.
const isDeno = "Deno" in globalThis

describe.skipIf(missing !== undefined || isDeno)(
  `TLS handshakes${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let pki: Certificates
    beforeAll(() => {
      pki = makeCertificates()
    })
    afterAll(() => pki.remove())

    const options: HandshakesOptions = {
      perSecond: 100,
      perNetworkPerSecond: 10,
      waitMillis: 60_000,
      waitingPerNetwork: 100,
      waiting: 100,
      networkOf: () => "one"
    }

    const listening = async (
      more: Partial<HandshakesOptions>,
      use: (port: number, refused: () => number) => Promise<void>
    ) => {
      let refused = 0
      const server = createServer(pki.server, (_, response) => response.end("hello"))
      new Handshakes({ ...options, ...more }, () => (refused += 1)).limit(server)
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      await use((server.address() as AddressInfo).port, () => refused)
      server.closeAllConnections()
      server.close()
    }

    /** The ms until a connection is open; undefined if it was closed before. It may be from another address of this machine. */
    const opened = (port: number, localAddress = "127.0.0.1"): Promise<number | undefined> =>
      new Promise((resolve) => {
        const began = performance.now()
        const socket = connect({
          socket: connectPlain({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined),
          rejectUnauthorized: false
        })
        socket.once("secureConnect", () => {
          resolve(performance.now() - began)
          socket.destroy()
        })
        socket.once("error", () => undefined)
        socket.once("close", () => resolve(undefined))
      })

    it("over the limit wait until it is their turn, and then work as others", () =>
      listening({}, async (port, refused) => {
        const all = await Promise.all(Array.from({ length: 20 }, () => opened(port)))
        expect(all).not.toContain(undefined)
        // Ten at once, and ten in the second after that.
        expect(Math.max(...all.map(Number))).toBeGreaterThan(500)
        const waiting = Array.from({ length: 5 }, () => opened(port))
        const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false })
        // The request is written before the handshake begins.
        socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        const [answer] = await once(socket, "data")
        expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
        socket.destroy()
        await Promise.all(waiting)
        expect(refused()).toBe(0)
      }))

    it("of one network do not delay those of another, nor those through a trusted proxy", () =>
      listening(
        { networkOf: (address) => (address === "127.0.0.3" ? undefined : address), waitingPerNetwork: 40 },
        async (port) => {
          const flood = Array.from({ length: 40 }, () => opened(port))
          await new Promise((resolve) => setTimeout(resolve, 200))
          expect(Number(await opened(port, "127.0.0.2"))).toBeLessThan(500)
          const proxied = await Promise.all(Array.from({ length: 30 }, () => opened(port, "127.0.0.3")))
          expect(Math.max(...proxied.map((millis) => millis ?? Infinity))).toBeLessThan(1_500)
          expect(Math.max(...(await Promise.all(flood)).map(Number))).toBeGreaterThan(2_000)
        }
      ))

    it("are refused when too many wait, or when one has waited too long, and clients that leave do not count", () =>
      listening({ waitingPerNetwork: 5, waitMillis: 300, perNetworkPerSecond: 1 }, async (port, refused) => {
        const all = await Promise.all(Array.from({ length: 20 }, () => opened(port)))
        expect(all.filter((millis) => millis !== undefined).length).toBeLessThanOrEqual(2)
        expect(refused()).toBe(20 - all.filter((millis) => millis !== undefined).length)
        await expect.poll(() => opened(port), { timeout: 10_000 }).not.toBe(undefined)
      }))
  }
)
