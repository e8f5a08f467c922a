/** The latest sessions of one charger. */
import { Link } from "@tanstack/react-router"
import { Outside } from "../../parts/Facts.tsx"
import { kwh, money } from "../../parts/format.ts"
import { usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t, word } from "../../text/text.ts"

export const SessionsOf = ({ chargerId }: { readonly chargerId: string }) => {
  const pages = usePages("sessions.list", { query: { chargerId, limit: 20 } })
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("session.notRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={3} />
  if (pages.rows.length === 0) return <p className="none">{t("session.noneHere")}</p>
  return (
    <>
      <ul className="rows">
        {pages.rows.map((session) => (
          <li key={session.id}>
            <Link to={`/sessions/${session.id}` as never} search={{} as never}>
              <Moment at={session.startedAt} /> · {word("sessionStatus", session.status)} ·{" "}
              <Outside>{session.tokenUid}</Outside>
            </Link>
            <span>
              {kwh(session.energyWh)} kWh
              {session.cost === null ? null : <> · {money(session.cost.inclVat, session.cost.currency)}</>}
            </span>
          </li>
        ))}
      </ul>
      {pages.hasMore ? (
        <Link className="button small" to={"/sessions" as never} search={{ charger: chargerId } as never}>
          {t("session.all")}
        </Link>
      ) : null}
    </>
  )
}
