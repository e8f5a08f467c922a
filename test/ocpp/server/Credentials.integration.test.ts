/** How chargers authenticate over real sockets, profile by profile, and how guessing is limited. */
import { describe, expect, it } from "vitest"
import { attempt, connect, until } from "./client.ts"
import { HandClock, startServer, type TestServer } from "./harness.ts"

/** Bytes that are not UTF-8, among them a colon. */
const binary = Uint8Array.from([0xff, 0xfe, 0x3a, 0x00, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xc3, 0x28])
const hex = Buffer.from(binary).toString("hex")

describe("profile 0", () => {
  it("needs no credentials", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    await connect(server.port, "CP1")
    expect(server.inbox.of("CP1").opening.securityProfile).toBe(0)
  })

  it("ignores credentials that are sent anyway", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    await connect(server.port, "CP1", { password: "whatever" })
    expect(server.inbox.of("CP1").opening.securityProfile).toBe(0)
    expect(server.asked.verifier).toBe(0)
  })
})

describe("profile 1", () => {
  it.each([
    ["plain text", "correct horse battery", "correct horse battery"],
    ["bytes that are not text", binary, binary],
    ["the bytes of a key stored as lower-case hex", hex, binary],
    ["the bytes of a key stored as upper-case hex", hex.toUpperCase(), binary],
    ["a key's hex digits", hex, hex],
    ["a key's hex digits in the other case", hex, hex.toUpperCase()],
    ["text with non-ASCII characters", "pässwörd-éèà", "pässwörd-éèà"]
  ])("accepts a password of %s", async (_name, stored, sent) => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: stored } } })
    await connect(server.port, "CP1", { password: sent })
    expect(server.inbox.of("CP1").opening).toMatchObject({ securityProfile: 1, remoteAddress: "127.0.0.1" })
  })

  it.each([
    ["no credentials", {}, "missing"],
    ["an empty password", { password: "" }, "wrong"],
    ["a wrong password", { password: "wrong" }, "wrong"],
    ["the right password in another case", { password: "SECRET" }, "wrong"],
    ["the right password and one more byte", { password: "secret\n" }, "wrong"],
    ["another user name", { user: "CP2", password: "secret" }, "wrong"],
    ["a user name that is only a prefix", { user: "CP", password: "1:secret" }, "wrong"],
    ["a bearer token", { headers: { authorization: "Bearer secret" } }, "missing"],
    ["invalid base64", { headers: { authorization: "Basic {secret}" } }, "missing"]
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

  it("logs once that a charger encodes its key in its own way, and never the key", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: hex } } })
    for (const _ of [1, 2, 3]) await connect(server.port, "CP1", { password: binary })
    expect(server.logs.filter((line) => line.includes("deviating form"))).toHaveLength(1)
    expect(server.logs.join("\n")).not.toContain(hex)
  })

  it("admits no charger without a stored password", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1 } } })
    expect((await attempt(server.port, "/ocpp/CP1", { password: "" })).status).toBe(401)
  })
})

describe("the transport", () => {
  const trusting = { trustProxy: (address: string) => address === "127.0.0.1" || address === "10.0.0.9" }
  const chargers = { CP1: { profile: 2, password: "secret" } } as const

  it("of a charger with profile 2 must be TLS", async () => {
    const server = await startServer({ chargers })
    expect(await attempt(server.port, "/ocpp/CP1", { password: "secret" })).toMatchObject({
      status: 403,
      body: expect.stringContaining("wss")
    })
    expect(server.asked.verifier).toBe(0)
  })

  it.each(["https", "wss", "HTTPS", "https, http"])("counts as TLS when a trusted proxy says %s", async (proto) => {
    const server = await startServer({ chargers, ...trusting })
    const headers = { "x-forwarded-proto": proto, "x-forwarded-for": "203.0.113.7, 10.0.0.9" }
    await connect(server.port, "CP1", { password: "secret", headers })
    expect(server.inbox.of("CP1").opening).toMatchObject({ securityProfile: 2, remoteAddress: "203.0.113.7" })
  })

  it("is logged for each refusal, but at most 600 a minute from however many networks", async () => {
    const server = await startServer({ chargers, trustProxy: () => true })
    const refusals = Array.from({ length: 1_000 }, (_, n) =>
      attempt(server.port, `/ocpp/UNKNOWN-${n}`, {
        headers: { "x-forwarded-proto": "https", "x-forwarded-for": `198.${n >> 8}.${n & 255}.7` }
      })
    )
    expect(new Set((await Promise.all(refusals)).map(({ status }) => status))).toEqual(new Set([404]))
    // Ten a second are added.
    const lines = server.logs.filter((line) => line.includes("charger refused")).length
    expect(lines).toBeGreaterThanOrEqual(600)
    expect(lines).toBeLessThan(800)
  })

  it("and the client's address are not taken from an untrusted client's headers", async () => {
    const server = await startServer({ chargers: { ...chargers, CP2: {} } })
    const headers = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" }
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret", headers })).status).toBe(403)
    await connect(server.port, "CP2", { headers })
    expect(server.inbox.of("CP2").opening.remoteAddress).toBe("127.0.0.1")
  })

  it("raises a charger with profile 1 to profile 2 when it is TLS", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } }, ...trusting })
    await connect(server.port, "CP1", { password: "secret", headers: { "x-forwarded-proto": "wss" } })
    expect(server.inbox.of("CP1").opening.securityProfile).toBe(2)
  })
})

