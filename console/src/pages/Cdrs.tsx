/** Charge records: search, totals for each currency of the records that are shown, and exports with the same filter. */
import { useMemo } from "react"
import { urlOf } from "../api/client.ts"
import { useChargerNames } from "../live/store.ts"
import { Outside } from "../parts/Facts.tsx"
import { exact, money } from "../parts/format.ts"
import { FilterField, Head, PagedTable, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty } from "../parts/States.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, tn } from "../text/text.ts"
import { Views } from "../parts/ViewsLater.tsx"
import { periodOf } from "../parts/period.ts"
import { FilterChip } from "./Sessions.tsx"

type Cdr = Item<"cdrs.list">

const columns = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<Cdr>> => [
  {
    id: "number",
    title: t("cdr.number"),
    width: "100px",
    phone: "name",
    isLink: true,
    cell: ({ creditReferenceId, number }) => (
      <>
        <b>{number}</b>
        {creditReferenceId === null ? null : <span className="id">{t("cdr.credit")}</span>}
      </>
    )
  },
  {
    id: "ended",
    title: t("session.ended"),
    width: "150px",
    phone: "side",
    from: "narrow",
    cell: ({ endedAt }) => <Moment at={endedAt} />
  },
  {
    id: "charger",
    title: t("charger.one"),
    phone: "second",
    cell: ({ chargerId, location }) => <Outside>{names.get(chargerId) ?? location?.chargerName ?? chargerId}</Outside>
  },
  { id: "card", title: t("card.one"), from: "medium", cell: ({ tokenUid }) => <Outside mono>{tokenUid}</Outside> },
  {
    id: "partner",
    title: t("session.roaming"),
    width: "110px",
    from: "wide",
    cell: ({ roaming }) =>
      roaming === null ? <span className="none">–</span> : `${roaming.countryCode} ${roaming.partyId}`
  },
  {
    id: "energy",
    title: t("session.energy"),
    width: "110px",
    align: "right",
    from: "narrow",
    cell: ({ totalEnergyKwh }) => (
      <>
        {exact(totalEnergyKwh)}
        <small> kWh</small>
      </>
    )
  },
  {
    id: "cost",
    title: t("session.cost"),
    width: "130px",
    align: "right",
    phone: "value",
    cell: ({ currency, totalCost }) => money(totalCost.inclVat, currency)
  }
]

export const Cdrs = () => {
  const [filters, set] = useFilters()
  const open = useOpen()
  useTitle(t("place.cdrs"))
  const names = useChargerNames()
  const table = useMemo(() => columns(names), [names])
  const { card, from, issuedFrom: firstIssued, issuedTo: lastIssued, number, session, to } = filters
  const issued = periodOf(firstIssued, lastIssued)
  // What is no number is not sent: the API would refuse it.
  const numbered = /^[1-9]\d{0,8}$/.test(number ?? "") ? number : undefined
  const query = {
    ...(card === undefined ? {} : { tokenUid: card }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(numbered === undefined ? {} : { numberFrom: numbered, numberTo: numbered }),
    ...(issued.from === undefined ? {} : { issuedFrom: issued.from }),
    ...(issued.to === undefined ? {} : { issuedTo: issued.to }),
    ...periodOf(from, to)
  }
  const pages = usePages("cdrs.list", { query })
  const totals = useMemo(() => {
    const sums = new Map<string, number>()
    for (const { currency, totalCost } of pages.rows) sums.set(currency, (sums.get(currency) ?? 0) + totalCost.inclVat)
    return [...sums].map(([currency, amount]) => money(Math.round(amount * 10_000) / 10_000, currency)).join(" · ")
  }, [pages.rows])
  const isFiltered = Object.keys(query).length > 0
  return (
    <Split label={t("place.cdrs")}>
      <Head
        title={t("place.cdrs")}
        summary={
          pages.rows.length === 0
            ? undefined
            : `${pages.hasMore ? "> " : ""}${tn("cdr.count", pages.rows.length)} · ${totals}`
        }
      >
        <Views of="/cdrs" />
        <a className="button" href={urlOf("cdrs.csv", { query })} download>
          CSV
        </a>
        <a className="button" href={urlOf("cdrs.jsonLines", { query })} download>
          JSON
        </a>
      </Head>
      <div className="filters">
        <FilterField name="card" label={t("session.byCard")} />
        <FilterField name="number" label={t("cdr.number")} />
        <label className="date">
          <span>{t("filter.from")}</span>
          <input type="date" value={from ?? ""} onChange={({ target }) => set({ from: target.value })} />
        </label>
        <label className="date">
          <span>{t("filter.to")}</span>
          <input type="date" value={to ?? ""} onChange={({ target }) => set({ to: target.value })} />
        </label>
        <label className="date">
          <span>{t("cdr.issuedFrom")}</span>
          <input type="date" value={firstIssued ?? ""} onChange={({ target }) => set({ issuedFrom: target.value })} />
        </label>
        <label className="date">
          <span>{t("cdr.issuedTo")}</span>
          <input type="date" value={lastIssued ?? ""} onChange={({ target }) => set({ issuedTo: target.value })} />
        </label>
        {session === undefined ? null : <FilterChip name="session" value={session} />}
      </div>
      <PagedTable
        what={t("cdr.notRead")}
        label={t("place.cdrs")}
        pages={pages}
        columns={table}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/cdrs/${id}`}
        open={open}
        isFiltered={isFiltered}
        empty={<Empty title={t("cdr.noneYet")} text={t("cdr.noneYetText")} />}
      />
    </Split>
  )
}
