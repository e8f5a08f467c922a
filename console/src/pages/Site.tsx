/** One site: whether partners see it and what is missing for that, its chargers, and its address. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { changed, useLive } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts, Outside } from "../parts/Facts.tsx"
import { Form } from "../parts/Form.tsx"
import { kw } from "../parts/format.ts"
import { Side, useOpen, useTitle } from "../parts/Page.tsx"
import { Spark } from "../parts/Spark.tsx"
import { Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Pill, Status } from "../parts/Status.tsx"
import { t, tn, word } from "../text/text.ts"
import { seenByPartners, SiteForm } from "./Sites.tsx"

export const Site = () => {
  const id = useOpen() ?? ""
  const missing = missingFor(useMe(), "sites.get")
  const go = useNavigate()
  const { rows } = useLive()
  const [open, setOpen] = useState<"edit" | "remove" | undefined>()
  const { data, error, refetch } = useQuery({
    queryKey: ["sites.get", id],
    enabled: missing.length === 0,
    queryFn: () => call("sites.get", { params: { siteId: id } })
  })
  useTitle(data?.name ?? t("site.one"))
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const frame = { back: "/sites", label: t("site.one") }
  if (error !== null) {
    return (
      <Side {...frame} title={t("site.one")}>
        <Failed what={t("site.notRead")} error={error} retry={() => void refetch()} />
      </Side>
    )
  }
  if (data === undefined) {
    return (
      <Side {...frame} title={t("site.one")}>
        <Loading />
      </Side>
    )
  }
  const own = rows.filter(({ siteId }) => siteId === id)
  const power = own.reduce((sum, { powerW }) => sum + (powerW ?? 0), 0)
  const lacks = data.ocpi.missing
  const [tone, seen] = seenByPartners(data)
  const close = () => setOpen(undefined)
  return (
    <Side
      {...frame}
      history={`site:${id}`}
      title={<Outside>{data.name}</Outside>}
      sub={[data.streetAddress, data.streetNumber, data.city].filter(Boolean).join(" ")}
      acts={
        <>
          <Act needs={["sites.update"]} onClick={() => setOpen("edit")}>
            {t("action.edit")}
          </Act>
          <Act needs={["sites.remove"]} onClick={() => setOpen("remove")}>
            {t("action.remove")}
          </Act>
        </>
      }
    >
      <p>
        <Pill tone={tone}>
          {tone === "wait" && lacks.length > 0
            ? `${seen}: ${t("site.lacks", { what: lacks.map((one) => word("siteLacks", one)).join(", ") })}`
            : seen}
        </Pill>
      </p>
      <Facts
        rows={[
          [t("charger.power"), `${kw(power)} kW`],
          [t("field.timeZone"), data.timeZone],
          [t("site.country"), data.country],
          [
            t("site.coordinates"),
            data.latitude === null || data.longitude === null ? null : `${data.latitude}, ${data.longitude}`
          ],
          [
            t("site.hours"),
            data.openingHours === null
              ? null
              : data.openingHours.twentyfourseven
                ? t("site.always")
                : t("site.someHours", { n: data.openingHours.regularHours?.length ?? 0 })
          ],
          [t("site.id"), <code key="id">{data.id}</code>]
        ]}
      />
      {own.length === 0 ? null : <Spark days={30} siteId={id} />}
      <h2>{tn("site.chargers", own.length)}</h2>
      <ul className="rows">
        {own.map((row) => (
          <li key={row.id}>
            <Link to={`/chargers/${encodeURIComponent(row.id)}` as never} search={{} as never}>
              <b>
                <Outside>{row.name}</Outside>
              </b>{" "}
              <code>{row.id}</code>
            </Link>
            <Status state={row.state} />
          </li>
        ))}
      </ul>
      <div className="acts">
        <Link className="button small" to={"/sessions" as never} search={{ site: id } as never}>
          {t("place.sessions")}
        </Link>
      </div>
      {open === "edit" ? (
        <Dialog title={data.name} onClose={close}>
          <SiteForm
            site={data}
            submit={t("action.save")}
            onCancel={close}
            onSubmit={async (body) => {
              await call("sites.update", { params: { siteId: id }, body })
              changed("sites.list", "sites.get")
              close()
            }}
          />
        </Dialog>
      ) : null}
      {open === "remove" ? (
        <Dialog title={t("site.remove", { name: data.name })} onClose={close}>
          <Form
            danger
            submit={t("action.remove")}
            onCancel={close}
            onSubmit={async () => {
              await call("sites.remove", { params: { siteId: id } })
              changed("sites.list")
              void go({ to: "/sites" as never })
            }}
          >
            <p>{t("site.removeText")}</p>
          </Form>
        </Dialog>
      ) : null}
    </Side>
  )
}
