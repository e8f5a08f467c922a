/** The audit log: who changed what, with the values before and after. */
import { useState } from "react"
import { Outside } from "../parts/Facts.tsx"
import { FilterField, Head, More, useTitle } from "../parts/Page.tsx"
import { useFilters, usePages } from "../parts/pages.ts"
import { Empty, Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Moment } from "../parts/Time.tsx"
import { actionText, useActors } from "../parts/actors.ts"
import { periodOf } from "../parts/period.ts"
import { t } from "../text/text.ts"

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string =>
  value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value)

/** The fields that differ. */
const differences = (before: Fields | undefined, after: Fields | undefined) =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].flatMap((key) => {
    const [old, fresh] = [text(before?.[key]), text(after?.[key])]
    return old === fresh ? [] : [{ key, old, fresh }]
  })

export const AuditLog = () => {
  const [filters, set] = useFilters()
  const [open, setOpen] = useState("")
  const nameOf = useActors()
  useTitle(t("place.audit"))
  const { action, actor, from, subject } = filters
  const query = {
    ...(subject === undefined ? {} : { subject }),
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...periodOf(from, undefined)
  }
  const pages = usePages("audit-log.list", { query })
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  return (
    <section className="page scrolls" aria-label={t("place.audit")}>
      <Head title={t("place.audit")} summary={t("audit.about")} />
      <div className="filters">
        <FilterField name="actor" label={t("audit.actor")} />
        <input
          className="small-field"
          aria-label={t("audit.action")}
          placeholder={t("audit.action")}
          value={action ?? ""}
          onChange={({ target }) => set({ action: target.value })}
        />
        <input
          className="small-field"
          aria-label={t("audit.subject")}
          placeholder={t("audit.subject")}
          value={subject ?? ""}
          onChange={({ target }) => set({ subject: target.value })}
        />
        <label className="date">
          <span>{t("filter.from")}</span>
          <input type="date" value={from ?? ""} onChange={({ target }) => set({ from: target.value })} />
        </label>
      </div>
      {pages.error === null ? null : <Failed what={t("audit.notRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading /> : null}
      {!pages.isLoading && pages.error === null && pages.rows.length === 0 ? (
        <Empty title={t("filter.none")} text={t("audit.noneText")} />
      ) : null}
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.id} className="stacked">
            <button
              type="button"
              className="log-line"
              aria-expanded={open === one.id}
              onClick={() => setOpen(open === one.id ? "" : one.id)}
            >
              <span>
                <Moment at={one.at} /> <b>{actionText(one.action)}</b> <Outside mono>{one.subject}</Outside>
              </span>
              <small>
                <Outside>{nameOf(one.actor)}</Outside>
              </small>
            </button>
            {open === one.id ? (
              <table className="plain">
                <tbody>
                  {differences(one.before as Fields | undefined, one.after as Fields | undefined).map(
                    ({ fresh, key, old }) => (
                      <tr key={key}>
                        <td>{key}</td>
                        <td className="was">
                          <Outside>{old}</Outside>
                        </td>
                        <td>
                          <Outside>{fresh}</Outside>
                        </td>
                      </tr>
                    )
                  )}
                </tbody>
              </table>
            ) : null}
          </li>
        ))}
      </ul>
      <More pages={pages} />
    </section>
  )
}
