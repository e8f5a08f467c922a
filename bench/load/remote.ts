/** The run's side of the load generator: starts the process, gives it orders, ends it. */
import { Schema } from "effect"
import { fork } from "node:child_process"
import { type LoadOrder, LoadResult } from "./protocol.ts"

export interface Generator extends Disposable {
  readonly order: (order: LoadOrder) => Promise<LoadResult>
}

export const startGenerator = (): Generator => {
  const child = fork(new URL("generator.ts", import.meta.url), { execArgv: [] })
  const order = (message: LoadOrder) =>
    new Promise<LoadResult>((resolve, reject) => {
      const lost = (code: number | null) => reject(new Error(`the load generator ended with ${code}`))
      child.once("exit", lost)
      child.once("message", (answer) => {
        child.off("exit", lost)
        const result = Schema.decodeUnknownSync(LoadResult)(answer)
        if (result.error === undefined) resolve(result)
        else reject(new Error(result.error))
      })
      child.send(message)
    })
  return { order, [Symbol.dispose]: () => void child.kill("SIGKILL") }
}
