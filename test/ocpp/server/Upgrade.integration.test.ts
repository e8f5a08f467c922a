/** How upgrade requests are answered, with real clients over real sockets. */
import { Effect } from "effect"
import { connect as connectTcp } from "node:net"
import { describe, expect, it } from "vitest"
import { StorageUnavailable } from "../../../src/domain/Errors.ts"
import type { ProtocolVersion } from "../../../src/ocpp/ProtocolVersion.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { attempt, connect, connectionsTo, raw, settle, until, upgradeRequest } from "./client.ts"
import { HandClock, startServer } from "./harness.ts"

const v201: ProtocolVersion = { ...v16, version: "2.0.1", subprotocol: "ocpp2.0.1" }

describe("the path", () => {
  it.each(["/ocpp/CP1", "/ocpp/CP1/", "///ocpp//CP1//", "/ocpp/CP%31", "/ocpp/CP1?token=x", "/ocpp16/CP1"])(
    "%s is charger CP1",
    async (path) => {
      const server = await startServer({ chargers: { CP1: {} } })
      expect(await attempt(server.port, path)).toMatchObject({ status: 101, protocol: "ocpp1.6" })
      expect(server.inbox.of("CP1").opening).toMatchObject({ chargerId: "CP1", ocppVersion: "1.6", securityProfile: 0 })
    }
  )

  it.each([
    "/",
    "/ocpp",
    "/ocpp/",
    "/ocpp/CP1/more",
    "/ocpp/CP%",
    "/ocpp/%FF%FE",
    "/ocpp/RDAM%7C123",
    "/ocpp/%2e%2e",
    "/ocppx/CP1",
    "/ws/CP1"
  ])("%s names no charger: 404, without a database lookup", async (path) => {
    const server = await startServer({ chargers: { CP1: {} } })
    expect(await attempt(server.port, path)).toMatchObject({ status: 404, headers: { connection: "close" } })
    expect(server.asked.directory).toBe(0)
  })

  it("may be an absolute URL", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const answer = await raw(server.port, upgradeRequest("ws://somewhere:80/ocpp/CP1"))
    expect(answer).toMatch(/^HTTP\/1\.1 101 /)
  })

  it("may contain ids with colons, which are also part of the user name", async () => {
    const server = await startServer({ chargers: { "DE:VLT:1": { profile: 1, password: "pass:with:colons" } } })
    const client = await connect(server.port, "DE:VLT:1", { password: "pass:with:colons" })
    expect(await client.call("Heartbeat")).toEqual([3, "1", { currentTime: "2026-05-01T12:00:00.000Z" }])
  })
})

describe("the handshake", () => {
  it.each([
    ["no key", { "Sec-WebSocket-Key": undefined }, 400],
    ["a bad key", { "Sec-WebSocket-Key": "short" }, 400],
    ["an old websocket version", { "Sec-WebSocket-Version": "7" }, 426]
  ])("with %s is refused before any lookup", async (_name, lines, status) => {
    const server = await startServer({ chargers: { CP1: {} } })
    expect(await raw(server.port, upgradeRequest("/ocpp/CP1", lines))).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(server.asked.directory).toBe(0)
  })

  it.each([
    "https://evil.example",
    "null",
    "chrome-extension://abcdefghijklmnop",
    "http://127.0.0.1.evil.example",
    "x"
  ])("by a page of %s is refused before any lookup", async (Origin) => {
    const server = await startServer({ chargers: { CP1: {} } })
    const answer = await raw(server.port, upgradeRequest("/ocpp/CP1", { Origin }))
    expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*page of another site/)
    expect(server.asked.directory).toBe(0)
  })

  it.each([
    "file://",
    "http://127.0.0.1",
    "https://127.0.0.1:8443",
    "http://charging.example",
    "https://simulator.example"
  ])("with the Origin %s, as charger libraries send it or as is allowed, is accepted", async (Origin) => {
    const server = await startServer({ chargers: { CP1: {} } })
    const answer = await raw(server.port, upgradeRequest("/ocpp/CP1", { Origin, Host: "127.0.0.1:8080" }))
    expect(answer).toMatch(/^HTTP\/1\.1 101 /)
  })

  it("is not attempted for a client that only offers h2c, whose request is served", async () => {
    const server = await startServer()
    const request = upgradeRequest("/cpo/v2/sites", { Upgrade: "h2c", Connection: "Upgrade, HTTP2-Settings, close" })
    expect(await raw(server.port, request)).toMatch(/^HTTP\/1\.1 200 [^]*REST/)
  })

  it("is refused as a POST", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    expect(await raw(server.port, upgradeRequest("/ocpp/CP1").replace("GET", "POST"))).toMatch(/^HTTP\/1\.1 405 /)
  })

  it("is answered by no other upgrade listener, even one that is added later", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.http.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 500 Two Owners\r\n\r\n"))
    const client = await connect(server.port, "CP1")
    expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
  })
})

