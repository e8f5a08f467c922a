/** Which sessions a new version of a tariff applies to, and how many keep the version that they began under, as counted by the service. */
import { useQuery } from "@tanstack/react-query"
import { call } from "../../api/client.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { problemText } from "../../parts/States.tsx"
import { t, tn } from "../../text/text.ts"

export const Keeping = ({ tariffId, version }: { readonly tariffId: string; readonly version: number }) => {
  const missing = missingFor(useMe(), "tariffs.runningSessions")
  const { data, error } = useQuery({
    queryKey: ["tariffs.runningSessions", tariffId],
    enabled: missing.length === 0,
    queryFn: () => call("tariffs.runningSessions", { params: { tariffId } })
  })
  const items = data?.items ?? []
  const [sessions, reservations] = items.reduce(
    ([some, others], one) => [some + one.sessions, others + one.reservations],
    [0, 0]
  )
  const by = items.map((one) => t("tariff.keepVersion", { n: one.version, count: one.sessions + one.reservations }))
  return (
    <div className="secondary" role="status">
      <p>{t("tariff.saveText", { n: version + 1 })}</p>
      {missing.length > 0 ? (
        <p>{t("state.needs", { permissions: missing.join(", ") })}</p>
      ) : error !== null ? (
        <p>
          {t("tariff.keepNotRead")} {problemText(error)}
        </p>
      ) : data === undefined ? null : items.length === 0 ? (
        <p>{t("tariff.keepNone")}</p>
      ) : (
        <p>
          {sessions === 0 ? null : <b>{tn("tariff.keep", sessions)}</b>}{" "}
          {reservations === 0 ? null : <b>{tn("tariff.keepReserved", reservations)}</b>} {by.join(" · ")}
        </p>
      )}
    </div>
  )
}
