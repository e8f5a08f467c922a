/** All chargers, live, with every filter in the address. */
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react"
import { missingFor, useMe } from "../app/me.ts"
import { useShortcut } from "../app/shortcuts.ts"
import { numberOf, type Row, type State } from "../live/fleet.ts"
import { useLive } from "../live/store.ts"
import { fits, groups, parseFilter } from "../live/filter.ts"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { count, kw, kwh } from "../parts/format.ts"
import { Icon } from "../parts/Icon.tsx"
import { FilterField, Head, Lenses, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { useFilters } from "../parts/pages.ts"
import { Empty, Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Shape, stateLabel, Status } from "../parts/Status.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Ago } from "../parts/Time.tsx"
import { Views } from "../parts/ViewsLater.tsx"
import { t, tn } from "../text/text.ts"
import type { BulkType } from "./BulkCommand.tsx"

const AddCharger = lazy(() => import("./AddCharger.tsx").then(({ AddCharger: it }) => ({ default: it })))
const BulkCommand = lazy(() => import("./BulkCommand.tsx").then(({ BulkCommand: it }) => ({ default: it })))
const NewCampaign = lazy(() => import("./rollout/NewCampaign.tsx").then(({ NewCampaign: it }) => ({ default: it })))

const trouble = (row: Row): string => {
  const one = row.connected ? row.connectors.find(({ status }) => status === "Faulted") : undefined
  return one === undefined ? "" : [one.errorCode, one.info].filter(Boolean).join(" · ")
}

const Connectors = ({ row }: { readonly row: Row }) => {
  const text = trouble(row)
  return (
    <>
      {row.connectors.map((one) => {
        const state: State = row.connected ? one.status : "Offline"
        const number = numberOf(one, row.connectors)
        const label = t("connector.title", { id: number, state: stateLabel(state) })
        return (
          <span key={`${one.evseId}.${one.connectorId}`} className="plug" title={label}>
            <Shape state={state} />
            <span className="hide">{label}</span>
            <span aria-hidden="true">{number}</span>
          </span>
        )
      })}
      {text === "" ? null : (
        <span className="trouble">
          <Outside>{text}</Outside>
        </span>
      )}
    </>
  )
}

const none = <span className="none">–</span>

const columns = (): ReadonlyArray<Column<Row>> => [
  {
    id: "state",
    title: t("charger.state"),
    width: "150px",
    phone: "side",
    cell: ({ state }) => <Status state={state} />
  },
  {
    id: "name",
    title: t("charger.one"),
    width: "var(--name, 26%)",
    phone: "name",
    isLink: true,
    cell: ({ id, name }) => (
      <>
        <b>
          <Outside>{name}</Outside>
        </b>
        <span className="id">{id}</span>
      </>
    )
  },
  {
    id: "site",
    title: t("site.one"),
    width: "16%",
    from: "medium",
    cell: ({ siteName }) => <Outside>{siteName}</Outside>
  },
  { id: "connectors", title: t("charger.connectors"), phone: "second", cell: (row) => <Connectors row={row} /> },
  {
    id: "power",
    title: t("charger.power"),
    width: "92px",
    align: "right",
    phone: "value",
    from: "narrow",
    cell: ({ powerW }) =>
      powerW === undefined ? (
        none
      ) : (
        <>
          {kw(powerW)}
          <small> kW</small>
        </>
      )
  },
  {
    id: "energy",
    title: t("session.one"),
    width: "100px",
    align: "right",
    from: "medium",
    cell: ({ energyWh }) =>
      energyWh === undefined ? (
        none
      ) : (
        <>
          {kwh(energyWh)}
          <small> kWh</small>
        </>
      )
  },
  {
    id: "firmware",
    title: t("charger.firmware"),
    width: "110px",
    from: "wide",
    cell: ({ firmware }) => (firmware === "" ? none : <Outside>{firmware}</Outside>)
  },
  {
    id: "heard",
    title: t("charger.heard"),
    width: "84px",
    align: "right",
    from: "medium",
    cell: ({ lastSeen }) => <Ago at={lastSeen} none={t("charger.never")} />
  }
]

const lenses: ReadonlyArray<readonly [group: string | undefined, label: () => string, mark: State | undefined]> = [
  [undefined, () => t("filter.all"), undefined],
  ["attention", () => t("charger.needAttention"), "Faulted"],
  ["charging", () => t("state.Charging"), "Charging"],
  ["available", () => t("state.Available"), "Available"],
  ["offline", () => t("state.Offline"), "Offline"],
  ["new", () => t("state.NeverConnected"), "NeverConnected"]
]

const bulkTypes: ReadonlyArray<BulkType> = ["Reset", "ChangeAvailability", "ApplyTemplate", "ClearCache"]

export const Chargers = () => {
  const me = useMe()
  const { isComplete, problem, rows } = useLive()
  const [filters, set] = useFilters()
  const open = useOpen()
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [bulk, setBulk] = useState<BulkType | "UpdateFirmware" | undefined>()
  useTitle(t("place.chargers"))
  const typed = useDeferredValue(filters["q"] ?? "")
  const words = useMemo(() => parseFilter(typed), [typed])
  const found = useMemo(() => (words.length === 0 ? rows : rows.filter((row) => fits(row, words))), [rows, words])
  const is = filters["is"]
  const shown = useMemo(
    () => (is === undefined ? found : found.filter(({ state }) => groups[is]?.includes(state) ?? false)),
    [found, is]
  )
  const counts = useMemo(() => {
    const byState = new Map<State, number>()
    for (const { state } of found) byState.set(state, (byState.get(state) ?? 0) + 1)
    return lenses.map(([group]) =>
      group === undefined ? found.length : groups[group]!.reduce((sum, state) => sum + (byState.get(state) ?? 0), 0)
    )
  }, [found])
  const connected = useMemo(() => rows.filter((row) => row.connected).length, [rows])
  const power = useMemo(() => rows.reduce((sum, { powerW }) => sum + (powerW ?? 0), 0), [rows])
  const sites = useMemo(() => [...new Set(rows.map(({ siteName }) => siteName))].filter(Boolean).sort(), [rows])
  const table = useMemo(columns, [])
  const pick = useMemo(
    () => (id: string) =>
      setPicked((old) => {
        const next = new Set(old)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    []
  )
  const isAdding = filters["do"] === "add"
  useShortcut("c", t("charger.add"), () => set({ do: "add" }))
  const missing = missingFor(me, "chargers.list")
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const chosen = shown.filter(({ id }) => picked.has(id))
  return (
    <Split label={t("place.chargers")}>
      <Head
        title={t("place.chargers")}
        summary={
          <>
            {t("charger.summary", { connected: count(connected), total: count(rows.length) })}
            {power > 0 ? ` · ${t("charger.powerNow", { kw: kw(power) })}` : null}
            {isComplete ? null : ` · ${t("state.loading")}`}
          </>
        }
      >
        <Views of="/chargers" />
        <Act needs={["chargers.create"]} kind="main" onClick={() => set({ do: "add" })}>
          <Icon name="plus" />
          <span>{t("charger.add")}</span>
        </Act>
      </Head>
      <div className="filters">
        <Lenses
          keys={["is"]}
          lenses={lenses.map(([group, label, mark], index) => ({
            label: label(),
            filters: { is: group },
            count: counts[index]!,
            ...(mark === undefined ? {} : { mark: <Shape state={mark} /> })
          }))}
        />
        <FilterField
          label={t("charger.filter")}
          suggestions={[
            ...Object.keys(groups).map((group) => `is:${group}`),
            ...sites.slice(0, 50).map((site) => `site:"${site}"`)
          ]}
        />
      </div>
      {chosen.length === 0 ? null : (
        <div className="bulk" role="toolbar" aria-label={t("bulk.label")}>
          <b>{tn("bulk.selected", chosen.length)}</b>
          {bulkTypes.map((type) => (
            <Act
              key={type}
              kind="small"
              needs={[type === "ApplyTemplate" ? "expectations.apply" : "command-batches.create"]}
              onClick={() => setBulk(type)}
            >
              {t(`bulk.${type}`)}
            </Act>
          ))}
          <Act kind="small" needs={["firmware-campaigns.create"]} onClick={() => setBulk("UpdateFirmware")}>
            {t("bulk.UpdateFirmware")}
          </Act>
          <button type="button" className="button small" onClick={() => setPicked(new Set())}>
            {t("bulk.clear")}
          </button>
        </div>
      )}
      {problem === undefined ? null : (
        <Failed what={t("charger.notRead")} error={problem} retry={() => location.reload()} />
      )}
      <Table
        label={t("place.chargers")}
        rows={shown}
        columns={table}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/chargers/${encodeURIComponent(id)}`}
        open={open}
        picked={picked}
        onPick={pick}
      >
        {!isComplete && rows.length === 0 ? <Loading /> : null}
        {isComplete && rows.length === 0 && problem === undefined ? (
          <Empty
            title={t("charger.noneYet")}
            text={t("charger.noneYetText")}
            action={
              <Act needs={["chargers.create"]} kind="main" onClick={() => set({ do: "add" })}>
                {t("charger.add")}
              </Act>
            }
          />
        ) : null}
        {rows.length > 0 && shown.length === 0 ? (
          <div className="empty">
            <h2>{t("filter.none")}</h2>
            <p>{t("filter.noneText")}</p>
            <button type="button" className="button" onClick={() => set({ q: undefined, is: undefined })}>
              {t("filter.clear")}
            </button>
          </div>
        ) : null}
      </Table>
      {isAdding ? (
        <Suspense>
          <AddCharger id={filters["id"]} onClose={() => set({ do: undefined, id: undefined })} />
        </Suspense>
      ) : null}
      {bulk === undefined ? null : bulk === "UpdateFirmware" ? (
        <Suspense>
          <NewCampaign chosen={chosen} onClose={() => setBulk(undefined)} />
        </Suspense>
      ) : (
        <Suspense>
          <BulkCommand type={bulk} rows={chosen} onClose={() => setBulk(undefined)} />
        </Suspense>
      )}
    </Split>
  )
}
