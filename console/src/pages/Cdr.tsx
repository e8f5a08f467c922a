/** One charge record: its parts, the tariff by which it was billed, and its credit. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { changed } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts, Outside } from "../parts/Facts.tsx"
import { Form } from "../parts/Form.tsx"
import { duration, exact, money } from "../parts/format.ts"
import { Side, useOpen, useTitle } from "../parts/Page.tsx"
import { PriceLines } from "../parts/PriceLines.tsx"
import { Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Moment } from "../parts/Time.tsx"
import { t } from "../text/text.ts"
import { Price } from "./session/Price.tsx"

/** Hours as a duration, to the second: the record gives them with four decimals. Negative in a credit. */
const hours = (n: number): string => `${n < 0 ? "−" : ""}${duration(Math.abs(Math.round(n * 3600)) * 1000)}`

export const Cdr = () => {
  const id = useOpen() ?? ""
  const me = useMe()
  const missing = missingFor(me, "cdrs.get")
  const go = useNavigate()
  const [isCrediting, setCrediting] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ["cdrs.get", id],
    enabled: missing.length === 0,
    queryFn: () => call("cdrs.get", { params: { cdrId: id } })
  })
  const { data: others } = useQuery({
    queryKey: ["cdrs.list", "of session", data?.sessionId],
    enabled: data !== undefined && missingFor(me, "cdrs.list").length === 0,
    queryFn: () => call("cdrs.list", { query: { sessionId: data?.sessionId ?? "", limit: 500 } })
  })
  const credit = others?.items.find(({ creditReferenceId }) => creditReferenceId === id)
  const credited = others?.items.find((one) => one.id === data?.creditReferenceId)
  useTitle(data === undefined ? t("place.cdrs") : t("cdr.title", { number: data.number }))
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const frame = { back: "/cdrs", label: t("cdr.one") }
  if (data === undefined) {
    return (
      <Side {...frame} title={t("cdr.one")}>
        {error === null ? <Loading /> : <Failed what={t("cdr.notRead")} error={error} retry={() => void refetch()} />}
      </Side>
    )
  }
  const { currency } = data
  return (
    <Side
      {...frame}
      history={`cdr:${data.id}`}
      title={
        <>
          {t("cdr.title", { number: data.number })} · {money(data.totalCost.inclVat, currency)}
        </>
      }
      sub={
        <>
          <Outside>{data.location?.siteName ?? ""}</Outside> ·{" "}
          <Outside>{data.location?.chargerName ?? data.chargerId}</Outside>
        </>
      }
      acts={
        <>
          <Act
            needs={["cdrs.credit"]}
            off={data.creditReferenceId !== null || credit !== undefined}
            onClick={() => setCrediting(true)}
          >
            {t("cdr.creditThis")}
          </Act>
          <Link className="button" to={`/sessions/${data.sessionId}` as never} search={{} as never}>
            {t("session.one")}
          </Link>
          {data.roaming === null ? null : (
            <Link
              className="button"
              to={`/roaming/${data.roaming.partnerId}` as never}
              search={{ tab: "view" } as never}
            >
              {t("cdr.atPartner")}
            </Link>
          )}
        </>
      }
    >
      {data.creditReferenceId === null ? null : (
        <p className="notice">
          {t("cdr.isCredit")} {credited === undefined ? null : <ToRecord record={credited} />}
        </p>
      )}
      {credit === undefined ? null : (
        <p className="notice">
          {t("cdr.isCredited")} <ToRecord record={credit} />
        </p>
      )}
      <Price of="cdr" id={data.id} />
      <Facts
        rows={[
          [t("session.started"), <Moment key="started" at={data.startedAt} />],
          [t("session.ended"), <Moment key="ended" at={data.endedAt} />],
          [t("session.energy"), `${exact(data.totalEnergyKwh)} kWh`],
          [t("cdr.time"), hours(data.totalTimeHours)],
          [t("cdr.parking"), hours(data.totalParkingTimeHours)],
          [
            t("card.one"),
            <Link key="card" to={`/cards/${encodeURIComponent(data.tokenUid)}` as never} search={{} as never}>
              <Outside mono>{data.tokenUid}</Outside>
            </Link>
          ],
          [
            t("tariff.one"),
            data.tariff === null ? null : (
              <Link key="tariff" to={`/tariffs/${data.tariff.id}` as never} search={{} as never}>
                {t("tariff.version", { n: data.tariff.version })}
              </Link>
            )
          ],
          [t("cdr.id"), <code key="id">{data.id}</code>]
        ]}
      />
      {isCrediting ? (
        <Dialog title={t("cdr.creditThis")} onClose={() => setCrediting(false)} wide>
          <Form
            danger
            submit={t("cdr.creditThis")}
            onCancel={() => setCrediting(false)}
            onSubmit={async () => {
              const credit = await call("cdrs.credit", { params: { cdrId: id } })
              changed("cdrs.list", "cdrs.get", "cdrs.creditPreview")
              setCrediting(false)
              void go({ to: `/cdrs/${credit.id}` as never })
            }}
          >
            <p>{t("cdr.creditText", { amount: money(data.totalCost.inclVat, currency) })}</p>
            <section>
              <h3>{t("cdr.title", { number: data.number })}</h3>
              <Price of="cdr" id={id} />
            </section>
            <section>
              <h3>{t("cdr.creditToBe")}</h3>
              <CreditToBe id={id} />
            </section>
          </Form>
        </Dialog>
      ) : null}
    </Side>
  )
}

const ToRecord = ({ record }: { readonly record: { readonly id: string; readonly number: number } }) => (
  <Link to={`/cdrs/${record.id}` as never} search={{} as never}>
    {t("cdr.title", { number: record.number })}
  </Link>
)

/** A preview of the credit that the service would issue. */
const CreditToBe = ({ id }: { readonly id: string }) => {
  const { data, error } = useQuery({
    queryKey: ["cdrs.creditPreview", id],
    queryFn: () => call("cdrs.creditPreview", { params: { cdrId: id } })
  })
  if (error !== null) return <Failed what={t("cdr.creditNotRead")} error={error} />
  if (data === undefined) return <Loading rows={3} />
  if (data.currency === null) return <p className="none">{t("price.none")}</p>
  return <PriceLines lines={data.lines} currency={data.currency} total={data.total} />
}
