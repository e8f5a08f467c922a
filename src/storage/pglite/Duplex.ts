/**
 * The embedded database as a socket: what the PostgreSQL client writes goes to the worker, what the worker answers is what it reads.
 * So the same client, with the same types and prepared statements, serves both databases.
 */
import { Duplex } from "node:stream"
import { kindOf } from "./Protocol.ts"

/** Hands messages of one connection to the worker; answers with what to read, or fails when the connection is over. */
export type Exchange = (bytes: Uint8Array) => Promise<Uint8Array>

/** A message of its own. The client writes views of a buffer of 64 KiB, all of which would be copied to the worker with each. */
const own = (chunk: Uint8Array): Uint8Array =>
  chunk.byteLength < chunk.buffer.byteLength ? new Uint8Array(chunk) : chunk

/**
 * One connection. The client writes whole messages and waits for their answer, so a write is done when the answer is there. Asking
 * to cancel comes on a connection of its own and is swallowed: the engine cannot be interrupted, the query runs to its end.
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
