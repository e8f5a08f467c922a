/** The proxy applies its faults to the bytes of one direction and not of the other. */
import { createServer, connect, type AddressInfo, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { FaultProxy } from "./FaultProxy.ts"
import { until } from "./Wait.ts"

/** A server that records what it receives and sends what a test asks it to. */
const heard: Array<string> = []
const sockets: Array<Socket> = []
const server = createServer((socket) => {
  sockets.push(socket)
  socket.on("data", (data) => heard.push(data.toString()))
  socket.on("error", () => undefined)
})
let proxy: FaultProxy
let client: Socket
let seen: { heard: string; end: string }

beforeEach(async () => {
  heard.length = 0
  sockets.length = 0
  const own = { heard: "", end: "" }
  seen = own
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  proxy = await FaultProxy.listen((server.address() as AddressInfo).port)
  client = connect({ port: proxy.port, host: "127.0.0.1", noDelay: true })
  client.on("data", (data) => (own.heard += data.toString()))
  client.on("error", (error) => (own.end = error.message))
  client.on("close", () => (own.end ||= "closed"))
  await until(
    () => "connected",
    30_000,
    () => sockets.length === 1
  )
})

afterEach(async () => {
  client.destroy()
  await proxy[Symbol.asyncDispose]()
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

const eventually = { timeout: 30_000 }
const said = () => heard.join("")

describe("FaultProxy", () => {
  it("passes everything on in both directions", async () => {
    client.write("up")
    sockets[0]?.write("down")
    await expect.poll(said, eventually).toBe("up")
    await expect.poll(() => seen.heard, eventually).toBe("down")
  })

  it("swallows one direction, its end included, and not the other", async () => {
    proxy.set("toCharger", { kind: "blackHole" })
    sockets[0]?.end("lost")
    client.write("up")
    await expect.poll(said, eventually).toBe("up")
    const [link] = proxy.links
    await expect.poll(() => link?.swallowed.toCharger, eventually).toBe(4)
    expect(seen).toEqual({ heard: "", end: "" })
  })

  it("does not affect new links when only those are healed", async () => {
    proxy.set("toServer", { kind: "blackHole" })
    proxy.healNew()
    client.write("lost")
    const second = connect({ port: proxy.port, host: "127.0.0.1" })
    second.write("kept")
    await expect.poll(said, eventually).toBe("kept")
    second.destroy()
  })

  it("cuts the next chunk in its middle", async () => {
    proxy.set("toServer", { kind: "cut" })
    client.write("12345678")
    await expect.poll(() => seen.end, eventually).not.toBe("")
    await expect.poll(said, eventually).toBe("1234")
  })

  it("resets", async () => {
    proxy.reset()
    await expect.poll(() => seen.end, eventually).toContain("ECONNRESET")
  })

  it("delays and throttles without changing the order", async () => {
    proxy.set("toServer", { kind: "delay", millis: 30 })
    client.write("1")
    await expect.poll(said, eventually).toBe("1")
    proxy.set("toServer", { kind: "throttle", bytesPerSecond: 100 })
    client.write("23")
    await expect.poll(() => client.bytesWritten, eventually).toBe(3)
    proxy.heal()
    client.write("4")
    await expect.poll(said, eventually).toBe("1234")
  })

  it("closes the charger's side when there is no server", async () => {
    await proxy[Symbol.asyncDispose]()
    proxy = await FaultProxy.listen(1)
    const lonely = connect({ port: proxy.port, host: "127.0.0.1" })
    let closed = false
    lonely.on("error", () => undefined)
    lonely.on("close", () => (closed = true))
    lonely.resume()
    await expect.poll(() => closed, eventually).toBe(true)
  })
})
