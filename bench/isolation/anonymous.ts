/** Attacks without any credentials, on 20 connections. */
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { Attack, Goal, Target } from "./attack.ts"

const connections = 20
const goal: Goal = { heartbeatMs: 50, transactionMs: 100, memoryMiB: 50 }

/** Pause after a connection that was refused or ended without an answer, so that the attack is not one on the kernel's accept queue. */
const pauseMillis = 20

const written = (path: string, headers: ReadonlyArray<string> = []): string =>
  [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", ...headers, "", ""].join("\r\n")

const statusLine = /HTTP\/1\.1 (\d{3})/g

/** Writes `bytes` on one connection. If it `reads`, until every request was answered or the connection ended; otherwise it leaves at once. */
const exchange = (
  { port }: Target,
  bytes: string,
  requests: number,
  reads: boolean,
  signal: AbortSignal,
  count: (status: number) => void
): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let answered = 0
    const end = () => void socket.destroy()
    signal.addEventListener("abort", end, { once: true })
    socket.setNoDelay(true)
    socket.once("connect", () => socket.write(bytes, () => (reads ? undefined : end())))
    socket.on("data", (data: Buffer) => {
      for (const [, status] of data.toString("latin1").matchAll(statusLine)) {
        count(Number(status))
        answered += 1
      }
      if (answered >= requests) end()
    })
    socket.on("error", () => {})
    socket.once("close", () => {
      signal.removeEventListener("abort", end)
      resolve(answered === 0 ? sleep(pauseMillis) : undefined)
    })
  })

/** `requests` at once on each of the connections, again and again. */
const pipelined = (what: string, request: string, requests: number, reads: boolean): Attack => ({
  what: `${what}, ${requests} pipelined on each of ${connections} connections, ${reads ? "which read" : "which leave at once"}`,
  goal,
  run: async (target, signal, count) => {
    const bytes = request.repeat(requests)
    const one = async () => {
      while (!signal.aborted) await exchange(target, bytes, requests, reads, signal, count)
    }
    await Promise.all(Array.from({ length: connections }, one))
  }
})

const wrongToken = written("/ocpi/2.2.1/sessions", ["Authorization: Token d3JvbmctdG9rZW4="])
const wrongCode = written(
  "/api/statistics?clientId=wrongwrongwrong0&code=wrongwrongwrongwrongwrongwrongwrongwrongwrong"
)
const wrongKey = written("/cpo/v2/sessions", ["x-api-key: vlt_wrongwrongwrong_wrongwrongwrongwrong"])

export const anonymous: Readonly<Record<string, Attack>> = {
  "metrics-leaving": pipelined("/metrics", written("/metrics"), 500, false),
  "metrics-reading": pipelined("/metrics", written("/metrics"), 500, true),
  "description-leaving": pipelined("/cpo/swagger.json", written("/cpo/swagger.json"), 500, false),
  "description-reading": pipelined("/cpo/swagger.json", written("/cpo/swagger.json"), 50, true),
  "console-reading": pipelined("the console's page", written("/sign-in"), 500, true),
  "not-found": pipelined("paths that do not exist", written("/cpo/v2/nothing"), 500, true),
  "wrong-tokens": pipelined("wrong OCPI tokens", wrongToken, 1, true),
  "wrong-codes": pipelined("wrong codes of v1", wrongCode, 1, true),
  "wrong-keys": pipelined("wrong keys of v2", wrongKey, 1, true),
  "wrong-tokens-pipelined": pipelined("wrong OCPI tokens", wrongToken, 500, true)
}
