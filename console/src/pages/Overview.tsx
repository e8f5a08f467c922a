/** What needs attention now, with figures for now and for today. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { call } from "../api/client.ts"
import { may, useMe } from "../app/me.ts"
import { useWork } from "../app/work.ts"
import type { Row } from "../live/fleet.ts"
import { useLive } from "../live/store.ts"
import { Line } from "../parts/Chart.tsx"
import { Outside } from "../parts/Facts.tsx"
import { count, kw, kwh, money } from "../parts/format.ts"
import { useNow } from "../parts/now.ts"
import { useTitle } from "../parts/Page.tsx"
import { usePages } from "../parts/pages.ts"
import { Spark } from "../parts/Spark.tsx"
import { Failed, Loading } from "../parts/States.tsx"
import { Shape } from "../parts/Status.tsx"
import { Ago } from "../parts/Time.tsx"
import { actionText, useActors } from "../parts/actors.ts"
import { startOfToday } from "../parts/period.ts"
import { t, tn, word } from "../text/text.ts"
import { Since } from "./Since.tsx"
import { FirstSteps, useIsBeginning } from "./FirstSteps.tsx"

/** A fault that heals within two minutes raises no alarm. */
const settledMillis = 2 * 60_000

const troubleSince = (row: Row): number =>
  row.state === "Offline"
    ? (row.offlineSince ?? row.lastSeen ?? 0)
    : Math.max(0, ...row.connectors.filter(({ status }) => status === "Faulted").map(({ since }) => since))

const troubleText = (row: Row): string => {
  if (row.state === "Offline") return t("overview.silent")
  const one = row.connectors.find(({ status }) => status === "Faulted")
  return [one?.errorCode, one?.info].filter(Boolean).join(" · ") || t("state.Faulted")
}

/** Cars at a charger that is in trouble: their drivers wait. */
const waiting = (row: Row): number =>
  row.connectors.filter(({ sessionId, status }) => sessionId !== undefined || status === "Preparing").length

const Trouble = () => {
  const { rows } = useLive()
  const now = useNow()
  const troubled = useMemo(
    () =>
      rows
        .filter(({ state }) => state === "Faulted" || state === "Offline")
        .filter((row) => now - troubleSince(row) >= settledMillis || waiting(row) > 0)
        .sort((a, b) => waiting(b) - waiting(a) || troubleSince(a) - troubleSince(b)),
    [rows, now]
  )
  return (
    <>
      {troubled.slice(0, 12).map((row) => (
        <li key={row.id}>
          <Link to={`/chargers/${encodeURIComponent(row.id)}` as never} search={{} as never}>
            <Shape state={row.state} />
            <b>
              <Outside>{row.name}</Outside>
            </b>
            <span>
              <Outside>{troubleText(row)}</Outside>
            </span>
            <small>
              <Ago at={troubleSince(row)} />
              {waiting(row) > 0 ? ` · ${tn("overview.waiting", waiting(row))}` : null}
            </small>
          </Link>
        </li>
      ))}
      {troubled.length > 12 ? (
        <li>
          <Link to={"/chargers" as never} search={{ is: "attention" } as never}>
            {tn("overview.moreTrouble", troubled.length - 12)}
          </Link>
        </li>
      ) : null}
    </>
  )
}

const Held = () => {
  const { corrections, heldSessions } = useWork() ?? {}
  const held = heldSessions ?? 0
  const differing = corrections ?? 0
  return (
    <>
      {held === 0 ? null : (
        <li>
          <Link to={"/work" as never} search={{} as never}>
            <Shape state="SuspendedEV" />
            <b>{tn("overview.held", held)}</b>
          </Link>
        </li>
      )}
      {differing === 0 ? null : (
        <li>
          <Link to={"/work" as never} search={{ queue: "corrections" } as never}>
            <Shape state="SuspendedEV" />
            <b>{tn("overview.corrections", differing)}</b>
          </Link>
        </li>
      )}
    </>
  )
}

