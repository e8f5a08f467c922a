/** The simulated charger behaves as a charger must, shown with a small server that misbehaves on purpose. */
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { WebSocketServer, type WebSocket } from "ws"
import { ChargingCharger } from "./Charging.ts"
import { randomOf } from "./Choice.ts"
import { Tally } from "./History.ts"
import { until } from "./Wait.ts"

interface Heard {
  readonly messageId: string
  readonly action: string
  readonly payload: Readonly<Record<string, unknown>>
}

let server: WebSocketServer
let charger: ChargingCharger
let tally: Tally
const heard: Array<Heard> = []
const sockets: Array<WebSocket> = []
/** What the server does with a CALL; `undefined` means that it does not answer. */
let answer: (call: Heard, socket: WebSocket) => unknown

const honest = ({ action }: Heard): unknown => {
  const currentTime = new Date().toISOString()
  if (action === "BootNotification") return { status: "Accepted", interval: 300, currentTime }
  if (action === "StartTransaction") return { transactionId: 5, idTagInfo: { status: "Accepted" } }
  return {}
}

const of = (action: string) => heard.filter((call) => call.action === action)

beforeEach(async () => {
  heard.length = 0
  sockets.length = 0
  answer = honest
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  await new Promise((resolve) => server.once("listening", resolve))
  server.on("connection", (socket) => {
    sockets.push(socket)
    socket.on("message", (data: Buffer) => {
      const [kind, messageId, action, payload] = JSON.parse(data.toString())
      if (kind !== 2) return void heard.push({ messageId, action: `answer ${kind}`, payload: { of: action } })
      const call: Heard = { messageId, action, payload }
      heard.push(call)
      const body = answer(call, socket)
      if (body !== undefined) socket.send(JSON.stringify([3, messageId, body]))
    })
  })
  tally = new Tally()
  charger = new ChargingCharger({
    id: "CP-1",
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ocpp`,
    random: randomOf("SimulatedCharger.test"),
    boots: "once",
    answerLimitMillis: 200,
    tally,
    idTags: ["CARD"],
    slowestMillis: 1,
    repeats: 0
  })
})

afterEach(async () => {
  charger.endTraffic(false)
  await charger.stop()
  for (const socket of server.clients) socket.terminate()
  await new Promise((resolve) => server.close(resolve))
})

/** Cars come and leave until `messages` have been queued. */
const happenings = (count: number) => {
  for (let i = 0; i < count; i++) charger.happen()
}

describe("SimulatedCharger", () => {
  it("boots, then sends its queue in order, one CALL at a time", async () => {
    let [open, most] = [0, 0]
    answer = (call, socket) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        socket.send(JSON.stringify([3, call.messageId, honest(call)]))
      }, 2)
      return undefined
    }
    happenings(8)
    charger.endTraffic(true)
    charger.start()
    await until(
      () => "every message sent",
      30_000,
      () => charger.online && charger.idle
    )
    expect(most).toBe(1)
    expect(heard[0]?.action).toBe("BootNotification")
    const [transaction] = charger.transactions
    expect(of("StartTransaction")[0]?.payload["meterStart"]).toBe(transaction?.meterStartWh)
    expect(of("StopTransaction")[0]?.payload["transactionId"]).toBe(5)
    expect(transaction?.stop?.attempts).toEqual({ sent: 1, acknowledged: 1 })
    expect(charger.problems).toEqual([])
  })

  it("repeats the same facts under a new message id until it has a CALLRESULT", async () => {
    let silent = 2
    answer = (call, socket) => {
      if (call.action !== "StartTransaction" || silent-- <= 0) return honest(call)
      if (silent === 0) socket.send(JSON.stringify([4, call.messageId, "InternalError", "", {}]))
      return undefined
    }
    charger.happen()
    charger.start()
    await until(
      () => "start acknowledged",
      30_000,
      () => charger.transactions[0]?.start.acknowledged === 1
    )
    const starts = of("StartTransaction")
    expect(starts).toHaveLength(3)
    expect(new Set(starts.map((call) => call.messageId)).size).toBe(3)
    expect(new Set(starts.map((call) => JSON.stringify(call.payload))).size).toBe(1)
    expect(charger.transactions[0]?.start).toEqual({ sent: 3, acknowledged: 1 })
    expect(tally.of("unanswered StartTransaction")).toBe(1)
    expect(tally.of("CALLERROR InternalError")).toBe(1)
  })

  it("keeps its queue over a lost connection and comes back by itself", async () => {
    answer = (call, socket) => {
      if (call.action === "StartTransaction" && sockets.length === 1) return void socket.terminate()
      return honest(call)
    }
    charger.happen()
    charger.start()
    await until(
      () => "start acknowledged",
      30_000,
      () => charger.transactions[0]?.start.acknowledged === 1
    )
    expect(charger.transactions[0]?.start.sent).toBe(2)
    expect(of("BootNotification")).toHaveLength(1)
    expect(tally.of("connects")).toBe(2)
    charger.powerOff()
    await until(
      () => "offline",
      30_000,
      () => !charger.online
    )
    charger.start()
    await until(
      () => "booted again",
      30_000,
      () => of("BootNotification").length === 2
    )
  })

  it("accepts a late answer as an acknowledgement, and reports two ids for one start as a problem", async () => {
    const late: Array<string> = []
    answer = (call, socket) => {
      if (call.action !== "StartTransaction") return honest(call)
      late.push(call.messageId)
      if (late.length === 1) return undefined
      socket.send(JSON.stringify([3, late[0], { transactionId: 6, idTagInfo: { status: "Accepted" } }]))
      return honest(call)
    }
    charger.happen()
    charger.start()
    await until(
      () => "both answers heard",
      30_000,
      () => charger.transactions[0]?.start.acknowledged === 2
    )
    expect(charger.problems.join()).toContain("one StartTransaction was given the ids 6 and 5")
  })

  it("answers CALLs, and reports an answer without a CALL", async () => {
    charger.start()
    await until(
      () => "online",
      30_000,
      () => charger.online
    )
    const [socket] = sockets
    socket?.send(JSON.stringify([2, "q1", "GetConfiguration", {}]))
    socket?.send(JSON.stringify([2, "q2", "Nonsense", {}]))
    socket?.send(JSON.stringify([2, "q3", "TriggerMessage", { requestedMessage: "BootNotification" }]))
    socket?.send(JSON.stringify([3, "never asked", {}]))
    await until(
      () => "booted again",
      30_000,
      () => of("BootNotification").length === 2
    )
    await until(
      () => "problem",
      30_000,
      () => charger.problems.length > 0
    )
    expect(of("answer 3").map((call) => call.messageId)).toEqual(["q1", "q3"])
    expect(of("answer 4").map((call) => call.messageId)).toEqual(["q2"])
    expect(charger.problems).toEqual(["an answer to nothing: never asked"])
  })
})
