/**
 * Runs a command with a PostgreSQL beside it, and exits with the command's own exit code:
 *
 *     node scripts/with-postgres.ts [--fsync] COMMAND [ARGUMENT...]
 *
 * The command finds the address in `TEST_DATABASE_URL`. If that is set already, the server it names is used and nothing
 * is started. `--fsync` makes commits wait for the disk, for benchmarks; tests do without.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { constants } from "node:os"
import { delimiter, resolve } from "node:path"
import { startPostgres, type Postgres } from "./postgres.ts"

const args = process.argv.slice(2)
const fsync = args[0] === "--fsync"
const [command, ...rest] = fsync ? args.slice(1) : args
if (command === undefined) {
  console.error("usage: node scripts/with-postgres.ts [--fsync] COMMAND [ARGUMENT...]")
  process.exit(2)
}

// A terminal sends its interrupt to the whole process group, including the command. Other signals reach only this process and are passed on; one that
// comes before the command has started is remembered. This process ends when the command has ended.
let child: ChildProcess | undefined
let early: NodeJS.Signals | undefined
process.on("SIGINT", () => undefined)
for (const signal of ["SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (child === undefined) early = signal
    else child.kill(signal)
  })
}

const given = process.env["TEST_DATABASE_URL"]
let postgres: Postgres | undefined
try {
  if (given === undefined) postgres = await startPostgres({ fsync })
} catch (error) {
  console.error(`with-postgres: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

const finish = async (code: number) => {
  await postgres?.stop()
  process.exit(code)
}
const codeOf = (signal: NodeJS.Signals | null): number => (signal === null ? 1 : 128 + constants.signals[signal])

if (early === undefined) {
  child = spawn(command, rest, {
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: [resolve("node_modules/.bin"), process.env["PATH"]].join(delimiter),
      TEST_DATABASE_URL: given ?? postgres?.url
    }
  })
  child.on("error", (error) => {
    console.error(`with-postgres: ${command} did not start: ${error.message}`)
    void finish(127)
  })
  child.on("exit", (code, signal) => void finish(code ?? codeOf(signal)))
} else {
  await finish(codeOf(early))
}
