/** What a new organisation does first: each step is also an ordinary page, and is marked when it is done. */
import { Link } from "@tanstack/react-router"
import { may, useMe } from "../app/me.ts"
import { useLive } from "../live/store.ts"
import { usePages } from "../parts/pages.ts"
import { t } from "../text/text.ts"

export const FirstSteps = () => {
  const me = useMe()
  const { rows } = useLive()
  const sites = usePages("sites.list", { query: { limit: 1 } }, may(me, "sites.list"))
  const tariffs = usePages("tariffs.list", { query: { limit: 1 } }, may(me, "tariffs.list"))
  const cards = usePages("tokens.list", { query: { limit: 1 } }, may(me, "tokens.list"))
  const sessions = usePages("sessions.list", { query: { limit: 1 } }, may(me, "sessions.list"))
  const steps = [
    { label: t("first.organisation"), to: "/settings", search: {}, isDone: me.organisation.name !== "" },
    { label: t("first.site"), to: "/sites", search: { do: "add" }, isDone: sites.rows.length > 0 },
    { label: t("first.charger"), to: "/chargers", search: { do: "add" }, isDone: rows.length > 0 },
    {
      label: t("first.connect"),
      to: rows[0] === undefined ? "/chargers" : `/chargers/${encodeURIComponent(rows[0].id)}`,
      search: {},
      isDone: rows.some(({ everConnected }) => everConnected)
    },
    { label: t("first.card"), to: "/cards", search: { do: "add" }, isDone: cards.rows.length > 0 },
    { label: t("first.tariff"), to: "/tariffs", search: { do: "add" }, isDone: tariffs.rows.length > 0 },
    { label: t("first.session"), to: "/sessions", search: {}, isDone: sessions.rows.length > 0 }
  ]
  return (
    <section className="card narrow" aria-label={t("overview.begin")}>
      <h2>{t("overview.begin")}</h2>
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
