/** The attacker's process. It gets the name of an attack and its target over IPC, and attacks until it gets the order to stop; then it reports what was answered. */
import { Schema } from "effect"
import { Target } from "./attack.ts"
import { attacks } from "./attacks.ts"

const Order = Schema.Struct({ attack: Schema.String, target: Target })

const stop = new AbortController()
const answers: Record<number, number> = {}

process.once("message", (message) => {
  const { attack, target } = Schema.decodeUnknownSync(Order)(message)
  const running = attacks[attack]?.run(target, stop.signal, (status) => {
    answers[status] = (answers[status] ?? 0) + 1
  })
  process.once("message", () => {
    stop.abort()
    void running?.then(() => process.send?.(answers))
  })
})
process.on("disconnect", () => process.exit(0))