describe("the minimum security profile", () => {
  it.each([
    [1, { profile: 0 }, 403],
    [1, { profile: 1, password: "secret" }, 101],
    [2, { profile: 1, password: "secret" }, 403],
    [3, { profile: 1, password: "secret" }, 403]
  ] as const)("%i answers a charger %j over ws with %i", async (minSecurityProfile, charger, status) => {
    const server = await startServer({ chargers: { CP1: charger }, minSecurityProfile })
    expect((await attempt(server.port, "/ocpp/CP1", { password: "secret" })).status).toBe(status)
    expect(server.asked.verifier).toBe(status === 101 ? 1 : 0)
  })
})

describe("a refusal", () => {
  it("is reported to operators with its reason and network, but without what was sent", async () => {
    const chargers = {
      CP1: { profile: 1, password: "secret" },
      CP2: { profile: 2, password: "secret" },
      CP3: { profile: 1 },
      CP4: { profile: 3 },
      CP5: { profile: 0 }
    } as const
    const trustProxy = () => true
    const server = await startServer({ chargers, trustProxy })
    const tls = { "x-forwarded-proto": "wss", "x-forwarded-for": "203.0.113.7" }
    await attempt(server.port, "/ocpp/CP1")
    await attempt(server.port, "/ocpp/CP1", { password: "guessed", headers: tls })
    await attempt(server.port, "/ocpp/CP2", { password: "secret" })
    await attempt(server.port, "/ocpp/CP3", { password: "guessed" })
    await attempt(server.port, "/ocpp/CP3")
    await attempt(server.port, "/ocpp/CP4", { headers: tls })
    await attempt(server.port, "/ocpp/CP5", { protocols: ["ocpp9.9"] })
    await attempt(server.port, "/ocpp/CP9", { password: "guessed" })
    expect(server.refused.map(({ chargerId, network, reason }) => `${chargerId} ${reason} ${network}`)).toEqual([
      "CP1 PasswordMissing 127.0.0.0/24",
      "CP1 WrongPassword 203.0.113.0/24",
      "CP2 SecurityProfile 127.0.0.0/24",
      "CP3 NoPasswordSet 127.0.0.0/24",
      "CP3 NoPasswordSet 127.0.0.0/24",
      "CP4 Certificate 203.0.113.0/24",
      "CP5 OcppVersion 127.0.0.0/24",
      "CP9 UnknownCharger 127.0.0.0/24"
    ])
    const organisations = server.refused.map(({ organisationId }) => organisationId)
    expect(organisations.filter((one) => one === undefined)).toHaveLength(1)
    expect(organisations.at(-1)).toBeUndefined()
    expect(JSON.stringify(server.refused)).not.toMatch(/guessed|secret/)
  })

  it("is reported with its reason even when guessing is limited, and not reported for an admitted charger", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } }, trustProxy: () => true })
    await connect(server.port, "CP1", { password: "secret" })
    expect(server.refused).toEqual([])
    const statuses: Array<number> = []
    for (let n = 0; n < 15; n++) {
      const headers = { "x-forwarded-for": `198.51.${n}.1` }
      statuses.push((await attempt(server.port, "/ocpp/CP1", { password: `guess ${n}`, headers })).status)
    }
    expect(statuses).toContain(429)
    expect(new Set(server.refused.map(({ reason }) => reason))).toEqual(new Set(["WrongPassword"]))
    expect(server.refused).toHaveLength(15)
  })
})

