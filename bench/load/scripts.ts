/**
 * The messages that a charger sends under each workload, and the book of what servers have acknowledged. Their database
 * is checked against this book afterwards.
 */
import type { Charger } from "./charger.ts"
import * as Frames from "./frames.ts"
import type { Acknowledged } from "./protocol.ts"

export type Book = { -readonly [K in keyof Acknowledged]: Acknowledged[K] }

export const emptyBook = (): Book => ({
  started: 0,
  stopped: 0,
  readings: 0,
  looseReadings: 0,
  energyWh: 0,
  unanswered: 0
})

export interface Script {
  readonly next: () => readonly [action: string, payload: string]
  /** Takes the CALLRESULT of the last message; returns what is wrong with it, if anything. */
  readonly answered: (frame: string) => string | undefined
  /** True if the charger may stop now: it is not within a transaction. */
  readonly atRest: () => boolean
}

export const heartbeat = (): Script => ({
  next: () => ["Heartbeat", "{}"],
  answered: (frame) => (frame.includes(`"currentTime"`) ? undefined : frame),
  atRest: () => true
})

/** MeterValues outside of any transaction. */
export const meter = (charger: Charger, book: Book): Script => ({
  next: () => ["MeterValues", Frames.meterValues(charger.meter, undefined)],
  answered: () => {
    book.looseReadings++
    return undefined
  },
  atRest: () => true
})

/** MeterValues messages in a transaction. With Authorize, StartTransaction and StopTransaction a cycle has eight messages. */
const READINGS_PER_TRANSACTION = 5

/** Authorize, StartTransaction, five MeterValues, StopTransaction, repeated. Each charger has a card of its own. */
export const transaction = ({ idTag, meter }: Charger, book: Book): Script => {
  let step = 0
  let transactionId = 0
  let meterStart = 0
  const refused = (frame: string): string => {
    step = 0
    return `refused: ${frame}`
  }
  const last = READINGS_PER_TRANSACTION + 2
  return {
    next: () => {
      if (step === 0) return ["Authorize", Frames.authorize(idTag)]
      if (step === last) return ["StopTransaction", Frames.stopTransaction(meter, idTag, transactionId)]
      if (step > 1) return ["MeterValues", Frames.meterValues(meter, transactionId)]
      const payload = Frames.startTransaction(meter, idTag)
      meterStart = meter.wh
      return ["StartTransaction", payload]
    },
    answered: (frame) => {
      if (step <= 1 && !frame.includes(`"Accepted"`)) return refused(frame)
      if (step === 1) {
        transactionId = Number(/"transactionId":(\d+)/.exec(frame)?.[1] ?? 0)
        if (transactionId === 0) return refused(frame)
        book.started++
      } else if (step === last) {
        book.stopped++
        book.energyWh += meter.wh - meterStart
      } else if (step > 1) book.readings++
      step = step === last ? 0 : step + 1
      return undefined
    },
    atRest: () => step === 0
  }
}
