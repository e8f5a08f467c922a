/** What a new organisation does until its first charge record. Each step is also an ordinary page, and is marked when it is done. */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { unnamedOrganisation } from "../../../src/domain/operator/Unnamed.ts"
import { may, useMe } from "../app/me.ts"
import { useLive } from "../live/store.ts"
import { Icon } from "../parts/Icon.tsx"
import { usePages } from "../parts/pages.ts"
import { t } from "../text/text.ts"

const closedAt = (organisationId: string): string => `voltlane.first-steps.${organisationId}`

const wasClosed = (organisationId: string): boolean => {
  try {
    return localStorage.getItem(closedAt(organisationId)) === "closed"
  } catch {
    return false
  }
}

/** True until there is a charge record, or a person has closed the steps in this browser. */
export const useIsBeginning = (): readonly [isBeginning: boolean, close: () => void] => {
  const me = useMe()
  const { id } = me.organisation
  const [isClosed, setClosed] = useState(() => wasClosed(id))
  const mayLook = may(me, "cdrs.list") && may(me, "chargers.create")
  const { error, isLoading, rows } = usePages("cdrs.list", { query: { limit: 1 } }, mayLook && !isClosed)
  const close = () => {
    setClosed(true)
    try {
      localStorage.setItem(closedAt(id), "closed")
    } catch {
      // A browser without storage shows them again at the next visit.
    }
  }
  return [mayLook && !isClosed && !isLoading && error === null && rows.length === 0, close]
}

export const FirstSteps = ({ onClose }: { readonly onClose?: (() => void) | undefined }) => {
  const me = useMe()
  const { rows } = useLive()
  const sites = usePages("sites.list", { query: { limit: 1 } }, may(me, "sites.list"))
  const tariffs = usePages("tariffs.list", { query: { limit: 1 } }, may(me, "tariffs.list"))
  const places = usePages("tariffs.listAssignments", { query: { limit: 1 } }, may(me, "tariffs.listAssignments"))
  const cards = usePages("tokens.list", { query: { limit: 1 } }, may(me, "tokens.list"))
  const sessions = usePages("sessions.list", { query: { limit: 1 } }, may(me, "sessions.list"))
  const first = rows.find(({ connected }) => connected) ?? rows.find(({ everConnected }) => everConnected) ?? rows[0]
  const [tariff] = tariffs.rows
  const ofFirst = first === undefined ? "/chargers" : `/chargers/${encodeURIComponent(first.id)}`
  const steps = [
    {
      label: t("first.organisation"),
      to: "/settings",
      search: {},
      isDone: me.organisation.name !== unnamedOrganisation
    },
    { label: t("first.site"), to: "/sites", search: { do: "add" }, isDone: sites.rows.length > 0 },
    { label: t("first.charger"), to: "/chargers", search: { do: "add" }, isDone: rows.length > 0 },
    { label: t("first.connect"), to: ofFirst, search: {}, isDone: rows.some(({ everConnected }) => everConnected) },
    { label: t("first.card"), to: "/cards", search: { do: "add" }, isDone: cards.rows.length > 0 },
    { label: t("first.tariff"), to: "/tariffs", search: { do: "add" }, isDone: tariffs.rows.length > 0 },
    {
      label: t("first.assign"),
      to: tariff === undefined ? "/tariffs" : `/tariffs/${tariff.id}`,
      search: {},
      isDone: places.rows.length > 0
    },
    {
      label: t("first.session"),
      to: ofFirst,
      search: first?.connected === true ? { do: "start" } : {},
      isDone: sessions.rows.length > 0
    },
    { label: t("first.record"), to: "/cdrs", search: {}, isDone: false }
  ]
  return (
    <section className="card narrow first-steps" aria-label={t("overview.begin")}>
      <header className="section-head">
        <h2>{t("overview.begin")}</h2>
        {onClose === undefined ? null : (
          <button
            type="button"
            className="ghost"
            aria-label={t("first.close")}
            title={t("first.close")}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        )}
      </header>
      <p className="secondary">{t("overview.beginText")}</p>
      <ol className="steps">
        {steps.map(({ isDone, label, search, to }) => (
          <li key={label} className={isDone ? "done" : ""}>
            <Link to={to as never} search={search as never}>
              {label}
            </Link>
            <span className="hide">{isDone ? t("connect.done") : t("connect.waiting")}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