describe("the subprotocol", () => {
  it("is the server's first choice among those offered", async () => {
    const server = await startServer({ chargers: { CP1: {} }, protocols: [v201, v16] })
    expect(await attempt(server.port, "/ocpp/CP1", { protocols: ["ocpp1.6", "ocpp2.0.1"] })).toMatchObject({
      protocol: "ocpp2.0.1"
    })
    expect(await attempt(server.port, "/ocpp/CP1", { protocols: ["ocpp1.5", "ocpp1.6"] })).toMatchObject({
      protocol: "ocpp1.6"
    })
    expect(server.inbox.mailboxes.map(({ opening }) => opening.ocppVersion)).toEqual(["2.0.1", "1.6"])
  })

  it.each([
    ["/ocpp/CP1", []],
    ["/ocpp/CP1", ["ocpp2.0.1.1"]],
    ["/ocpp/CP1", ["OCPP1.6"]],
    ["/ocpp16/CP1", ["ocpp2.0.1"]]
  ])("of %s with %j is refused with 400 and the protocols to offer", async (path, protocols) => {
    const server = await startServer({ chargers: { CP1: {} }, protocols: [v201, v16] })
    const outcome = await attempt(server.port, path, { protocols })
    expect(outcome).toMatchObject({ status: 400, body: expect.stringContaining("ocpp1.6") })
    expect(server.inbox.admitted).toEqual([])
  })

  it.each([undefined, "", " , "])(
    "on /ocpp16/ is OCPP 1.6 if the header is %j, and the answer names none",
    async (header) => {
      const server = await startServer({ chargers: { CP1: {} }, protocols: [v201, v16] })
      const answer = await raw(server.port, upgradeRequest("/ocpp16/CP1", { "Sec-WebSocket-Protocol": header }))
      expect(answer).toMatch(/^HTTP\/1\.1 101 /)
      expect(answer.toLowerCase()).not.toContain("sec-websocket-protocol")
      expect(server.inbox.of("CP1").opening.ocppVersion).toBe("1.6")
    }
  )

  it("is found in a malformed header", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const answer = await raw(
      server.port,
      upgradeRequest("/ocpp/CP1", { "Sec-WebSocket-Protocol": "ocpp1.6,,ocpp1.6, " })
    )
    expect(answer).toMatch(/^HTTP\/1\.1 101 /)
    expect(answer).toMatch(/\r\nSec-WebSocket-Protocol: ocpp1\.6\r\n/)
  })
})

