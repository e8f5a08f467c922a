/** Security profiles 2 and 3 over real TLS, with certificates of a CA made for the test (T08, T09). */
import { execFile } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { revokedSerials } from "../../../src/ocpp/server/Revocations.ts"
import { tlsOptions } from "../../../src/ocpp/server/Tls.ts"
import { attempt, connect, connectionsTo, raw, until } from "./client.ts"
import { type Certificates, type Identity, makeCertificates, noOpenssl } from "./certificates.ts"
import { HandClock, startServer } from "./harness.ts"

const missing = noOpenssl()
const suite = missing === undefined ? "TLS" : `TLS (skipped: ${missing})`

describe.skipIf(missing !== undefined)(suite, () => {
  let pki: Certificates
  beforeAll(() => {
    pki = makeCertificates()
  })
  afterAll(() => pki.remove())

  const tls = (clientCa = false) => tlsOptions({ ...pki.server, clientCa: clientCa ? pki.ca : undefined }, 10_000)
  const secure = (identity?: Identity) => ({ secure: true, rejectUnauthorized: false, ...identity })

  describe("profile 2", () => {
    it("is a password over TLS", async () => {
      const server = await startServer({ chargers: { CP1: { profile: 2, password: "secret" } }, tls: tls() })
      const client = await connect(server.port, "CP1", { password: "secret", ...secure() })
      expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
      expect(server.inbox.of("CP1").opening).toMatchObject({ securityProfile: 2, remoteAddress: "127.0.0.1" })
      expect((await attempt(server.port, "/ocpp/CP1", { password: "wrong", ...secure() })).status).toBe(401)
    })

    it("is what a charger with profile 1 reaches over TLS", async () => {
      const server = await startServer({
        chargers: { CP1: { profile: 1, password: "secret" } },
        tls: tls(true),
        minSecurityProfile: 2
      })
      await connect(server.port, "CP1", { password: "secret", ...secure() })
      expect(server.inbox.of("CP1").opening.securityProfile).toBe(2)
    })

    it("needs no client certificate when the server accepts them for others", async () => {
      const server = await startServer({ chargers: { CP1: { profile: 2, password: "secret" } }, tls: tls(true) })
      await connect(server.port, "CP1", { password: "secret", ...secure() })
      expect(server.inbox.of("CP1").opening.securityProfile).toBe(2)
    })
  })

  describe("profile 3", () => {
    const chargers = { CP1: { profile: 3, registeredSerialNumber: "SN-0815" }, CP2: { profile: 3 } } as const

    it.each(["CP1", "SN-0815"])("accepts a certificate of our CA with CN %s", async (commonName) => {
      const server = await startServer({ chargers, tls: tls(true) })
      const client = await connect(server.port, "CP1", secure(pki.client(commonName)))
      expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
      expect(server.inbox.of("CP1").opening.securityProfile).toBe(3)
      expect(server.asked.verifier).toBe(0)
    })

    it("works over TLS 1.2 too", async () => {
      const server = await startServer({ chargers, tls: tls(true) })
      await connect(server.port, "CP1", { ...secure(pki.client("CP1")), maxVersion: "TLSv1.2" })
      expect(server.inbox.of("CP1").opening.securityProfile).toBe(3)
    })

    const refused = async (identity: Identity | undefined, options = tls(true), password?: string) => {
      const server = await startServer({ chargers, tls: options })
      const outcome = await attempt(server.port, "/ocpp/CP1", {
        ...secure(identity),
        ...(password === undefined ? {} : { password })
      })
      expect(server.inbox.admitted).toEqual([])
      expect(server.metric("ocpp_auth_failures_total", { reason: "certificate" })).toBe(1)
      return outcome
    }

    it("refuses the certificate of another charger", async () => {
      expect(await refused(pki.client("CP2"))).toMatchObject({ status: 403, body: expect.stringContaining("CN") })
    })
    it("refuses a certificate whose CN merely begins with the id", async () => {
      expect((await refused(pki.client("CP1.example"))).status).toBe(403)
    })
    it("refuses an expired certificate", async () => {
      expect(await refused(pki.expired("CP1"))).toMatchObject({ status: 403, body: expect.stringContaining("expired") })
    })
    it("refuses a certificate of another CA", async () => {
      expect((await refused(pki.stranger("CP1"))).status).toBe(403)
    })
    it("refuses a revoked certificate, but not others of the same CA", async () => {
      const [bad, alsoBad, good] = [pki.client("CP1"), pki.client("CP1"), pki.client("CP1")]
      const file = `${pki.ca}${pki.revocationOf([bad, alsoBad])}`
      const options = tlsOptions({ ...pki.server, clientCa: file }, 10_000)
      const server = await startServer({ chargers, tls: options, revoked: revokedSerials(file) })
      for (const identity of [bad, alsoBad]) {
        const outcome = await attempt(server.port, "/ocpp/CP1", secure(identity))
        expect(outcome).toMatchObject({ status: 403, body: expect.stringContaining("revoked") })
      }
      await connect(server.port, "CP1", secure(good))
    })
    it("cannot be configured with an unreadable revocation list", () => {
      const [first, ...rest] = pki.revocationOf([pki.client("CP1")]).split("\n")
      const broken = [first, ...rest.slice(1)].join("\n")
      expect(() => revokedSerials(broken)).toThrow("cannot be read")
      expect(revokedSerials(pki.ca)).toEqual(new Set())
    })
    it("refuses a password", async () => {
      expect((await refused(undefined, tls(true), "secret")).status).toBe(403)
    })
    it("refuses a certificate that the server did not ask for", async () => {
      expect((await refused(pki.client("CP1"), tls(false))).status).toBe(403)
    })

    it("refuses a proxy's claim of a connection it has decrypted", async () => {
      const server = await startServer({ chargers, trustProxy: () => true })
      const headers = { "x-forwarded-proto": "https" }
      expect((await attempt(server.port, "/ocpp/CP1", { headers })).status).toBe(403)
    })
  })

  describe("the TLS server", () => {
    /** What OpenSSL's client negotiates, or `refused`; the runtimes' own clients cannot be made to offer weak options. */
    const handshake = (port: number, options: string): Promise<string> =>
      new Promise((resolve) => {
        const args = ["s_client", "-connect", `127.0.0.1:${port}`, ...options.split(" ")]
        const child = execFile("openssl", args, (_error, output) => {
          const [, version, suite] = /^New, (\S+), Cipher is (\S+)/m.exec(output) ?? []
          resolve(suite === undefined || suite === "(NONE)" ? "refused" : `${version} ${suite}`)
        })
        child.stdin?.end()
      })

    it.each([
      ["-tls1_2 -cipher DEFAULT", /^TLSv1\.2 ECDHE-ECDSA-AES(?:128|256)-GCM/],
      ["-tls1_3", /^TLSv1\.3 TLS_/],
      ["-tls1_1 -cipher DEFAULT:@SECLEVEL=0", /^refused$/],
      ["-tls1 -cipher DEFAULT:@SECLEVEL=0", /^refused$/],
      ["-tls1_2 -cipher AES128-SHA:@SECLEVEL=0", /^refused$/],
      ["-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA", /^refused$/]
    ])("negotiates with %s as expected", async (options, expected) => {
      const server = await startServer({ tls: tls() })
      expect(await handshake(server.port, options)).toMatch(expected)
    })

    it("cuts a handshake that stalls", async () => {
      const clock = new HandClock()
      const server = await startServer({ tls: tls(), clock })
      let isCut = false
      const connected = connectionsTo(server, 1)
      // Node reports a close, Deno a reset.
      const cut = () => void (isCut = true)
      void raw(server.port, "\x16\x03\x01", 120_000).then(cut, cut)
      await connected
      clock.advance(11_000)
      await until(() => isCut, "the cut")
      expect(isCut).toBe(true)
    })
  })
})
