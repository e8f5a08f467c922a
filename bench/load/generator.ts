/**
 * The load generator: a process of its own that holds the simulated fleet and gets its orders (`protocol.ts`) over the
 * IPC channel of the run. Its CPU time is charged to no server.
 */
import { Schema } from "effect"
import { Charger } from "./charger.ts"
import { commandInTurn } from "./commands.ts"
import { bringOnline, storm } from "./dial.ts"
import { closedLoop, openLoop } from "./loops.ts"
import { LoadOrder, type LoadResult } from "./protocol.ts"
import type { Script } from "./scripts.ts"
import * as Scripts from "./scripts.ts"
import { Tally } from "./tally.ts"

let fleet: ReadonlyArray<Charger> = []
const book = Scripts.emptyBook()

const scripts: Record<"heartbeat" | "meter" | "tx", (charger: Charger) => Script> = {
  heartbeat: () => Scripts.heartbeat(),
  meter: (charger) => Scripts.meter(charger, book),
  tx: (charger) => Scripts.transaction(charger, book)
}

const obey = (order: LoadOrder): Promise<Tally> => {
  switch (order.kind) {
    case "ramp": {
      const { url, prefix, chargers, password } = order.fleet
      fleet = Array.from({ length: chargers }, (_, i) => {
        const number = `${i}`.padStart(5, "0")
        const secret = password ? `BenchPassword-${number}` : undefined
        return new Charger(`${prefix}-${number}`, `${prefix}T${number}`, url, secret)
      })
      return bringOnline(fleet, order.parallel)
    }
    case "storm":
      return storm(fleet)
    case "closed":
      return closedLoop(fleet.slice(0, order.active), scripts[order.workload], order.seconds, book)
    case "open":
      return openLoop(fleet, scripts[order.workload], order.rate, order.seconds)
    case "command":
      return commandInTurn(fleet, order)
  }
}

const result = (tally: Tally): LoadResult => ({
  ...tally.result(),
  serverCalls: fleet.reduce((sum, charger) => sum + charger.serverCalls, 0),
  acknowledged: { ...book }
})

const reply = (message: LoadResult): void => void process.send?.(message)

process.on("message", (message) => {
  obey(Schema.decodeUnknownSync(LoadOrder)(message)).then(
    (tally) => reply(result(tally)),
    (error: unknown) => reply({ ...result(new Tally()), error: String(error) })
  )
})
process.on("disconnect", () => process.exit(0))

const SWEEP_MS = 1_000
setInterval(() => {
  const now = performance.now()
  for (const charger of fleet) charger.expire(now)
}, SWEEP_MS)