describe("the charger", () => {
  it("is answered 404 if it is not registered, with what to do about it", async () => {
    const server = await startServer()
    expect(await attempt(server.port, "/ocpp/CP1")).toMatchObject({
      status: 404,
      body: expect.stringMatching(/^No charger with the id CP1 is registered: .+\n$/),
      headers: { "content-type": "text/plain; charset=utf-8" }
    })
    expect(server.metric("ocpp_auth_failures_total", { reason: "unknown" })).toBe(1)
    expect(server.metric("ocpp_refused_upgrades_total", { status: "404" })).toBe(1)
  })

  it("is recorded for operators if it is not registered, without its password", async () => {
    const server = await startServer({ chargers: { CP1: { profile: 1, password: "right" } } })
    const protocols = [
      "ocpp2.0.1",
      "ocpp1.6",
      "OCPP16J",
      "Bearer.a-secret",
      ...Array.from({ length: 9 }, (_, n) => `ocpp${n}`)
    ]
    await attempt(server.port, "/ocpp/CP2", { protocols, user: "CP2", password: "guessed" })
    await attempt(server.port, "/ocpp/CP1", { user: "CP1", password: "wrong" })
    await attempt(server.port, "/ocpp/CP%201")
    expect(server.unknownChargerAttempts).toEqual([
      {
        chargerId: "CP2",
        remoteAddress: "127.0.0.1",
        network: "127.0.0.0/24",
        subprotocols: ["ocpp2.0.1", "ocpp1.6", "OCPP16J", "ocpp0", "ocpp1", "ocpp2", "ocpp3", "ocpp4"],
        at: expect.any(Number)
      }
    ])
    expect(JSON.stringify(server.unknownChargerAttempts)).not.toMatch(/guessed|secret/)
  })

  it("that is twice in the path is refused, and recorded with what to change, registered or not", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    for (const path of ["/ocpp/CP1/CP1", "/ocpp16/CP2/CP2/?x=1"]) {
      expect(await raw(server.port, upgradeRequest(path))).toMatch(/^HTTP\/1\.1 404 [^]*remove the id from the end/)
    }
    for (const path of ["/ocpp/CP1/CP2", "/ocpp/CP1/CP1/CP1", "/ocpp/a%20b/a%20b"]) {
      expect(await raw(server.port, upgradeRequest(path))).toMatch(/^HTTP\/1\.1 404 [^]*not a charger's address/)
    }
    expect(server.asked.directory).toBe(0)
    expect(server.unknownChargerAttempts).toMatchObject(
      ["CP1", "CP2"].map((chargerId) => ({
        chargerId,
        remoteAddress: "127.0.0.1",
        subprotocols: ["ocpp1.6"],
        advice: expect.stringContaining("remove the id from the end of the URL")
      }))
    )
  })

  it("is recorded with what to change if its request lacks Connection: Upgrade", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    for (const Connection of [undefined, "keep-alive"]) {
      await raw(server.port, upgradeRequest("/ocpp/CP1", { Connection }))
    }
    await raw(server.port, upgradeRequest("/ocpp/CP2", { Connection: undefined, Upgrade: undefined }))
    await raw(server.port, upgradeRequest("/cpo/CP3", { Connection: undefined }))
    const advice = expect.stringContaining("Connection: Upgrade")
    expect(server.unknownChargerAttempts).toMatchObject([
      { chargerId: "CP1", advice },
      { chargerId: "CP1", advice }
    ])
  })

  it("is answered 503 with Retry-After while the database is unavailable, and 101 once it is back", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.failing = new StorageUnavailable({ message: "gone", reason: "down" })
    expect(await attempt(server.port, "/ocpp/CP1")).toMatchObject({ status: 503, headers: { "retry-after": "5" } })
    server.failing = undefined
    expect(await attempt(server.port, "/ocpp/CP1")).toMatchObject({ status: 101 })
  })

  it.each([
    [{ _tag: "Taken" } as const, 409, undefined],
    [{ _tag: "Unknown" } as const, 404, undefined],
    [{ _tag: "Unavailable", retryAfterSeconds: 7 } as const, 503, "12"]
  ])("is answered by the inbox's admission: %j is %i", async (admission, status, retryAfter) => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.admission = () => Effect.succeed(admission)
    const outcome = await attempt(server.port, "/ocpp/CP1")
    expect(outcome).toMatchObject({ status, headers: {} })
    expect("headers" in outcome && outcome.headers["retry-after"]).toBe(retryAfter)
  })

  it("is answered 503 when the inbox fails, and only then", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    server.inbox.admission = () => Effect.die("boom")
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(503)
    server.inbox.admission = undefined
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(101)
  })
})

