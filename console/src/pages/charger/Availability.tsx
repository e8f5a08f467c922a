/** When a charger was connected and which statuses its connectors reported over the last day. */
import { useMemo, useState } from "react"
import { isState, numberOf, type Row, type State } from "../../live/fleet.ts"
import { kwh } from "../../parts/format.ts"
import { Bands } from "../../parts/Chart.tsx"
import { type Item, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { stateLabel } from "../../parts/Status.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t, tn } from "../../text/text.ts"
import { ConnectedBand, connectedShare, connectionsOf, countedFrom, dayMillis } from "./Connected.tsx"

type Change = Item<"history.connectors">
type CountedDay = Item<"history.countedTransactions">

/** The states between changes, oldest first. */
const bandsOf = (changes: ReadonlyArray<Change>, from: number, to: number) => {
  const sorted = [...changes].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return sorted.map((one, index) => ({
    from: Math.max(from, Date.parse(one.at)),
    to: index + 1 < sorted.length ? Date.parse(sorted[index + 1]!.at) : to,
    state: (isState(one.status) ? one.status : "Unavailable") satisfies State as State
  }))
}

/** Nothing for a charger that never began more transactions than are stored in a day. */
const Counted = ({ days }: { readonly days: ReadonlyArray<CountedDay> }) =>
  days.length === 0 ? null : (
    <>
      <h3>{t("availability.counted")}</h3>
      <p>{t("availability.countedWhy")}</p>
      <ul className="rows">
        {days.map((one) => (
          <li key={one.day}>
            <span>
              <Moment at={Date.parse(one.firstAt)} /> – <Moment at={Date.parse(one.lastAt)} />
            </span>
            <small>
              {tn("availability.transactions", one.transactions)}, {kwh(one.energyWh)} kWh
            </small>
          </li>
        ))}
      </ul>
    </>
  )

export const Availability = ({ row }: { readonly row: Row }) => {
  const [days, setDays] = useState(1)
  const to = useMemo(() => Date.now(), [days])
  const from = to - days * dayMillis
  const query = { from: new Date(from).toISOString(), limit: 500 }
  const connections = usePages("history.connections", { params: { chargerId: row.id }, query: { limit: 100 } })
  const counted = usePages("history.countedTransactions", { params: { chargerId: row.id }, query: { limit: 30 } })
  const changes = usePages("history.connectors", { params: { chargerId: row.id }, query })
  if (connections.missing.length > 0) return <NotPermitted permissions={connections.missing} />
  const error = connections.error ?? changes.error ?? counted.error
  if (error !== null) return <Failed what={t("availability.notRead")} error={error} retry={connections.retry} />
  if (connections.isLoading || changes.isLoading) return <Loading rows={3} />
  const lines = connectionsOf(connections.rows, from, to)
  return (
    <>
      <div className="acts">
        {[1, 7, 30].map((n) => (
          <button key={n} type="button" className="button small" aria-pressed={n === days} onClick={() => setDays(n)}>
            {n === 1 ? t("availability.day") : t("availability.days", { n })}
          </button>
        ))}
      </div>
      <h3>
        {t("availability.connected")}{" "}
        {connectedShare(lines, countedFrom(connections.rows, connections.hasMore, from), to)}
      </h3>
      <ConnectedBand connections={lines} from={from} to={to} />
      {row.connectors.map((connector) => {
        const { connectorId, evseId } = connector
        const number = numberOf(connector, row.connectors)
        const own = (changes.rows as ReadonlyArray<Change>).filter(
          (one) => one.evseId === evseId && one.connectorId === connectorId
        )
        return (
          <div key={`${evseId}.${connectorId}`}>
            <h3>{t("connector.one", { id: number })}</h3>
            <Bands
              label={t("connector.one", { id: number })}
              from={from}
              to={to}
              bands={bandsOf(own, from, to)}
              word={stateLabel}
            />
          </div>
        )
      })}
      <Counted days={counted.rows as ReadonlyArray<CountedDay>} />
      <h3>{t("availability.lines")}</h3>
      <ul className="rows">
        {lines.slice(0, 12).map((one) => (
          <li key={one.from}>
            <span>
              <Moment at={one.from} /> – {one.reason === null ? t("availability.now") : <Moment at={one.to} />}
            </span>
            <small>{one.reason ?? ""}</small>
          </li>
        ))}
      </ul>
      {lines.length === 0 ? <p className="none">{t("availability.none")}</p> : null}
    </>
  )
}
