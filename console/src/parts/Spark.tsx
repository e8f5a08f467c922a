/** The availability of connectors: one figure, and a bar for each day or hour. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { call, Problem } from "../api/client.ts"
import type { Answer, LiveEvent } from "../api/types.ts"
import { missingFor, useMe } from "../app/me.ts"
import { onLiveEvent } from "../live/store.ts"
import { t } from "../text/text.ts"
import { moment, percent } from "./format.ts"
import { Failed, Loading } from "./States.tsx"

const dayMillis = 86_400_000

interface Scope {
  readonly siteId?: string
  readonly chargerId?: string
}

/** The service limits how much it reads at once for many connectors: a shorter period is shown then. */
const read = async (scope: Scope, days: number): Promise<Answer<"statistics.series">> => {
  const to = new Date()
  const query = {
    ...scope,
    metric: "availability",
    step: days > 1 ? "P1D" : "PT1H",
    from: new Date(to.getTime() - days * dayMillis).toISOString(),
    to: to.toISOString()
  } as const
  try {
    return await call("statistics.series", { query })
  } catch (error) {
    if (days > 1 && error instanceof Problem && error.errors.some(({ pointer }) => pointer === "/from"))
      return read(scope, days > 7 ? 7 : 1)
    throw error
  }
}

/** Events make it be read again, but not more often than this. A month changes slowly, and many connectors change often. */
const againMillis = { one: 3_000, many: 5 * 60_000 }

const changes: ReadonlySet<LiveEvent["type"]> = new Set([
  "charger.connected",
  "charger.disconnected",
  "connector.status"
])

/** The share, rounded down: 100 % means not a second without. */
const share = (value: number): string => percent(Math.floor(value * 10) / 10)

/** A bar below this percentage has the colour of trouble. */
const low = 90

export const Spark = ({ days, ...scope }: Scope & { readonly days: number }) => {
  const { chargerId, siteId } = scope
  const missing = missingFor(useMe(), "statistics.series")
  const wait = chargerId === undefined ? againMillis.many : againMillis.one
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    // The key is not the operation's name, which would make events of sessions invalidate it: they do not change availability.
    queryKey: ["availability", days, siteId ?? "", chargerId ?? ""],
    enabled: missing.length === 0,
    staleTime: wait,
    placeholderData: keepPreviousData,
    queryFn: () => read(scope, days)
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent(({ data, type }) => {
      if (!changes.has(type)) return
      if (chargerId !== undefined && !("chargerId" in data && data.chargerId === chargerId)) return
      timer ??= setTimeout(() => void refetch(), Math.max(wait / 10, dataUpdatedAt + wait - Date.now()))
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [chargerId, dataUpdatedAt, refetch, wait])
  if (missing.length > 0) return null
  if (error !== null) return <Failed what={t("spark.notRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={1} />
  const { overall, points } = data
  const span = Math.round((Date.parse(data.to) - Date.parse(data.from)) / dayMillis)
  const known = points.flatMap(({ at, value }) => (value === null ? [] : [{ at: Date.parse(at), value }]))
  const lowest = known.reduce<(typeof known)[number] | undefined>(
    (least, one) => (least === undefined || one.value < least.value ? one : least),
    undefined
  )
  const label = span > 1 ? t("spark.days", { n: span }) : t("spark.day")
  const figure = overall === null ? t("spark.unknown") : share(overall)
  const note =
    lowest === undefined || lowest.value === 100 || known.length < 2
      ? ""
      : t("spark.lowest", { value: share(lowest.value), at: moment(lowest.at) })
  return (
    <figure className="spark">
      <figcaption>
        {label} <b>{figure}</b> <small>{note}</small>
      </figcaption>
      <svg
        viewBox={`0 0 ${points.length} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={[label, figure, note].filter(Boolean).join(" · ")}
      >
        {points.map(({ at, value }, index) => (
          <rect
            key={at}
            className={value === null ? "band-none" : value < low ? "spark-low" : "spark-bar"}
            x={index}
            y={value === null ? 96 : 100 - Math.max(4, value)}
            width="0.86"
            height={value === null ? 4 : Math.max(4, value)}
          >
            <title>{`${moment(Date.parse(at))} · ${value === null ? t("spark.unknown") : share(value)}`}</title>
          </rect>
        ))}
      </svg>
    </figure>
  )
}
