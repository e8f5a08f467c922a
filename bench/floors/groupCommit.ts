/**
 * The durable floor: the bare server, except that a CALLRESULT leaves only after its row is committed to PostgreSQL. All
 * messages that waited while the last statement ran go into one `INSERT … SELECT FROM unnest`, four statements at a time.
 * Nothing that stores each message before it answers can be much cheaper.
 *
 * It speaks to PostgreSQL through `PgConnection`, the session below `@effect/sql-pg`'s client: one call and one fiber a
 * batch, none a message, binary parameters, a prepared statement.
 *
 * Run as its own process: `PORT=9002 DATABASE_URL=postgres://… node bench/floors/groupCommit.ts`.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted, Scope } from "effect"
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

let waiting: Array<{ readonly socket: WebSocket; readonly charger: string; readonly frame: string }> = []

const flush = (): void => {
  const connection = waiting.length === 0 ? undefined : idle.pop()
  if (connection === undefined) return
  const batch = waiting
  waiting = []
  const committed = connection.query(insert, [batch.map((row) => row.charger), batch.map((row) => row.frame)])
  void Effect.runPromise(committed).then(() => {
    for (const row of batch) row.socket.send(answerTo(row.frame))
    idle.push(connection)
    flush()
  })
}

const server = new WebSocketServer({
  host: "127.0.0.1",
  port: Number(process.env["PORT"]),
  perMessageDeflate: false,
  handleProtocols: () => "ocpp1.6"
})

server.on("connection", (socket, request) => {
  const charger = (request.url ?? "").slice("/ocpp/".length)
  socket.on("error", () => socket.terminate())
  socket.on("message", (data) => {
    waiting.push({ socket, charger, frame: data.toString() })
    flush()
  })
})
