/** Calls to addresses that others have chosen: none reaches a private address (T16), and none blocks us (T31). */
import { assert, beforeAll, afterAll, describe, it } from "@effect/vitest"
import { createServer, type Server } from "node:http"
import { createServer as createTcpServer, type AddressInfo } from "node:net"
import { Effect } from "effect"
import { destinationOf, isPublicAddress } from "../../src/outbound/Destination.ts"
import { call, type CallOptions } from "../../src/outbound/HttpCall.ts"
import { closedUrls } from "../support/closedUrls.ts"

const limits: CallOptions = { allowPrivate: false, timeoutMillis: 2000, maxResponseBytes: 1000 }

/** A port of this machine at which nothing listens. */
const unusedPort = async (): Promise<number> => {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe("a call to an address that is not public", () => {
  let canary: Server
  let connections = 0
  beforeAll(async () => {
    canary = createServer((_, response) => response.end("reached"))
    canary.on("connection", () => connections++)
    await new Promise<void>((resolve) => canary.listen(0, "::", resolve))
  })
  afterAll(() => void canary.close())

  it.effect("is never made, whatever the notation of the address", () =>
    Effect.gen(function* () {
      const { port } = canary.address() as AddressInfo
      const urls = closedUrls(port)
      assert.isAtLeast(urls.length, 60)
      for (const url of urls) {
        const error = yield* Effect.flip(call({ method: "GET", url, headers: {} }, limits))
        assert.strictEqual(error.kind, "forbidden", url)
      }
      assert.strictEqual(connections, 0)
    })
  )

  it.live(
    "is not made if a name has a private address, even beside public ones, and the name is resolved only once",
    () =>
      Effect.gen(function* () {
        const { port } = canary.address() as AddressInfo
        const url = `https://partner.example:${port}/`
        const resolving = (...addresses: ReadonlyArray<string>) => ({
          ...limits,
          resolve: () =>
            Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
        })
        for (const options of [
          resolving("127.0.0.1"),
          resolving("::1"),
          resolving("::ffff:127.0.0.1"),
          resolving("93.184.216.34", "127.0.0.1"),
          resolving("169.254.169.254")
        ]) {
          const error = yield* Effect.flip(call({ method: "GET", url, headers: {} }, options))
          assert.strictEqual(error.kind, "forbidden")
          // Which private address a name has is nothing that a partner or a holder of a key may learn.
          assert.strictEqual(error.message, "partner.example has an address that is not of the public internet")
        }
        assert.strictEqual(connections, 0)
        // The checked address is the one that is called: the name is resolved once.
        let asked = 0
        const rebinding: CallOptions = {
          ...limits,
          allowPrivate: true,
          resolve: () => Promise.resolve([{ address: asked++ === 0 ? "127.0.0.1" : "192.0.2.9", family: 4 }])
        }
        const plain = `http://partner.example:${port}/`
        assert.strictEqual((yield* call({ method: "GET", url: plain, headers: {} }, rebinding)).body, "reached")
        assert.deepStrictEqual([asked, connections], [1, 1])
      })
  )
})

it.live("the message of a failed connection names no address", () =>
  Effect.gen(function* () {
    const closedPort = yield* Effect.promise(unusedPort)
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }])
    const refused = yield* Effect.flip(
      call(
        { method: "GET", url: `http://erp.example:${closedPort}/`, headers: {} },
        { ...limits, allowPrivate: true, resolve }
      )
    )
    assert.strictEqual(refused.message, "connect ECONNREFUSED")
    for (const [message, shown] of [
      [
        "Connect Timeout Error (attempted addresses: 10.0.0.7:443, [fd00::7]:443, timeout: 2000ms)",
        "Connect Timeout Error (attempted addresses:,, timeout: 2000ms)"
      ],
      [
        "Hostname/IP does not match certificate's altnames: IP: fe80::1%eth0 is not in the cert's list: ",
        "Hostname/IP does not match certificate's altnames: IP: is not in the cert's list:"
      ],
      ["getaddrinfo ENOTFOUND partner.example at 12:30:01", "getaddrinfo ENOTFOUND partner.example at 12:30:01"]
    ] as const) {
      const failing = { ...limits, resolve: () => Promise.reject(new Error(message)) }
      const error = yield* Effect.flip(call({ method: "GET", url: "https://partner.example/", headers: {} }, failing))
      assert.strictEqual(error.message, shown)
    }
  })
)

