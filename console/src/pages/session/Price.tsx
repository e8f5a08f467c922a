/** Why a session or record costs what it costs, as explained by the service's pricing engine. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { call } from "../../api/client.ts"
import { Outside } from "../../parts/Facts.tsx"
import { PriceLines } from "../../parts/PriceLines.tsx"
import { Failed, Loading } from "../../parts/States.tsx"
import { t, word } from "../../text/text.ts"

export const Price = ({ id, of }: { readonly of: "session" | "cdr"; readonly id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: of === "session" ? ["sessions.price", id] : ["cdrs.price", id],
    queryFn: () =>
      of === "session"
        ? call("sessions.price", { params: { sessionId: id } })
        : call("cdrs.price", { params: { cdrId: id } })
  })
  if (error !== null) return <Failed what={t("price.notRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={3} />
  const { currency, held, lines, provisional, tariff, total } = data
  return (
    <>
      {held === null ? null : <p className="notice">{word("heldReason", held)}</p>}
      {tariff === null || currency === null ? (
        <p className="none">{held === null ? t("price.none") : t("price.heldNone")}</p>
      ) : (
        <>
          <p className="secondary">
            {t("price.by")}{" "}
            <Link to={`/tariffs/${tariff.id}` as never} search={{} as never}>
              <Outside>{tariff.name ?? tariff.id.slice(0, 8)}</Outside>
            </Link>{" "}
            · {t("tariff.version", { n: tariff.version })}
            {provisional ? ` · ${t("price.provisional")}` : null}
          </p>
          <PriceLines lines={lines} currency={currency} total={total} />
        </>
      )}
    </>
  )
}
