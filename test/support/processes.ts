/** Programs in separate processes, for tests that kill them. Each is ended when its scope closes, whatever the test did. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"

export interface Program {
  readonly child: ChildProcess
  /** Waits for a line of standard output with this beginning, and returns the rest of it; dies if the program ends without it. */
  readonly line: (begin: string) => Effect.Effect<string>
  /** Everything that was written so far. */
  readonly output: () => string
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Exit code, or the signal's name. */
  readonly ended: Effect.Effect<number | string>
}

/** Starts a TypeScript file with the runtime that runs the tests. */
export const startProgram = (path: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Program => {
      const runtime = process.versions["deno"] === undefined ? [] : ["run", "-A"]
      const child = spawn(process.execPath, [...runtime, path, ...args], { stdio: ["pipe", "pipe", "pipe"] })
      let output = ""
      const watchers = new Set<() => void>()
      const changed = () => {
        for (const watcher of watchers) watcher()
      }
      let end: number | string | undefined
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text
          changed()
        })
      }
      child.on("close", (code, signal) => {
        end = signal ?? code ?? 0
        changed()
      })
      const waitFor = <A>(look: () => Effect.Effect<A> | undefined) =>
        Effect.callback<A>((resume) => {
          const watcher = () => {
            const found = look()
            if (found === undefined) return
            watchers.delete(watcher)
            resume(found)
          }
          watchers.add(watcher)
          watcher()
          return Effect.sync(() => watchers.delete(watcher))
        })
      return {
        child,
        output: () => output,
        line: (begin) =>
          waitFor(() => {
            const lines = output.split("\n").slice(0, -1)
            const found = lines.find((line) => line.startsWith(begin))
            if (found !== undefined) return Effect.succeed(found.slice(begin.length).trim())
            return end === undefined
              ? undefined
              : Effect.die(new Error(`the program ended (${end}) and said: ${output}`))
          }),
        ended: waitFor(() => (end === undefined ? undefined : Effect.succeed(end))),
        kill: (signal) => Effect.sync(() => void child.kill(signal))
      }
    }),
    (program) => Effect.andThen(program.kill("SIGKILL"), program.ended)
  )
