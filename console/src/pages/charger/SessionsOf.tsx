/** The latest sessions of one charger. */
import { Link } from "@tanstack/react-router"
import { usePages } from "../../parts/pages.ts"
import { SessionRows } from "../../parts/SessionRows.tsx"
import { t } from "../../text/text.ts"

export const SessionsOf = ({ chargerId }: { readonly chargerId: string }) => {
  const pages = usePages("sessions.list", { query: { chargerId, limit: 20 } })
  return (
    <>
      <SessionRows pages={pages} none={t("session.noneHere")} show={({ tokenUid }) => tokenUid} />
      {pages.hasMore ? (
        <Link className="button small" to={"/sessions" as never} search={{ charger: chargerId } as never}>
          {t("session.all")}
        </Link>
      ) : null}
    </>
  )
}