const Partners = () => {
  const me = useMe()
  const { rows } = usePages("partners.list", { query: { limit: 100 } })
  const registered = (rows as ReadonlyArray<{ readonly id: string; readonly name: string; readonly status: string }>)
    .filter(({ status }) => status === "Registered")
    .slice(0, 20)
  return (
    <>
      {may(me, "partner-records.health")
        ? registered.map(({ id, name }) => <PartnerLine key={id} id={id} name={name} />)
        : null}
    </>
  )
}

const PartnerLine = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { data } = useQuery({
    queryKey: ["partner-records.health", id],
    queryFn: () => call("partner-records.health", { params: { partnerId: id } })
  })
  const deliveries = data?.deliveries
  if (deliveries === null || deliveries === undefined) return null
  if (deliveries.state !== "Down" && deliveries.state !== "Waiting" && deliveries.parked === 0) return null
  return (
    <li>
      <Link to={`/roaming/${id}` as never} search={{} as never}>
        <Shape state="Reserved" />
        <b>
          <Outside>{name}</Outside>
        </b>
        <span>
          {word("deliveryState", deliveries.state)} · {t("partner.waiting", { n: deliveries.due })} ·{" "}
          {t("partner.parkedCount", { n: deliveries.parked })}
        </span>
      </Link>
    </li>
  )
}

const Figure = ({ label, sub, value }: { readonly label: string; readonly value: string; readonly sub?: string }) => (
  <div className="figure">
    <dt>{label}</dt>
    <dd>
      {value}
      {sub === undefined ? null : <small>{sub}</small>}
    </dd>
  </div>
)

export const Overview = () => {
  const me = useMe()
  const { isComplete, problem, rows } = useLive()
  useTitle(t("place.overview"))
  const mayStatistics = may(me, "statistics.get")
  const { data, error, refetch } = useQuery({
    queryKey: ["statistics.get"],
    enabled: mayStatistics,
    queryFn: () => call("statistics.get", {})
  })
  const power = useMemo(() => rows.reduce((sum, { powerW }) => sum + (powerW ?? 0), 0), [rows])
  const connected = useMemo(() => rows.filter((row) => row.connected).length, [rows])
  const running = useMemo(
    () =>
      rows.reduce(
        (sum, { connectors }) => sum + connectors.filter(({ sessionId }) => sessionId !== undefined).length,
        0
      ),
    [rows]
  )
  const bySite = useMemo(() => {
    const sums = new Map<string, { name: string; total: number; trouble: number; powerW: number }>()
    for (const row of rows) {
      const sum = sums.get(row.siteId) ?? { name: row.siteName, total: 0, trouble: 0, powerW: 0 }
      sum.total++
      if (row.state === "Faulted" || row.state === "Offline") sum.trouble++
      sum.powerW += row.powerW ?? 0
      sums.set(row.siteId, sum)
    }
    return [...sums].sort(([, a], [, b]) => b.powerW - a.powerW).slice(0, 12)
  }, [rows])
  const [isBeginning, endBeginning] = useIsBeginning()
  const isNew = isComplete && problem === undefined && !rows.some(({ everConnected }) => everConnected)
  if (isNew) {
    return (
      <section className="page scrolls" aria-label={t("place.overview")}>
        <h1 className="hide">{t("place.overview")}</h1>
        <FirstSteps />
      </section>
    )
  }
  return (
    <section className="page overview" aria-label={t("place.overview")}>
      <h1 className="hide">{t("place.overview")}</h1>
      <Since />
      {isComplete && isBeginning ? <FirstSteps onClose={endBeginning} /> : null}
      <div className="overview-grid">
        <section className="card" aria-label={t("overview.needsYou")}>
          <h2>{t("overview.needsYou")}</h2>
          {isComplete ? null : <Loading rows={4} />}
          <ul className="needs">
            <Trouble />
            {may(me, "sessions.list") ? <Held /> : null}
            {may(me, "partners.list") ? <Partners /> : null}
            {problem === undefined ? <li className="all-well">{t("overview.allWell")}</li> : null}
          </ul>
          {problem === undefined ? null : (
            <Failed what={t("charger.notRead")} error={problem} retry={() => location.reload()} />
          )}
        </section>
        <section className="card" aria-label={t("overview.now")}>
          <h2>{t("overview.now")}</h2>
          <dl className="figures">
            <Figure label={t("charger.power")} value={`${kw(power)} kW`} />
            <Figure label={t("overview.connected")} value={count(connected)} sub={` / ${count(rows.length)}`} />
            <Figure label={t("overview.running")} value={count(running)} />
          </dl>
          {error === null ? null : <Failed what={t("overview.notRead")} error={error} retry={() => void refetch()} />}
          {may(me, "statistics.series") ? <Power /> : null}
          {isComplete ? <Spark days={30} /> : null}
          <h2>{t("overview.today")}</h2>
          <dl className="figures">
            <Figure label={t("session.energy")} value={data === undefined ? "…" : `${kwh(data.energyWhToday)} kWh`} />
            <Figure label={t("place.sessions")} value={data === undefined ? "…" : count(data.sessionsToday)} />
            <Today />
          </dl>
        </section>
        <section className="card" aria-label={t("place.sites")}>
          <h2>{t("place.sites")}</h2>
          <ul className="rows">
            {bySite.map(([id, { name, powerW, total, trouble }]) => (
              <li key={id}>
                <Link to={`/sites/${id}` as never} search={{} as never}>
                  <b>
                    <Outside>{name === "" ? id : name}</Outside>
                  </b>
                  <small>
                    {tn("site.chargers", total)}
                    {trouble > 0 ? ` · ${tn("site.trouble", trouble)}` : null}
                  </small>
                </Link>
                <span>{kw(powerW)} kW</span>
              </li>
            ))}
          </ul>
        </section>
        {may(me, "audit-log.list") ? <Changes /> : null}
      </div>
    </section>
  )
}

