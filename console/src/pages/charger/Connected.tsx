/** When a charger was connected: a band over time with its percentage, and the list of connections. */
import { missingFor, useMe } from "../../app/me.ts"
import { Bands } from "../../parts/Chart.tsx"
import { percent } from "../../parts/format.ts"
import { useNow } from "../../parts/now.ts"
import { type Item, usePages } from "../../parts/pages.ts"
import { t } from "../../text/text.ts"

export const dayMillis = 86_400_000

export interface Connection {
  readonly from: number
  readonly to: number
  readonly reason: string | null
}

/** The connections that overlap the period, in the order given; one that is still open ends with the period. */
export const connectionsOf = (
  rows: ReadonlyArray<Item<"history.connections">>,
  from: number,
  to: number
): ReadonlyArray<Connection> =>
  rows
    .map(({ connectedAt, disconnectedAt, reason }) => ({
      from: Date.parse(connectedAt),
      to: disconnectedAt === null ? to : Date.parse(disconnectedAt),
      reason
    }))
    .filter((one) => one.to > from)

export const ConnectedBand = ({
  connections,
  from,
  to
}: {
  readonly connections: ReadonlyArray<Connection>
  readonly from: number
  readonly to: number
}) => (
  <Bands
    label={t("availability.connected")}
    from={from}
    to={to}
    bands={connections.map((one) => ({
      from: Math.max(from, one.from),
      to: Math.min(to, one.to),
      state: "Available" as const
    }))}
    word={() => t("availability.connected")}
  />
)

/** The percentage of time connected. It is rounded down: 100 % means not a second without a connection. */
export const connectedShare = (connections: ReadonlyArray<Connection>, from: number, to: number): string => {
  const millis = connections.reduce((sum, one) => sum + (Math.min(to, one.to) - Math.max(from, one.from)), 0)
  return percent(Math.floor(Math.min(1, millis / (to - from)) * 1000) / 10)
}

/** Counting begins with the charger's first connection: before that it could not have been connected. */
export const countedFrom = (
  rows: ReadonlyArray<Item<"history.connections">>,
  hasMore: boolean,
  from: number
): number => {
  const oldest = rows.at(-1)
  return hasMore || oldest === undefined ? from : Math.max(from, Date.parse(oldest.connectedAt))
}

/** The last 24 hours, above the log, to show at a glance whether the connection is the problem. */
export const ConnectedDay = ({ chargerId }: { readonly chargerId: string }) => {
  const isMissing = missingFor(useMe(), "history.connections").length > 0
  const to = useNow()
  const from = to - dayMillis
  const pages = usePages("history.connections", { params: { chargerId }, query: { limit: 100 } })
  if (isMissing || pages.isLoading || pages.error !== null) return null
  const connections = connectionsOf(pages.rows, from, to)
  return (
    <figure className="connected-day">
      <figcaption>
        {t("availability.connectedDay")}{" "}
        <b>{connectedShare(connections, countedFrom(pages.rows, pages.hasMore, from), to)}</b>
      </figcaption>
      <ConnectedBand connections={connections} from={from} to={to} />
    </figure>
  )
}
