/** Of each connection one request is handled at a time, and none after its client has left. Whatever a client writes at once is answered in order. */
import { once } from "node:events"
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { afterEach, describe, expect, it } from "vitest"
import { oneAtATime, waitingBytesMax } from "../../src/main/OneAtATime.ts"
import { WebSocket, WebSocketServer } from "ws"
import { makeCertificates, noOpenssl } from "../ocpp/server/certificates.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const isDeno = "Deno" in globalThis
const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const serve = async (handle: Handler) => {
  const server = createHttpServer()
  oneAtATime(server, "connection", handle)
  await once(server.listen(0, "127.0.0.1"), "listening")
  closing.push(() => void server.close().closeAllConnections())
  return { server, port: (server.address() as AddressInfo).port }
}

const open = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  closing.push(() => void socket.destroy())
  await once(socket, "connect")
  return socket
}

/** What the server sends until `isAll` is true of it, or until it closes. */
const heard = (socket: Socket, isAll: (text: string) => boolean): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    socket.on("data", (data: Buffer) => {
      text += data.toString("latin1")
      if (isAll(text)) resolve(text)
    })
    socket.once("close", () => resolve(text))
  })

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const paths = (text: string): ReadonlyArray<string> => [...text.matchAll(/<([^>]*)>/g)].map(([, path = ""]) => path)
const afterOthers = (work: () => void): void => void setImmediate(() => setImmediate(work))

/** Answers with the method, the path and the body between angle brackets, after others have had their turn. */
const echo: Handler = (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () =>
    afterOthers(() =>
      response.end(`<${request.method ?? ""} ${request.url ?? ""} ${Buffer.concat(chunks).toString()}>`)
    )
  )
}

