/**
 * Finds a port that is free. Not one that the system chooses: those are also what outgoing connections get, and between the look and the
 * use one of them may take it.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Below what Linux gives to outgoing connections (32768 and up). */
const lowest = 20_000
const highest = 32_000
const tries = 50

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

export const freePort = async (): Promise<number> => {
  for (let n = 0; n < tries; n++) {
    const port = randomInt(lowest, highest)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port among ${tries} between ${lowest} and ${highest}`)
}
