/**
 * The service of a test worker: the same program, but it ends when the worker does, however that happens. The worker holds the other end of the
 * program's standard input. A worker that was killed cannot stop anything, but that end is closed for it. The stored data is then removed.
 */
import { rmSync } from "node:fs"

const lost = (): void => {
  const { DATA_DIR } = process.env
  if (DATA_DIR !== undefined) rmSync(DATA_DIR, { recursive: true, force: true, maxRetries: 5 })
  process.kill(process.pid, "SIGKILL")
}

process.stdin.on("end", lost).on("error", lost).resume()

await import("../../src/main.ts")
