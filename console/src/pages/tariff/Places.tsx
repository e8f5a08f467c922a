/** Tariff assignments as a tree from the organisation down to connectors; and which tariff a session at a connector gets, and why. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { call } from "../../api/client.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { allSites } from "../../live/sites.ts"
import { changed, siteName, useLive } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { day, hourMinute } from "../../parts/format.ts"
import { More } from "../../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { Pill } from "../../parts/Status.tsx"
import { t, word } from "../../text/text.ts"
import { tariffName } from "../Tariffs.tsx"

type Placed = Item<"tariffs.listAssignments">

/** Names of sites and chargers, or the id if the name is not known. */
const useNames = () => {
  const { rows } = useLive()
  const missing = missingFor(useMe(), "sites.list")
  const { data: sites } = useQuery({ ...allSites, enabled: missing.length === 0 })
  return {
    siteOf: (id: string) => sites?.find((one) => one.id === id)?.name ?? (siteName(id) || id),
    chargerOf: (id: string) => rows.find((one) => one.id === id)?.name ?? id
  }
}

const useTariffNames = () => {
  const { data } = useQuery({
    queryKey: ["tariffs.list", { all: true }],
    queryFn: () => call("tariffs.list", { query: { limit: 500 } })
  })
  return (id: string) => {
    const known = data?.items.find((one) => one.id === id)
    return known === undefined ? id.slice(0, 8) : tariffName(known)
  }
}

const TariffLink = ({ id, name }: { readonly id: string; readonly name: string }) => (
  <Link to={`/tariffs/${id}` as never} search={((old: unknown) => old) as never}>
    <Outside>{name}</Outside>
  </Link>
)

/** An assignment as query parameters of `tariffs.unassign`. */
const placeOf = ({ chargerId, connectorId, evseId, scope, siteId }: Placed) =>
  scope === "organisation"
    ? { default: true }
    : scope === "site"
      ? { siteId }
      : scope === "charger"
        ? { chargerId }
        : { chargerId, connectorId, evseId }

interface Branch {
  readonly key: string
  readonly label: string
  /** The assignment at this very place. */
  own: Placed | undefined
  readonly below: Map<string, Branch>
}

const connectorLabel = ({ connectorId, evseId }: { readonly evseId: number; readonly connectorId: number }): string =>
  t("connector.one", { id: connectorId === 1 ? evseId : `${evseId}/${connectorId}` })

/** The rows come in tree order, so that the branch of each row already exists. */
const treeOf = (rows: ReadonlyArray<Placed>, { chargerOf, siteOf }: ReturnType<typeof useNames>): Branch => {
  const root: Branch = { key: "", label: t("tariff.everywhere"), own: undefined, below: new Map() }
  const branch = (parent: Branch, key: string, label: () => string): Branch => {
    const known = parent.below.get(key)
    if (known !== undefined) return known
    const fresh: Branch = { key, label: label(), own: undefined, below: new Map() }
    parent.below.set(key, fresh)
    return fresh
  }
  for (const row of rows) {
    const { chargerId, connectorId, evseId, siteId } = row
    let at = root
    if (siteId !== null) at = branch(at, siteId, () => `${t("site.one")}: ${siteOf(siteId)}`)
    if (chargerId !== null) at = branch(at, chargerId, () => `${t("charger.one")}: ${chargerOf(chargerId)}`)
    if (evseId !== null && connectorId !== null) {
      at = branch(at, `${evseId}/${connectorId}`, () => connectorLabel({ evseId, connectorId }))
    }
    at.own = row
  }
  return root
}

