/** Attacks of callers that are known: a key, a partner and a charger. */
import { Agent, request } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "ws"
import type { Attack, Goal, Target } from "./attack.ts"

const goal: Goal = { heartbeatMs: 100, transactionMs: 200, memoryMiB: 250 }

/** Pause after a connection that ended without an answer. */
const pauseMillis = 20

/** One GET, read to its end; its status, or undefined without an answer. */
const got = (
  port: number,
  path: string,
  headers: Record<string, string>,
  agent: Agent,
  signal: AbortSignal
): Promise<number | undefined> =>
  new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, path, headers, agent, signal }, (answer) => {
      answer.resume()
      answer.once("close", () => resolve(answer.statusCode))
    })
    asked.once("error", () => resolve(undefined))
    asked.end()
  })

/** The same list on many connections, each of which asks again as soon as it is answered. */
const reading = (
  what: string,
  path: string,
  connections: number,
  headersOf: (target: Target) => Record<string, string>
): Attack => ({
  what: `${what} on ${connections} connections`,
  goal,
  run: async (target, signal, count) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const one = async () => {
      while (!signal.aborted) {
        const status = await got(target.port, path, headersOf(target), agent, signal)
        if (status === undefined) await sleep(pauseMillis)
        else count(status)
      }
    }
    await Promise.all(Array.from({ length: connections }, one))
    agent.destroy()
  }
})

const byKey = ({ key }: Target) => ({ "x-api-key": key })
const byPartner = ({ partnerToken }: Target) => ({
  authorization: `Token ${Buffer.from(partnerToken).toString("base64")}`
})

/** A masked pong without content, ten thousand times. */
const pongs = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0x8a, 0x80, 0, 0, 0, 0])))

/** A registered charger that sends nothing but pongs, as fast as they are read. */
const ponging: Attack = {
  what: "pongs that the service did not ask for from one charger",
  goal,
  run: async ({ idleCharger, ocppUrl }, signal) => {
    const ws = new WebSocket(`${ocppUrl}/${idleCharger}`, ["ocpp1.6"], { perMessageDeflate: false })
    ws.on("error", () => {})
    await new Promise((resolve) => ws.once("open", resolve).once("close", resolve))
    const { _socket: socket } = ws as unknown as { readonly _socket: Socket }
    while (!signal.aborted && !socket.destroyed) {
      if (socket.write(pongs)) await sleep(0)
      else await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), sleep(pauseMillis)])
    }
    ws.terminate()
  }
}

export const callers: Readonly<Record<string, Attack>> = {
  exports: reading("one key's exports", "/cpo/v2/exports/cdrs.csv", 20, byKey),
  lists: reading("one key's lists of 500 sessions", "/cpo/v2/sessions?limit=500", 300, byKey),
  "partner-sessions": reading("one partner's lists of sessions", "/ocpi/2.2.1/sessions?limit=100", 100, byPartner),
  pongs: ponging
}
