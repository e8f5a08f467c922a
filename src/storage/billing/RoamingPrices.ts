/**
 * Prices of sessions at the moment at which partners get them: where the price that is kept is of before the newest reading or the end, it is
 * made anew, so that what is sent is of one moment, and the same whether it is pushed or asked for.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isPriced, type Ledger, priceOf, readingsPricedAtOnce, toSessionPrice } from "../../domain/session/Ledger.ts"
import { isPriceBehind, type RoamingSession } from "../../domain/session/RoamingSession.ts"
import type { SessionPrice } from "../../domain/session/SessionPrice.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { ledgerOf, ledgerRows, ledgers } from "./LedgerRows.ts"
import type { Scoped } from "../kernel/Scoped.ts"

/** Of a running or reserved `session s` with its tariff `t`, review `r` and price `p`: true where the price is of before its newest reading. */
export const priceBehind = (sql: SqlClient.SqlClient) => sql`
  ((s.ended_at IS NULL OR s.status = 'RESERVATION') AND t.tariff_id IS NOT NULL
    AND (p.based_on IS NULL OR p.based_on < date_trunc('milliseconds', greatest(s.updated_at, r.updated_at))))`

/** True of a `session s` whose price is made with each reading. */
const hasFewReadings = (sql: SqlClient.SqlClient) => sql`
  NOT EXISTS (SELECT FROM meter x WHERE x.session_id = s.id AND x.energy_wh IS NOT NULL OFFSET ${readingsPricedAtOnce}::int)`

/** One that cannot be priced is sent with what is kept: repricing reports the defect. */
const priceNow = (ledger: Ledger): Effect.Effect<SessionPrice | undefined> =>
  Effect.catchDefect(
    Effect.sync(() => toSessionPrice(ledger, priceOf(ledger))),
    () => Effect.undefined
  )

/**
 * What has ended never changes any more for its readers, and has its final price. A running one has the price of its newest reading, unless
 * it has so many that its price is made now and then: then it is sent again when that was done.
 */
export const pricedNow = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  found: ReadonlyArray<{ readonly session: RoamingSession; readonly isBehind: boolean }>
) =>
  Effect.gen(function* () {
    const sessions = found.map(({ session }) => session)
    const over = uuidArray(sessions.filter(isPriceBehind).map(({ id }) => id))
    const running = uuidArray(found.filter(({ isBehind }) => isBehind).map(({ session }) => session.id))
    if (!found.some(({ isBehind, session }) => isBehind || isPriceBehind(session))) return sessions
    const which = own`${own.rowsOf("s")} AND (s.id = ANY (${over}) OR (s.id = ANY (${running}) AND ${hasFewReadings(sql)}))`
    const prices = new Map<string, SessionPrice | undefined>()
    for (const ledger of (yield* ledgerRows(ledgers(sql, which, false))).map(ledgerOf)) {
      if (isPriced(ledger)) prices.set(ledger.session.id, yield* priceNow(ledger))
    }
    return sessions.map((session) => ({ ...session, price: prices.get(session.id) ?? session.price }))
  })
