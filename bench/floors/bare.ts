/**
 * The bare floor: a `ws` server that answers each CALL with a fixed CALLRESULT and stores nothing. No OCPP server on this
 * runtime and socket library can be cheaper, so the ratio to it says what the platform adds to the socket.
 *
 * Run as its own process: `PORT=9001 node bench/floors/bare.ts`.
 */
import { WebSocketServer } from "ws"
import { answerTo } from "./answers.ts"

const server = new WebSocketServer({
  host: "127.0.0.1",
  port: Number(process.env["PORT"]),
  perMessageDeflate: false,
  handleProtocols: () => "ocpp1.6"
})

server.on("connection", (socket) => {
  socket.on("error", () => socket.terminate())
  socket.on("message", (data) => socket.send(answerTo(data.toString())))
})
