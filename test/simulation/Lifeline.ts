/**
 * The service of a test worker: the same program, which ends when the worker does, however that ends. The worker holds the other end of its
 * standard input; a worker that was killed cannot stop anything any more, but that end is closed for it. What was stored is removed then.
 */
import { rmSync } from "node:fs"

const lost = (): void => {
  const { DATA_DIR } = process.env
  if (DATA_DIR !== undefined) rmSync(DATA_DIR, { recursive: true, force: true, maxRetries: 5 })
  process.kill(process.pid, "SIGKILL")
}

process.stdin.on("end", lost).on("error", lost).resume()

await import("../../src/main.ts")
