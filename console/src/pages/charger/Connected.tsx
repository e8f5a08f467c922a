/** When a charger was connected: a band over time with its share, and the connections that it is made of. */
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

/** Those that reach into the time, oldest first as they came; one that lasts ends with the time. */
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

/** Never rounded up: 100 % is no second without. */
export const connectedShare = (connections: ReadonlyArray<Connection>, from: number, to: number): string => {
  const millis = connections.reduce((sum, one) => sum + (Math.min(to, one.to) - Math.max(from, one.from)), 0)
  return percent(Math.floor(Math.min(1, millis / (to - from)) * 1000) / 10)
}

/** What is counted begins with its first connection: before that it could not be connected. */
export const countedFrom = (
  rows: ReadonlyArray<Item<"history.connections">>,
  hasMore: boolean,
  from: number
): number => {
  const oldest = rows.at(-1)
  return hasMore || oldest === undefined ? from : Math.max(from, Date.parse(oldest.connectedAt))
}

/** The last 24 hours, above the log: whether it is the charger's connection is seen at once. */
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
