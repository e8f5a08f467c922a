/** How chargers prove themselves over real sockets, profile by profile, and what guessing costs. */
import { describe, expect, it } from "vitest"
import { attempt, connect, raw, upgradeRequest } from "./client.ts"
import { HandClock, startServer } from "./harness.ts"

/** Bytes that are no UTF-8, among them a colon. */
const binary = Uint8Array.from([0xff, 0xfe, 0x3a, 0x00, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xc3, 0x28])
const hex = Buffer.from(binary).toString("hex")

describe("profile 0", () => {
  it("needs no credentials", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    await connect(server.port, "CP1")
    expect(server.inbox.of("CP1").opening.securityProfile).toBe(0)
  })

  it("takes no notice of credentials that are sent all the same", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    await connect(server.port, "CP1", { password: "whatever" })
    expect(server.inbox.of("CP1").opening.securityProfile).toBe(0)
    expect(server.asked.verifier).toBe(0)
  })
})

describe("profile 1", () => {
  it.each([
    ["plain text", "correct horse battery", "correct horse battery"],
    ["bytes that are no text", binary, binary],
    ["the bytes of a key stored as lower-case hex", hex, binary],
    ["the bytes of a key stored as upper-case hex", hex.toUpperCase(), binary],
    ["a key's hex digits", hex, hex],
    ["a key's hex digits in the other case", hex, hex.toUpperCase()],
    ["no characters but non-ASCII ones", "pässwörd-éèà", "pässwörd-éèà"]
  ])("takes a password of %s", async (_name, stored, sent) => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: stored } } })
    await connect(server.port, "CP1", { password: sent })
    expect(server.inbox.of("CP1").opening).toMatchObject({ securityProfile: 1, remoteAddress: "127.0.0.1" })
  })

  it.each([
    ["no credentials", {}, "missing"],
    ["an empty password", { password: "" }, "wrong"],
    ["a wrong password", { password: "wrong" }, "wrong"],
    ["the right password in another case", { password: "SECRET" }, "wrong"],
    ["the right password and a byte", { password: "secret\n" }, "wrong"],
    ["another user name", { user: "CP2", password: "secret" }, "wrong"],
    ["a user name that only begins like it", { user: "CP", password: "1:secret" }, "wrong"],
    ["a bearer token", { headers: { authorization: "Bearer secret" } }, "missing"],
    ["no base64", { headers: { authorization: "Basic {secret}" } }, "missing"]
  ])("answers %s with 401 before the upgrade", async (_name, options, reason) => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } } })
    const outcome = await attempt(server.port, "/ocpp/CP1", options)
    expect(outcome).toMatchObject({
      status: 401,
      headers: { "www-authenticate": expect.stringMatching(/^Basic realm="ocpp"/) }
    })
    expect(JSON.stringify(outcome)).not.toMatch(/secret/i)
    expect(server.inbox.admitted).toEqual([])
    expect(server.metric("ocpp_auth_failures_total", { reason })).toBe(1)
  })

  it("tells once that a charger writes its key in another way, and never the key", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: hex } } })
    for (const _ of [1, 2, 3]) await connect(server.port, "CP1", { password: binary })
    expect(server.logs.filter((line) => line.includes("its own way"))).toHaveLength(1)
    expect(server.logs.join("\n")).not.toContain(hex)
  })

  it("without a stored password lets nobody in", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1 } } })
    expect((await attempt(server.port, "/ocpp/CP1", { password: "" })).status).toBe(401)
  })
})

describe("the transport", () => {
  const trusting = { trustProxy: (address: string) => address === "127.0.0.1" || address === "10.0.0.9" }
  const chargers = { CP1: { profile: 2, password: "secret" } } as const

  it("of a profile 2 charger must be TLS", async () => {
    const server = await startServer({ chargers })
    expect(await attempt(server.port, "/ocpp/CP1", { password: "secret" })).toMatchObject({
      status: 403,
      body: expect.stringContaining("wss")
    })
    expect(server.asked.verifier).toBe(0)
  })

  it.each(["https", "wss", "HTTPS", "https, http"])("is TLS when a trusted proxy says %s", async (proto) => {
    const server = await startServer({ chargers, ...trusting })
    const headers = { "x-forwarded-proto": proto, "x-forwarded-for": "203.0.113.7, 10.0.0.9" }
    await connect(server.port, "CP1", { password: "secret", headers })
    expect(server.inbox.of("CP1").opening).toMatchObject({ securityProfile: 2, remoteAddress: "203.0.113.7" })
  })

  it("is not TLS because a stranger says so, nor does he come from where he says", async () => {
    const server = await startServer({ chargers: { ...chargers, CP2: {} } })
    const headers = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" }
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret", headers })).status).toBe(403)
    await connect(server.port, "CP2", { headers })
    expect(server.inbox.of("CP2").opening.remoteAddress).toBe("127.0.0.1")
  })

  it("raises what a profile 1 charger has proved when it is TLS", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } }, ...trusting })
    await connect(server.port, "CP1", { password: "secret", headers: { "x-forwarded-proto": "wss" } })
    expect(server.inbox.of("CP1").opening.securityProfile).toBe(2)
  })
})