const Node = ({
  branch,
  remove,
  show
}: {
  readonly branch: Branch
  readonly show: ((row: Placed) => ReactNode) | undefined
  readonly remove: (row: Placed) => void
}) => {
  const { below, label, own } = branch
  return (
    <li>
      <div className="tree-row">
        <span>
          <Outside>{label}</Outside>
          {show === undefined ? null : own === undefined ? (
            <small className="none"> {t("tariff.noneOfItsOwn")}</small>
          ) : (
            <b> {show(own)}</b>
          )}
        </span>
        {own === undefined ? null : (
          <Act needs={["tariffs.unassign"]} kind="small" onClick={() => remove(own)}>
            {t("action.remove")}
          </Act>
        )}
      </div>
      {below.size === 0 ? null : (
        <ul>
          {[...below.values()].map((one) => (
            <Node key={one.key} branch={one} show={show} remove={remove} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** The assignments of all tariffs, each with its tariff's name; or those of one tariff, on its page. */
export const AssignmentTree = ({ tariffId }: { readonly tariffId?: string }) => {
  const [problem, setProblem] = useState("")
  const names = useNames()
  const nameOf = useTariffNames()
  const pages = usePages("tariffs.listAssignments", {
    query: { limit: 500, ...(tariffId === undefined ? {} : { tariffId }) }
  })
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) {
    return <Failed what={t("tariff.assignmentsNotRead")} error={pages.error} retry={pages.retry} />
  }
  if (pages.isLoading) return <Loading rows={3} />
  if (pages.rows.length === 0) {
    return <p className="none">{tariffId === undefined ? t("tariff.noAssignments") : t("tariff.nowhere")}</p>
  }
  const remove = (row: Placed) =>
    void call("tariffs.unassign", { params: { tariffId: row.tariffId }, query: placeOf(row) as never })
      .then(() => changed("tariffs.listAssignments", "tariffs.ofCharger", "tariffs.assignments"))
      .catch((failure: unknown) => setProblem(problemText(failure)))
  const root = treeOf(pages.rows, names)
  // The tree of one tariff begins at the places where it is assigned.
  const top = tariffId === undefined || root.own !== undefined ? [root] : [...root.below.values()]
  return (
    <>
      {problem === "" ? null : (
        <p className="failed" role="alert">
          {problem}
        </p>
      )}
      <ul className="tree">
        {top.map((one) => (
          <Node
            key={one.key}
            branch={one}
            remove={remove}
            show={
              tariffId === undefined ? (row) => <TariffLink id={row.tariffId} name={nameOf(row.tariffId)} /> : undefined
            }
          />
        ))}
      </ul>
      <More pages={pages} />
    </>
  )
}

/** The most chargers that are offered in the browser's list. */
const offered = 2000

type Judged = NonNullable<Awaited<ReturnType<typeof call<"tariffs.ofCharger">>>>["items"][number]["assignments"][number]

/** Tariffs are made for years ahead, so a date needs its year. */
const dated = (time: string): string => `${day(Date.parse(time))} ${hourMinute(Date.parse(time))}`

const reasonOf = ({ endDateTime, startDateTime, verdict }: Judged): string =>
  verdict === "NotYetValid" && startDateTime !== null
    ? t("tariff.notBefore", { at: dated(startDateTime) })
    : verdict === "Ended" && endDateTime !== null
      ? t("tariff.endedAt", { at: dated(endDateTime) })
      : word("tariffVerdict", verdict)

export const WhichTariff = () => {
  const missing = missingFor(useMe(), "tariffs.ofCharger")
  const { rows } = useLive()
  const [filters, set] = useFilters()
  const nameOf = useTariffNames()
  const chargerId = filters["charger"] ?? ""
  const at = filters["at"] ?? ""
  const { data, error, refetch } = useQuery({
    queryKey: ["tariffs.ofCharger", chargerId, at],
    enabled: chargerId !== "" && missing.length === 0,
    queryFn: () =>
      call("tariffs.ofCharger", {
        params: { chargerId },
        query: at === "" ? {} : { at: new Date(at).toISOString() as never }
      })
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  return (
    <section className="why" aria-label={t("tariff.which")}>
      <h2>{t("tariff.which")}</h2>
      <p className="secondary">{t("tariff.whichText")}</p>
      <div className="filters">
        <label className="date">
          <span>{t("charger.one")}</span>
          <select value={chargerId} onChange={({ target }) => set({ charger: target.value })}>
            <option value="">{t("tariff.choose")}</option>
            {rows.slice(0, offered).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="date">
          <span>{t("tariff.exampleStart")}</span>
          <input type="datetime-local" value={at} onChange={({ target }) => set({ at: target.value })} />
        </label>
      </div>
      {error === null ? null : (
        <Failed what={t("tariff.assignmentsNotRead")} error={error} retry={() => void refetch()} />
      )}
      <div aria-live="polite">
        {chargerId === "" || data === undefined
          ? null
          : data.items.map((one) => (
              <article key={`${one.evseId}/${one.connectorId}`} className="card">
                <h3>
                  {connectorLabel(one)}
                  {": "}
                  {one.tariffId === null ? (
                    <Pill tone="off">{t("tariff.unpriced")}</Pill>
                  ) : (
                    <>
                      <TariffLink id={one.tariffId} name={nameOf(one.tariffId)} />
                      <small> v{one.version}</small>
                    </>
                  )}
                </h3>
                <ul className="checks">
                  {one.assignments.map((each) => (
                    <li key={each.scope} className={each.verdict === "Applies" ? "" : "secondary"}>
                      <span aria-hidden="true">{each.verdict === "Applies" ? "✓" : "–"}</span>{" "}
                      {word("tariffScope", each.scope)}: <Outside>{nameOf(each.tariffId)}</Outside> v{each.version} ·{" "}
                      {reasonOf(each)}
                    </li>
                  ))}
                  {one.assignments.length === 0 ? <li>{t("tariff.noneAround")}</li> : null}
                </ul>
              </article>
            ))}
      </div>
    </section>
  )
}

/** The second view of the tariffs page. */
export const Places = () => (
  <div className="places">
    <WhichTariff />
    <section aria-label={t("tariff.places")}>
      <h2>{t("tariff.places")}</h2>
      <AssignmentTree />
    </section>
  </div>
)
