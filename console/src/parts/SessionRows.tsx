/** Sessions in one line each: when, what, and the outcome. */
import { Link } from "@tanstack/react-router"
import type { Session } from "../api/types.ts"
import { t, word } from "../text/text.ts"
import { Outside } from "./Facts.tsx"
import { kwh, money } from "./format.ts"
import type { Pages } from "./pages.ts"
import { Failed, Loading, NotPermitted } from "./States.tsx"
import { Moment } from "./Time.tsx"

export const SessionRows = ({
  none,
  pages,
  show
}: {
  readonly pages: Pages<Session>
  readonly none: string
  /** What distinguishes the sessions in this list: the card at a charger, the charger of a card. */
  readonly show: (session: Session) => string
}) => {
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("session.notRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={3} />
  if (pages.rows.length === 0) return <p className="none">{none}</p>
  return (
    <ul className="rows">
      {pages.rows.map((session) => (
        <li key={session.id}>
          <Link to={`/sessions/${session.id}` as never} search={{} as never}>
            <Moment at={session.startedAt} /> · {word("sessionStatus", session.status)} ·{" "}
            <Outside>{show(session)}</Outside>
          </Link>
          <span>
            {kwh(session.energyWh)} kWh
            {session.cost === null ? null : <> · {money(session.cost.inclVat, session.cost.currency)}</>}
          </span>
        </li>
      ))}
    </ul>
  )
}