describe("a client that writes many requests at once", () => {
  it("has at most a few of them handled if it leaves", async () => {
    let handled = 0
    const { port } = await serve((_, response) => {
      handled += 1
      afterOthers(() => response.end("answer"))
    })
    const socket = await open(port)
    const text = get("/metrics").repeat(1_000)
    await new Promise<void>((resolve) => void socket.write(text, () => resolve()))
    socket.destroy()
    // Another client is served, so the requests of the first would have been handled by then.
    const other = await open(port)
    const answers = heard(other, (all) => all.split("200 OK").length > 20)
    for (let n = 0; n < 20; n++) other.write(get("/"))
    await answers
    expect(handled - 20).toBeLessThanOrEqual(5)
  })

  it("gets every answer, in order, and one request in hand", async () => {
    const most = { now: 0, ever: 0 }
    const { port } = await serve((request, response) => {
      most.ever = Math.max(most.ever, ++most.now)
      response.once("close", () => (most.now -= 1))
      echo(request, response)
    })
    const socket = await open(port)
    const wanted = Array.from({ length: 50 }, (_, n) => `/${n}`)
    const answers = heard(socket, (text) => paths(text).length === wanted.length)
    socket.write(wanted.map(get).join(""))
    expect(paths(await answers)).toEqual(wanted.map((path) => `GET ${path} `))
    expect(most.ever).toBe(1)
  })

  it("is not read any further while a request is in hand, however often it is read", async () => {
    const answers: Array<() => void> = []
    const { port } = await serve((request, response) => {
      request.resume()
      answers.push(() => response.end("answer"))
    })
    const socket = await open(port)
    const size = 16 * 1024 * 1024
    socket.write(get("/first"))
    socket.write(Buffer.alloc(size, get("/next")))
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
    for (let n = 0; n < 200; n++) await new Promise((resolve) => setImmediate(resolve))
    // The kernels' buffers take some megabytes of it, the service at most two reads more than its limit.
    expect(socket.writableLength).toBeGreaterThan(0)
    expect(answers.length).toBe(1)
  })

  it("may send bodies, HEAD and methods without one in between, and ask whether to go on", async () => {
    const { port } = await serve(echo)
    const socket = await open(port)
    const chunked = "3\r\nabc\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n"
    const written = [
      "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n\r\n\r\nGET ",
      "POST /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
      "PUT /asked HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
      "HEAD /head HTTP/1.1\r\nHost: x\r\n\r\n",
      "\r\n" + get("/blank-line"),
      get("/last")
    ]
    const answers = heard(socket, (text) => text.includes("/last"))
    socket.write(written.join(""))
    const text = await answers
    expect(paths(text.replaceAll("\r\n", "~"))).toEqual([
      "POST /length ~~GET ",
      "POST /chunks abc~~",
      "PUT /asked ok",
      "GET /blank-line ",
      "GET /last "
    ])
    expect(text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9))).toEqual(
      "200 200 100 200 200 200 200".split(" ")
    )
  })

  it("is understood however its bytes are cut", async () => {
    const { port } = await serve(echo)
    const socket = await open(port)
    socket.setNoDelay(true)
    const text = `${get("/a")}POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody${get("/c")}`
    const answers = heard(socket, (all) => all.includes("/c"))
    for (const byte of text) {
      socket.write(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(paths(await answers)).toEqual(["GET /a ", "POST /b body", "GET /c "])
  })

  // Deno's node:http does not read the rest of such a body, and closes the connection after its keep-alive time.
  it.skipIf(isDeno)("has the rest of a refused body skipped before its next request", async () => {
    const { port } = await serve((request, response) => {
      if (request.method === "POST") response.writeHead(413).end("<no>")
      else echo(request, response)
    })
    const socket = await open(port)
    const size = 200_000
    const answers = heard(socket, (text) => text.includes("/next"))
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`)
    socket.write(Buffer.alloc(size, "\r\n\r\n"))
    socket.write(get("/next"))
    expect(paths(await answers)).toEqual(["no", "GET /next "])
  })

  it("gets nothing after an answer that closes the connection", async () => {
    const { port } = await serve((request, response) => {
      response.setHeader("connection", "close")
      echo(request, response)
    })
    const socket = await open(port)
    socket.write(get("/a") + get("/b"))
    expect(paths(await heard(socket, () => false))).toEqual(["GET /a "])
  })

  it("loses the connection if it sends only blank lines", async () => {
    const { port } = await serve(echo)
    const socket = await open(port)
    socket.write(Buffer.alloc(4 * waitingBytesMax, "\r\n"))
    expect(await heard(socket, () => false)).toBe("")
  })
})

describe("a websocket", () => {
  it("opens after a request on the same connection, and gets the frames that came with it", async () => {
    const { port, server } = await serve(echo)
    const sockets = new WebSocketServer({ noServer: true })
    server.on("upgrade", (request, socket, head) =>
      afterOthers(() =>
        sockets.handleUpgrade(request, socket, head, (opened) =>
          opened.on("message", (data) => opened.send(`<${data}>`))
        )
      )
    )
    const socket = await open(port)
    const answers = heard(socket, (text) => text.includes("<two>"))
    const key =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
    const frame = (text: string) =>
      Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
    const asked = Buffer.from(`${get("/before")}GET /socket HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`)
    socket.write(Buffer.concat([asked, frame("one"), frame("two")]))
    expect(paths(await answers)).toEqual(["GET /before ", "one", "two"])
    const client = new WebSocket(`ws://127.0.0.1:${port}/`)
    const [answer] = await once(
      client.on("open", () => client.send("three")),
      "message"
    )
    expect(String(answer)).toBe("<three>")
    client.terminate()
  })
})

it.skipIf(noOpenssl() !== undefined)("handles one request of a connection at a time over TLS too", async () => {
  const { remove, server: identity } = makeCertificates()
  closing.push(remove)
  const most = { now: 0, ever: 0 }
  const server = createHttpsServer({ cert: identity.cert, key: identity.key })
  oneAtATime(server, "secureConnection", (request, response) => {
    most.ever = Math.max(most.ever, ++most.now)
    response.once("close", () => (most.now -= 1))
    echo(request, response)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  closing.push(() => void server.close().closeAllConnections())
  const socket = connectTls({ port: (server.address() as AddressInfo).port, rejectUnauthorized: false })
  socket.on("error", () => {})
  closing.push(() => void socket.destroy())
  await once(socket, "secureConnect")
  const answers = heard(socket, (text) => text.includes("/9 "))
  socket.write(Array.from({ length: 10 }, (_, n) => get(`/${n}`)).join(""))
  expect(paths(await answers)).toEqual(Array.from({ length: 10 }, (_, n) => `GET /${n} `))
  expect(most.ever).toBe(1)
})
