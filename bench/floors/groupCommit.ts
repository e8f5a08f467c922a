/**
 * The durable floor: the bare server, except that a CALLRESULT leaves only after its row is committed to PostgreSQL. The messages that arrive while a
 * statement runs go into the next `INSERT … SELECT FROM unnest`; up to four statements run at a time. A server that stores each message before it
 * answers can hardly be cheaper.
 *
 * It uses `PgConnection`, the layer below `@effect/sql-pg`'s client: one call and one fiber per batch and none per message, binary parameters, and a
 * prepared statement.
 *
 * `POST /commands/CHARGER` is the floor of a command: it commits a row, sends the CALL, commits another row for the charger's answer, and then
 * answers the request.
 *
 * Run as its own process: `PORT=9002 DATABASE_URL=postgres://… node bench/floors/groupCommit.ts`.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted, Scope } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { type WebSocket, WebSocketServer } from "ws"
import { answerTo } from "./answers.ts"

const STATEMENTS_AT_A_TIME = 4
const url = Redacted.make(process.env["DATABASE_URL"] ?? "")
const connect = () =>
  Effect.runPromise(PgConnection.make({ url }).pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe())))
const idle = await Promise.all(Array.from({ length: STATEMENTS_AT_A_TIME }, connect))

await Effect.runPromise(
  idle[0]!.query("CREATE TABLE IF NOT EXISTS floor_message (charger text, at timestamptz, frame jsonb)")
)
const insert = "INSERT INTO floor_message SELECT c, now(), f::jsonb FROM unnest($1::text[], $2::text[]) AS t(c, f)"

interface Waiting {
  readonly charger: string
  readonly frame: string
  readonly committed: () => void
}

let waiting: Array<Waiting> = []

const flush = (): void => {
  const connection = waiting.length === 0 ? undefined : idle.pop()
  if (connection === undefined) return
  const batch = waiting
  waiting = []
  const committed = connection.query(insert, [batch.map((row) => row.charger), batch.map((row) => row.frame)])
  void Effect.runPromise(committed).then(() => {
    for (const row of batch) row.committed()
    idle.push(connection)
    flush()
  })
}

const commit = (row: Waiting): void => {
  waiting.push(row)
  flush()
}

const sockets = new Map<string, WebSocket>()
const asked = new Map<string, ServerResponse>()
let commands = 0

const http = createServer((request, response) => {
  const charger = (request.url ?? "").slice("/commands/".length)
  const socket = sockets.get(charger)
  if (request.method !== "POST" || socket === undefined) return void response.writeHead(426).end()
  const id = `c${++commands}`
  const frame = `[2,"${id}","TriggerMessage",{"requestedMessage":"Heartbeat"}]`
  const committed = () => {
    asked.set(id, response)
    socket.send(frame)
  }
  request.resume().once("end", () => commit({ charger, frame, committed }))
})

const server = new WebSocketServer({
  server: http,
  perMessageDeflate: false,
  handleProtocols: () => "ocpp1.6"
})

server.on("connection", (socket, request) => {
  const charger = (request.url ?? "").slice("/ocpp/".length)
  sockets.set(charger, socket)
  socket.on("error", () => socket.terminate())
  socket.on("message", (data) => {
    const frame = data.toString()
    const call = frame.startsWith("[2") ? undefined : asked.get(frame.split('"')[1] ?? "")
    commit({
      charger,
      frame,
      committed: () => void (call === undefined ? socket.send(answerTo(frame)) : call.end(frame))
    })
  })
})
http.listen(Number(process.env["PORT"]), "127.0.0.1")