describe("an upgrade that is not finished", () => {
  it("is abandoned when the client disconnects between admission and upgrade", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    let admit = (): void => {}
    server.inbox.admission = (opening) =>
      Effect.callback((resume) => {
        admit = () => resume(Effect.succeed(server.inbox.admittance(opening)))
      })
    const socket = connectTcp(server.port, "127.0.0.1", () => socket.write(upgradeRequest("/ocpp/CP1")))
    await until(() => server.inbox.admitted.length === 1, "the admission")
    socket.resetAndDestroy()
    await settle()
    admit()
    await until(() => server.inbox.abandoned.length === 1, "the abandonment")
    expect(server.inbox.mailboxes).toEqual([])
  })

  it("is answered 503 when its admission takes too long, and abandoned if that succeeds later", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    let admit = (): void => {}
    server.inbox.admission = (opening) =>
      Effect.callback((resume) => {
        admit = () => resume(Effect.succeed(server.inbox.admittance(opening)))
      })
    const outcome = attempt(server.port, "/ocpp/CP1")
    await until(() => server.inbox.admitted.length === 1, "the admission")
    clock.advance(9_000)
    clock.advance(2_000)
    expect(await outcome).toMatchObject({ status: 503, headers: { "retry-after": "5" } })
    admit()
    await until(() => server.inbox.abandoned.length === 1, "the abandonment")
    expect(server.inbox.mailboxes).toEqual([])
  })

  it("is answered and counted once, whatever the outcome of its admission afterwards", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    let refuse = (): void => {}
    server.inbox.admission = () =>
      Effect.callback((resume) => {
        refuse = () => resume(Effect.succeed({ _tag: "Taken" }))
      })
    const outcome = attempt(server.port, "/ocpp/CP1")
    await until(() => server.inbox.admitted.length === 1, "the admission")
    clock.advance(11_000)
    expect((await outcome).status).toBe(503)
    refuse()
    await settle()
    expect(server.metric("ocpp_refused_upgrades_total")).toBe(1)
  })

  it("is cut after ten seconds when the request is never completed", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    let isCut = false
    const connected = connectionsTo(server, 1)
    void raw(server.port, "GET /ocpp/CP1 HTTP/1.1\r\nHost: x\r\n", 120_000).then(() => (isCut = true))
    await connected
    clock.advance(9_000)
    await settle()
    expect(isCut).toBe(false)
    clock.advance(2_000)
    await until(() => isCut, "the cut")
  })

  it("is cut in favour of newer ones when there are too many, while others are served", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { maxUnfinishedSockets: 50 } })
    const connected = connectionsTo(server, 60)
    const silent = Array.from({ length: 60 }, () => raw(server.port, "GET /", 120_000))
    await connected
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(101)
    let cut = 0
    for (const socket of silent) void socket.then(() => cut++)
    await until(() => cut >= 10, "ten that gave way")
    await settle()
    expect(cut).toBeLessThan(60)
  })
})

describe("capacity", () => {
  it("is refused with 503 when too many upgrades are waiting, and those are served", async () => {
    const server = await startServer({ chargers: { CP1: {} }, limits: { maxWaitingUpgrades: 3 } })
    const admits: Array<() => void> = []
    server.inbox.admission = (opening) =>
      Effect.callback((resume) => {
        admits.push(() => resume(Effect.succeed(server.inbox.admittance(opening))))
      })
    const waiting = [1, 2, 3].map(() => attempt(server.port, "/ocpp/CP1"))
    await until(() => admits.length === 3, "three admissions")
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(503)
    for (const admit of admits) admit()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([101, 101, 101])
  })

  it("is refused with 503 after three seconds of continuous lag, but not for one stall", async () => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    clock.stall(5_000)
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(101)
    for (const _ of [1, 2]) clock.stall(1_300)
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(503)
    clock.advance(1_100)
    expect((await attempt(server.port, "/ocpp/CP1")).status).toBe(101)
  })

  it("is available for a thousand chargers that connect at once", { timeout: 60_000 }, async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => `CP${i}`)
    const server = await startServer({
      chargers: Object.fromEntries(ids.map((id) => [id, { profile: 1, password: `key of ${id}` }]))
    })
    const outcomes = await Promise.all(
      ids.map((id) => attempt(server.port, `/ocpp/${id}`, { password: `key of ${id}` }))
    )
    expect(outcomes.filter(({ status }) => status !== 101)).toEqual([])
    expect(server.metric("ocpp_connections", { profile: "1", version: "1.6" })).toBe(1000)
  })

  it("is refused once the server has stopped accepting; connected chargers stay connected", async () => {
    const server = await startServer({ chargers: { CP1: {}, CP2: {} } })
    const client = await connect(server.port, "CP1")
    server.service.stopAccepting()
    expect(await attempt(server.port, "/ocpp/CP2")).toMatchObject({ status: 503, headers: { "retry-after": "5" } })
    expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
  })

  it("ends with the layer: connected chargers are closed with 1012", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    await server.shutDown()
    expect(await client.closed).toMatchObject({ code: 1012 })
    await until(() => server.service.connectionCount() === 0, "the end of the connection")
    expect(server.metric("ocpp_connections")).toBe(0)
  })
})