describe("the least security profile", () => {
  it.each([
    [1, { profile: 0 }, 403],
    [1, { profile: 1, password: "secret" }, 101],
    [2, { profile: 1, password: "secret" }, 403],
    [3, { profile: 1, password: "secret" }, 403]
  ] as const)("%i meets a charger %j over ws with %i", async (minSecurityProfile, charger, status) => {
    const server = await startServer({ chargers: { CP1: charger }, minSecurityProfile })
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret" })).status).toBe(status)
    expect(server.asked.verifier).toBe(status === 101 ? 1 : 0)
  })
})

describe("guessing", () => {
  /** A guess from one of 250 networks. */
  const wrong = (i: number): string =>
    upgradeRequest("/ocpp/CP1", {
      Authorization: `Basic ${Buffer.from(`CP1:guess ${i}`).toString("base64")}`,
      "X-Forwarded-For": `198.51.${i % 250}.1`
    })

  /** A hundred times and more what is let through; each costs a connection. */
  const guesses = process.env["PROPERTY"] === "full" ? 10_000 : 2_500

  it(
    "thousands of times in a minute puts at most twenty guesses to the verifier, and the charger notices nothing",
    { timeout: 60_000 },
    async () => {
      const clock = new HandClock()
      const server = await startServer({
        chargers: { CP1: { profile: 1, password: "secret" } },
        clock,
        trustProxy: () => true
      })
      const charger = await connect(server.port, "CP1", { password: "secret" })
      server.asked.verifier = 0
      const statuses: Record<string, number> = {}
      for (let i = 0; i < guesses; i += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, j) => raw(server.port, wrong(i + j))))
        for (const answer of answers) statuses[answer.slice(9, 12)] = (statuses[answer.slice(9, 12)] ?? 0) + 1
        expect(await charger.call("Heartbeat", {}, String(i))).toMatchObject([3, String(i), {}])
        clock.advance((60_000 * 50) / guesses)
      }
      expect(server.asked.verifier).toBeGreaterThan(0)
      expect(server.asked.verifier).toBeLessThanOrEqual(20)
      expect(Object.keys(statuses).toSorted()).toEqual(["401", "429"])
      expect(server.inbox.admitted).toEqual(["CP1"])
      expect(server.metric("ocpp_auth_failures_total", { reason: "limited" })).toBe(statuses["429"])
    }
  )

  it("from elsewhere does not lock the charger out of the place it last came from", async () => {
    const clock = new HandClock()
    const server = await startServer({
      chargers: { CP1: { profile: 1, password: "secret" } },
      clock,
      trustProxy: () => true
    })
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
    await connect(server.port, "CP1", { password: "secret", ...from("203.0.113.7") })
    for (let i = 0; i < 100; i++) {
      expect(
        (await attempt(server.port, "/ocpp/CP1", { password: `guess ${i}`, ...from(`198.51.${i}.1`) })).status
      ).not.toBe(101)
    }
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret", ...from("198.51.100.1") })).status).toBe(429)
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret", ...from("203.0.113.9") })).status).toBe(101)
  })

  it("ids from a gateway does not lock out the chargers behind it", async () => {
    const clock = new HandClock()
    const known = Array.from({ length: 100 }, (_, i) => `CP${i}`)
    const key = { profile: 1, password: "secret" } as const
    const server = await startServer({ chargers: Object.fromEntries(known.map((id) => [id, key])), clock })
    for (const id of known.slice(0, 80)) await connect(server.port, id, { password: "secret" })
    for (let i = 0; i < 300; i++) await attempt(server.port, `/ocpp/STRANGER${i}`)
    server.asked.directory = 0
    const outcomes = await Promise.all(Array.from({ length: 300 }, (_, i) => attempt(server.port, `/ocpp/OTHER${i}`)))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([429]))
    expect(outcomes[0]).toMatchObject({ headers: { "retry-after": "5" } })
    expect(server.asked.directory).toBe(0)
    for (const id of known.slice(0, 80)) await connect(server.port, id, { password: "secret" })
    // Those that were never here come in by and by, a few a second.
    clock.advance(1_000)
    for (const id of known.slice(80)) await connect(server.port, id, { password: "secret" })
  })

  it("is forgotten after a while", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } }, clock })
    for (let i = 0; i < 100; i++) await attempt(server.port, "/ocpp/CP1", { password: `guess ${i}` })
    expect(await attempt(server.port, "/ocpp/CP1", { password: "secret" })).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.stringMatching(/^\d+$/) }
    })
    clock.advance(8_000)
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret" })).status).toBe(101)
  })

  it("is told once for each until it is too much to be of use", async () => {
    const server = await startServer({ clock: new HandClock(), limits: { refusalsPerMinute: 5 } })
    for (let i = 0; i < 20; i++) await attempt(server.port, `/ocpp/STRANGER${i}`)
    expect(server.logs.filter((line) => line.includes("refused"))).toHaveLength(5)
  })
})

describe("two devices with one identity", () => {
  it("are held back after many reconnects, and let in again later", async () => {
    const clock = new HandClock()
    const server = await startServer({
      chargers: { CP1: {}, CP2: {} },
      clock,
      limits: { reconnectBurst: 10, reconnectsPerMinute: 6 }
    })
    for (let i = 0; i < 10; i++) await connect(server.port, "CP1")
    expect(await attempt(server.port, "/ocpp/CP1")).toMatchObject({ status: 429, headers: { "retry-after": "10" } })
    await connect(server.port, "CP2")
    clock.advance(10_000)
    await connect(server.port, "CP1")
  })
})
