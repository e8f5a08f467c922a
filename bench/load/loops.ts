/**
 * The two kinds of load. In a closed loop a charger sends its next message when the last one is answered: this shows
 * what a server can do. In an open loop messages are due at fixed times, whatever the server does: this shows how long
 * a charger waits.
 */
import type { Charger } from "./charger.ts"
import type { Book, Script } from "./scripts.ts"
import { Tally } from "./tally.ts"

/** Runs every script for `seconds`, and then on to its next rest, so that no transaction is left open. */
export const closedLoop = (
  chargers: ReadonlyArray<Charger>,
  scriptOf: (charger: Charger) => Script,
  seconds: number,
  book: Book
): Promise<Tally> =>
  new Promise((resolve) => {
    const tally = new Tally()
    const stopAt = performance.now() + seconds * 1000
    let running = chargers.length
    const run = (charger: Charger): void => {
      const script = scriptOf(charger)
      const end = (): void => {
        if (--running === 0) resolve(tally)
      }
      const step = (): void => {
        const sentAt = performance.now()
        if (sentAt > stopAt && script.atRest()) return end()
        charger.call(...script.next(), (frame, problem) => {
          if (frame === undefined) {
            tally.failed(`${charger.id}: ${problem}`)
            if (!charger.online) {
              book.unanswered++
              return end()
            }
            // A transaction that was answered by a CALLERROR cannot be ended once the time is over.
            if (performance.now() > stopAt) return end()
          } else {
            tally.answered(performance.now() - sentAt)
            const wrong = script.answered(frame)
            if (wrong !== undefined) tally.failed(`${charger.id}: ${wrong}`)
          }
          step()
        })
      }
      step()
    }
    for (const charger of chargers) run(charger)
  })

/** How often due messages are looked for. The delay until the next check is part of the latency, equally for every server. */
const TICK_MS = 1

/**
 * Sends `rate` messages a second for `seconds`, in turn over all chargers. Latency counts from the moment a message was
 * due, even if its charger was still waiting for an answer: a stall counts for every message that it delayed.
 */
export const openLoop = (
  chargers: ReadonlyArray<Charger>,
  scriptOf: (charger: Charger) => Script,
  rate: number,
  seconds: number
): Promise<Tally> =>
  new Promise((resolve) => {
    const tally = new Tally()
    const startedAt = performance.now()
    const total = Math.round(rate * seconds)
    const lanes = chargers.map((charger) => ({ charger, script: scriptOf(charger), due: [] as Array<number> }))
    let issued = 0
    let left = total
    const send = (lane: (typeof lanes)[number]): void => {
      const dueAt = lane.due[0]
      if (dueAt === undefined || lane.charger.busy) return
      lane.due.shift()
      lane.charger.call(...lane.script.next(), (frame, problem) => {
        if (frame === undefined) tally.failed(`${lane.charger.id}: ${problem}`)
        else {
          tally.answered(performance.now() - dueAt)
          lane.script.answered(frame)
        }
        if (--left === 0) {
          clearInterval(ticker)
          resolve(tally)
        } else send(lane)
      })
    }
    const ticker = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * rate))
      while (issued < due) {
        const lane = lanes[issued % lanes.length]
        lane?.due.push(startedAt + (issued++ / rate) * 1000)
        if (lane !== undefined) send(lane)
      }
    }, TICK_MS)
  })
