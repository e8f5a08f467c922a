/**
 * Finds a free port. It does not let the system choose one: the system gives such ports to outgoing connections too, and one of them could take the
 * port between the check and the use. The test workers of one run search separate ranges, and none returns a port twice. So no worker takes a port
 * that another has found and not used yet, or has released for a moment during a restart.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Below the ports that Linux gives to outgoing connections (32768 and up). */
const lowest = 20_000
const highest = 32_000
/** More than the workers of a run. */
const parts = 12
const size = (highest - lowest) / parts
const tries = 50

/** The first port of this process. In a test worker it depends on the worker's number, which vitest counts from 1. */
const first = lowest + (Number(process.env["VITEST_POOL_ID"] ?? 0) % parts) * size
let next = randomInt(size)

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

export const freePort = async (): Promise<number> => {
  for (let n = 0; n < tries; n++) {
    const port = first + (next++ % size)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port among ${tries} between ${first} and ${first + size}`)
}
