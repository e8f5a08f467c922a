/** The records that a correction would issue, in the form of REST v2. */
import { Effect } from "effect"
import { Cdrs } from "../../../domain/cdr/Cdrs.ts"
import { type CorrectionPreview as Preview, correctionPreview } from "../../../domain/cdr/CorrectionPreview.ts"
import { Ledgers } from "../../../domain/session/Ledgers.ts"
import type { ChargingSession } from "../../../domain/session/ChargingSession.ts"
import { tariffAfterwards } from "../../../domain/session/Correcting.ts"
import { Tariffs } from "../../../domain/tariff/Tariffs.ts"
import { Sessions } from "../../../domain/session/Sessions.ts"
import { organisationId } from "../requests/Caller.ts"
import { maxLimit } from "../requests/Paging.ts"
import { recordExplanation } from "../tariffs/PriceLines.ts"
import type { CorrectionPreview } from "./SessionsApi.ts"

interface Asked {
  readonly energyWh?: number
  readonly startedAt?: number
  readonly endedAt?: number
}

const toPreview = ({ bill, change, credits, figures }: Preview): typeof CorrectionPreview.Type => {
  const currency = (bill ?? credits[0]?.body)?.currency
  return {
    ...figures,
    credits: credits.map(({ body, of: { id, number } }) => ({
      recordId: id,
      number,
      price: recordExplanation(body, { credit: true })
    })),
    bill: bill === undefined ? null : recordExplanation(bill, { credit: false }),
    change: currency === undefined ? null : { currency, ...change }
  }
}

export const correctionPreviews = Effect.gen(function* () {
  const cdrs = yield* Cdrs
  const ledgers = yield* Ledgers
  const sessions = yield* Sessions
  const tariffs = yield* Tariffs
  /** The ledger of a session that began without a tariff, with the one that the correction would give it. */
  const pricedAfterwards = Effect.fnUntraced(function* (session: ChargingSession) {
    const { chargerId, id, organisationId: organisation } = session
    const chosen = tariffAfterwards(session, yield* tariffs.around(organisation, chargerId))
    const [observed] = chosen === undefined ? [] : yield* ledgers.read([id])
    if (chosen === undefined || observed === undefined) return undefined
    return { ...observed, tariff: yield* tariffs.get(organisation, chosen.tariffId) }
  })
  return Effect.fn("v2.sessions.correctionPreview")(function* (
    sessionId: string,
    { endedAt, energyWh, startedAt }: Asked
  ) {
    const organisation = yield* organisationId
    const session = yield* sessions.get(organisation, sessionId)
    const ledger = (yield* ledgers.ofSession(organisation, sessionId)) ?? (yield* pricedAfterwards(session))
    // Newest first: a record that is in force comes before all credited ones.
    const { items: records } = yield* cdrs.list(organisation, { limit: maxLimit, sessionId })
    const preview = correctionPreview({ session, ledger, records }, { endedAt, energyWh, startedAt })
    return "_tag" in preview ? yield* preview : toPreview(preview)
  })
})