it.effect("the message of a failed connection is reported as storable text of limited length", () =>
  Effect.gen(function* () {
    // An error about a certificate for other names contains all of them, as the certificate spells them.
    const resolve = () => Promise.reject(new Error(`not in the cert's altnames: \0\ud83d${"x".repeat(9_999)}`))
    const error = yield* Effect.flip(
      call({ method: "GET", url: "https://partner.example/", headers: {} }, { ...limits, resolve })
    )
    assert.isTrue(error.message.startsWith("not in the cert's altnames: \\u0000\ufffdx"), error.message)
    assert.strictEqual(error.message.length, 500)
  })
)

it("addresses of the public internet are distinguished from all others", () => {
  for (const address of ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2a00:1450::1"])
    assert.isTrue(isPublicAddress(address))
  for (const address of ["", "partner.example", "10.1.2.3", "::1", "::ffff:8.8.8.8", "2002:808:808::1"]) {
    assert.isFalse(isPublicAddress(address), address)
  }
})

it("usual addresses of partners are allowed", () => {
  for (const url of [
    "https://emsp.example/ocpi/versions",
    "https://emsp.example:8443/ocpi/2.2.1/commands/START_SESSION/9?x=1",
    "https://[2606:4700::1111]/ocpi",
    "https://93.184.216.34/ocpi"
  ]) {
    assert.strictEqual(destinationOf(url, { allowPrivate: false })._tag, "Allowed", url)
  }
})

describe("a call", () => {
  let partner: Server
  const trusting: CallOptions = { ...limits, allowPrivate: true, timeoutMillis: 500 }
  const url = (path: string) => `http://127.0.0.1:${(partner.address() as AddressInfo).port}${path}`
  const failed = (path: string) =>
    Effect.map(Effect.flip(call({ method: "GET", url: url(path), headers: {} }, trusting)), ({ kind }) => kind)

  beforeAll(async () => {
    partner = createServer((request, response) => {
      const path = request.url ?? ""
      if (path === "/moved") return response.writeHead(302, { location: "http://169.254.169.254/" }).end()
      if (path === "/large") return response.end("x".repeat(5000))
      if (path === "/endless") return void setInterval(() => response.write("x"), 5).unref()
      if (path === "/silent") return undefined
      if (path === "/torn") {
        response.writeHead(200, { "content-length": 100 })
        response.write("half")
        return setTimeout(() => response.destroy(), 20)
      }
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      return request.on("end", () =>
        response
          .writeHead(201, { Location: "/there", "x-request-id": request.headers["x-request-id"] })
          .end(`${request.method} ${Buffer.concat(chunks).toString()}`)
      )
    })
    await new Promise<void>((resolve) => partner.listen(0, "127.0.0.1", resolve))
  })
  afterAll(() => {
    partner.closeAllConnections()
    partner.close()
  })

  it.live("returns status, headers and body", () =>
    Effect.gen(function* () {
      const headers = { "x-request-id": "r1", "content-type": "application/json" }
      const answer = yield* call({ method: "PUT", url: url("/"), headers, body: '{"name":"é"}' }, trusting)
      assert.deepStrictEqual([answer.status, answer.body], [201, 'PUT {"name":"é"}'])
      assert.deepInclude(answer.headers, { location: "/there", "x-request-id": "r1" })
    })
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const answer = yield* call({ method: "GET", url: url("/moved"), headers: {} }, trusting)
      assert.strictEqual(answer.status, 302)
    })
  )

  it.live("ends within its limits of time and size, whatever the answer", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failed("/large"), "too-large")
      assert.strictEqual(yield* failed("/endless"), "timeout")
      assert.strictEqual(yield* failed("/silent"), "timeout")
      assert.strictEqual(yield* failed("/torn"), "broken")
    })
  )

  it.live("fails if no server answers, and ends its connection when it is interrupted", () =>
    Effect.gen(function* () {
      const closed = createTcpServer()
      yield* Effect.promise(() => new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve)))
      const { port } = closed.address() as AddressInfo
      yield* Effect.promise(() => new Promise<void>((resolve) => closed.close(() => resolve())))
      const gone = call({ method: "GET", url: `http://127.0.0.1:${port}/`, headers: {} }, trusting)
      assert.strictEqual((yield* Effect.flip(gone)).kind, "unreachable")
      const before = yield* Effect.promise(() => connectionsOf(partner))
      yield* call({ method: "GET", url: url("/silent"), headers: {} }, trusting).pipe(Effect.timeoutOption(50))
      yield* Effect.sleep(50)
      assert.strictEqual(yield* Effect.promise(() => connectionsOf(partner)), before)
    })
  )
})

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
