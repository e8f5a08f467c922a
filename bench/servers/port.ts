/**
 * Finds a port that is free. Not one that the system chooses: those are also what outgoing connections get, and between the look and the
 * use one of them may take it. The workers of one run of tests look in parts of their own, and none gives a port out twice, so that one
 * does not take what another has found and not used yet, or has left for a moment to start again.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Below what Linux gives to outgoing connections (32768 and up). */
const lowest = 20_000
const highest = 32_000
/** More workers than a run has. */
const parts = 12
const size = (highest - lowest) / parts
const tries = 50

/** Of this process: its worker's where it is one of several, which vitest numbers from 1. */
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
