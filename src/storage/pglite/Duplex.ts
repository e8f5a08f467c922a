/**
 * The embedded database as a socket: what the PostgreSQL client writes goes to the worker, and the client reads what the worker answers. So
 * the same client, with the same types and prepared statements, serves both databases.
 */
import { Duplex } from "node:stream"
import { kindOf } from "./Protocol.ts"

/** Sends messages of one connection to the worker; returns the bytes of the answer, or fails if the connection is over. */
export type Exchange = (bytes: Uint8Array) => Promise<Uint8Array>

/** Copies a message. The client writes views of a 64 KiB buffer, which would be copied to the worker as a whole with each message. */
const own = (chunk: Uint8Array): Uint8Array =>
  chunk.byteLength < chunk.buffer.byteLength ? new Uint8Array(chunk) : chunk

/**
 * One connection. The client writes whole messages and waits for their answer, so a write is complete when the answer has arrived. The
 * client sends a cancel request on a separate connection. It is ignored: the engine cannot be interrupted, so the query runs to its end.
 */
export const makeDuplex = (exchange: Exchange): Duplex => {
  const duplex: Duplex = new Duplex({
    read() {},
    write(chunk: Uint8Array, _encoding, done) {
      const kind = kindOf(chunk)
      if (kind === "terminate") return done()
      if (kind === "cancel") {
        done()
        duplex.destroy()
        return
      }
      exchange(own(chunk)).then((answer) => {
        if (answer.length > 0 && !duplex.destroyed)
          duplex.push(Buffer.from(answer.buffer, answer.byteOffset, answer.length))
        done()
      }, done)
    },
    final(done) {
      duplex.push(null)
      done()
    }
  })
  return duplex
}