describe("guessing", () => {
  const trusting = { trustProxy: () => true }
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
  const statusOf = async (server: TestServer, id: string, password: string, address: string): Promise<number> =>
    (await attempt(server.port, `/ocpp/${id}`, { password, ...from(address) })).status
  /** How often each value occurs. */
  const counted = (values: ReadonlyArray<number>): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const value of values) counts[value] = (counts[value] ?? 0) + 1
    return counts
  }

  it("from many networks is throttled, and locks out no charger after a restart, from whichever network", async () => {
    const clock = new HandClock()
    const ids = Array.from({ length: 20 }, (_, i) => `CP${i}`)
    const networks = Array.from({ length: 12 }, (_, i) => `198.51.${i}.1`)
    const chargers = Object.fromEntries(ids.map((id) => [id, { profile: 1, password: `key of ${id}` } as const]))
    // The process has just started, so nothing is remembered of any network.
    const server = await startServer({ chargers, clock, ...trusting })
    const guess = (round: string) =>
      Promise.all(ids.flatMap((id) => networks.map((network) => statusOf(server, id, `guess ${round}`, network))))
    const first = counted([...(await guess("a")), ...(await guess("b"))])
    expect(Object.keys(first).toSorted()).toEqual(["401", "429"])
    // At most ten wrong passwords of each charger are answered 401; the rest are answered 429.
    expect(first["401"]).toBeLessThanOrEqual(ids.length * 10)
    expect(server.metric("ocpp_auth_failures_total", { reason: "limited" })).toBe(first["429"])

    const own = await Promise.all(ids.map((id, i) => statusOf(server, id, `key of ${id}`, `203.0.${i}.7`)))
    expect(counted(own)).toEqual({ 101: 20 })
    const amongGuessers = await Promise.all(ids.map((id) => statusOf(server, id, `key of ${id}`, networks[0]!)))
    expect(counted(amongGuessers)).toEqual({ 101: 20 })
    // The right password of one charger does not lift the limit of another.
    expect(counted(await guess("c"))).toEqual({ 429: 240 })
  })

  /** Each of these costs a connection. */
  const guesses = process.env["PROPERTY"] === "full" ? 10_000 : 1_000

  it(
    "thousands of times in a minute is answered 401 at most twenty times, and does not affect the charger",
    { timeout: 60_000 },
    async () => {
      const clock = new HandClock()
      const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } }, clock, ...trusting })
      const charger = await connect(server.port, "CP1", { password: "secret" })
      const statuses: Array<number> = []
      for (let i = 0; i < guesses; i += 50) {
        const one = (_: unknown, j: number) => statusOf(server, "CP1", `guess ${i + j}`, `198.51.${(i + j) % 250}.1`)
        statuses.push(...(await Promise.all(Array.from({ length: 50 }, one))))
        expect(await charger.call("Heartbeat", {}, String(i))).toMatchObject([3, String(i), {}])
        clock.advance((60_000 * 50) / guesses)
      }
      const { 401: wrong = 0, 429: limited = 0, ...others } = counted(statuses)
      expect(others).toEqual({})
      expect(wrong).toBeGreaterThan(0)
      expect(wrong).toBeLessThanOrEqual(20)
      expect(server.inbox.admitted).toEqual(["CP1"])
      expect(server.metric("ocpp_auth_failures_total", { reason: "limited" })).toBe(limited)
    }
  )

  it("over the limit is answered and verified alike, whether or not the id is registered", async () => {
    const clock = new HandClock()
    const chargers = { CP1: { profile: 1, password: "secret" }, CP2: { profile: 2, password: "secret" } } as const
    const server = await startServer({ chargers, clock, limits: { refusalsPerMinute: 3 } })
    for (let i = 0; i < 3; i++) await attempt(server.port, `/ocpp/STRANGER${i}`)
    server.asked.verifier = 0
    const answers = await Promise.all([
      attempt(server.port, "/ocpp/CP1", { password: "wrong" }),
      attempt(server.port, "/ocpp/CP1"),
      attempt(server.port, "/ocpp/CP2", { password: "secret" }),
      attempt(server.port, "/ocpp/STRANGER9", { password: "wrong" })
    ])
    const body = "Too many refused connections: correct the id or password and try again later.\n"
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 429, body, headers: { "retry-after": "5" } })
    }
    // Without verifying the password, the refusal could be distinguished by its timing.
    expect(server.asked.verifier).toBe(1)
  })

  it("ids from behind a gateway does not lock out the chargers there, and looks up each unknown id once", async () => {
    const clock = new HandClock()
    const known = Array.from({ length: 100 }, (_, i) => `CP${i}`)
    const key = { profile: 1, password: "secret" } as const
    const server = await startServer({ chargers: Object.fromEntries(known.map((id) => [id, key])), clock })
    const strangers = (n: number) =>
      Promise.all(Array.from({ length: n }, (_, i) => attempt(server.port, `/ocpp/OTHER${i}`)))
    await strangers(100)
    server.asked.directory = 0
    const outcomes = [...(await strangers(100)), ...(await strangers(100))]
    expect(counted(outcomes.map(({ status }) => status))).toEqual({ 429: 200 })
    expect(outcomes[0]).toMatchObject({ headers: { "retry-after": "5" } })
    expect(server.asked.directory).toBe(0)
    // None of these has connected before.
    for (const id of known) await connect(server.port, id, { password: "secret" })
    // The id may have been registered in the meantime.
    server.register("OTHER1", key)
    clock.advance(5_000)
    for (const _ of [1, 2]) await connect(server.port, "OTHER1", { password: "secret" })
  })

  it("ids from behind a gateway does not keep out a charger that tried just before it was registered", async () => {
    const clock = new HandClock()
    const server = await startServer({ clock, limits: { refusalsPerMinute: 3 } })
    expect((await attempt(server.port, "/ocpp/NEW")).status).toBe(404)
    server.register("NEW", { profile: 1, password: "secret" })
    await connect(server.port, "NEW", { password: "secret" })
    for (let i = 0; i < 5; i++) await attempt(server.port, `/ocpp/STRANGER${i}`)
    await connect(server.port, "NEW", { password: "secret" })
  })

  it("from a network over its limit is handled few at a time, and does not delay others", async () => {
    const clock = new HandClock()
    const limits = { refusalsPerMinute: 2, maxSuspectUpgrades: 4 }
    const server = await startServer({ chargers: { CP1: {} }, clock, limits, ...trusting })
    for (let i = 0; i < 2; i++) await attempt(server.port, `/ocpp/EARLY${i}`, from("198.51.100.1"))
    server.asked.directory = 0
    server.hold()
    const flood = Array.from({ length: 50 }, (_, i) => attempt(server.port, `/ocpp/LATE${i}`, from("198.51.100.1")))
    await until(() => server.asked.directory === 4, "four that are asked for")
    const charger = attempt(server.port, "/ocpp/CP1", from("203.0.113.7"))
    await until(() => server.asked.ids.includes("CP1"), "the charger's turn")
    expect(server.asked.directory).toBe(5)
    server.release()
    expect((await charger).status).toBe(101)
    expect(counted((await Promise.all(flood)).map(({ status }) => status))).toEqual({ 429: 50 })
  })

  it("is forgotten after a while", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "secret" } }, clock })
    for (let i = 0; i < 100; i++) await attempt(server.port, "/ocpp/CP1", { password: `guess ${i}` })
    expect(await attempt(server.port, "/ocpp/CP1", { password: "wrong" })).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.stringMatching(/^\d+$/) }
    })
    clock.advance(8_000)
    expect((await attempt(server.port, "/ocpp/CP1", { password: "wrong" })).status).toBe(401)
  })

  it("is logged for each attempt only up to a limit", async () => {
    const server = await startServer({ clock: new HandClock(), limits: { refusalsPerMinute: 5 } })
    for (let i = 0; i < 20; i++) await attempt(server.port, `/ocpp/STRANGER${i}`)
    expect(server.logs.filter((line) => line.includes("refused"))).toHaveLength(5)
  })
})

describe("two devices with one identity", () => {
  it("are throttled after many reconnects, and admitted again later", async () => {
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