/** The power of the last 24 hours; read again when events of sessions have come. */
const Power = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ["statistics.series", "power"],
    queryFn: () => call("statistics.series", { query: { metric: "power", step: "PT15M" } })
  })
  if (error !== null) return <Failed what={t("overview.seriesNotRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={3} />
  return (
    <Line
      label={t("overview.power")}
      unit="kW"
      points={data.points.map(({ at, value }) => ({ at: Date.parse(at), value: (value ?? 0) / 1000 }))}
      from={Date.parse(data.from)}
      to={Date.parse(data.to)}
    />
  )
}

/** The totals of today's records, for each currency. */
const Today = () => {
  const me = useMe()
  const from = useMemo(startOfToday, [])
  const { hasMore, rows } = usePages("cdrs.list", { query: { from, limit: 500 } }, may(me, "cdrs.list"))
  const sums = new Map<string, number>()
  for (const { currency, totalCost } of rows as ReadonlyArray<{
    readonly currency: string
    readonly totalCost: { readonly inclVat: number }
  }>) {
    sums.set(currency, (sums.get(currency) ?? 0) + totalCost.inclVat)
  }
  return (
    <>
      {[...sums].map(([currency, amount]) => (
        <Figure
          key={currency}
          label={t("place.cdrs")}
          value={`${hasMore ? "> " : ""}${money(Math.round(amount * 100) / 100, currency)}`}
        />
      ))}
    </>
  )
}

/** The latest changes by operators and programs; what the service did by itself is only in the audit log. */
const Changes = () => {
  const { isLoading, rows } = usePages("audit-log.list", { query: { limit: 100 } })
  const nameOf = useActors()
  return (
    <section className="card" aria-label={t("overview.changes")}>
      <h2>{t("overview.changes")}</h2>
      {isLoading ? <Loading rows={4} /> : null}
      <ul className="rows">
        {rows
          .filter(({ actor }) => actor !== "platform")
          .slice(0, 8)
          .map(({ action, actor, at, id, subject }) => (
            <li key={id}>
              <span>
                {actionText(action)} <Outside mono>{subject.split(":")[0] ?? ""}</Outside>
                <small>
                  <Outside>{nameOf(actor)}</Outside>
                </small>
              </span>
              <small>
                <Ago at={at} />
              </small>
            </li>
          ))}
      </ul>
      <Link className="button small" to={"/audit-log" as never} search={{} as never}>
        {t("place.audit")}
      </Link>
    </section>
  )
}
