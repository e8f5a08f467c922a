/** One tariff: its elements, where it applies, its warnings, and its next version. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { changed } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Outside } from "../parts/Facts.tsx"
import { Form } from "../parts/Form.tsx"
import { exact } from "../parts/format.ts"
import { Side, useOpen, useTitle } from "../parts/Page.tsx"
import { Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { t, word } from "../text/text.ts"
import { Assign } from "./tariff/Assign.tsx"
import { Example } from "./tariff/Example.tsx"
import { AssignmentTree } from "./tariff/Places.tsx"
import { isSimple, TariffDialog } from "./tariff/TariffDialog.tsx"
import { Week } from "./tariff/Week.tsx"
import { componentText, restrictionText, tariffName } from "./Tariffs.tsx"

export const Tariff = () => {
  const id = useOpen() ?? ""
  const missing = missingFor(useMe(), "tariffs.get")
  const go = useNavigate()
  const [open, setOpen] = useState<"edit" | "remove" | "assign" | undefined>()
  const { data, error, refetch } = useQuery({
    queryKey: ["tariffs.get", id],
    enabled: missing.length === 0,
    queryFn: () => call("tariffs.get", { params: { tariffId: id } })
  })
  useTitle(data === undefined ? t("tariff.one") : tariffName(data))
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const frame = { back: "/tariffs", label: t("tariff.one") }
  if (data === undefined) {
    return (
      <Side {...frame} title={t("tariff.one")}>
        {error === null ? (
          <Loading />
        ) : (
          <Failed what={t("tariff.notRead")} error={error} retry={() => void refetch()} />
        )}
      </Side>
    )
  }
  const close = () => setOpen(undefined)
  return (
    <Side
      {...frame}
      history={`tariff:${id}`}
      title={<Outside>{tariffName(data)}</Outside>}
      sub={`${data.currency} · ${t("tariff.version", { n: data.version })}`}
      acts={
        <>
          <Act needs={["tariffs.update"]} kind="main" off={!isSimple(data)} onClick={() => setOpen("edit")}>
            {t("tariff.newVersion")}
          </Act>
          <Act needs={["tariffs.assign"]} onClick={() => setOpen("assign")}>
            {t("tariff.assign")}
          </Act>
          <Act needs={["tariffs.remove"]} onClick={() => setOpen("remove")}>
            {t("action.remove")}
          </Act>
        </>
      }
    >
      {isSimple(data) ? null : <p className="secondary">{t("tariff.byApi")}</p>}
      {data.warnings.map(({ detail, pointer }) => (
        <p key={pointer} className="notice">
          {detail}
        </p>
      ))}
      <table className="plain">
        <thead>
          <tr>
            <th>{t("tariff.elements")}</th>
            <th>{t("tariff.price")}</th>
            <th className="num">{t("tariff.step")}</th>
          </tr>
        </thead>
        <tbody>
          {data.elements.map(({ priceComponents, restrictions }, index) =>
            priceComponents.map((one) => (
              <tr key={`${index}.${one.type}`}>
                <td>
                  {index + 1} {word("dimension", one.type)}
                  <small> {restrictionText(restrictions)}</small>
                </td>
                <td>
                  {componentText(one, data.currency)}
                  {one.vat === undefined ? null : <small> {t("tariff.plusVat", { vat: exact(one.vat) })}</small>}
                </td>
                <td className="num">{exact(one.stepSize)}</td>
              </tr>
            ))
          )}
        </tbody>
      </table>
      <Week tariff={data as never} />
      <Example body={() => data as never} />
      <Assignments tariffId={id} />
      {open === "edit" ? <TariffDialog tariff={data} onClose={close} /> : null}
      {open === "assign" ? <Assign tariffId={id} onClose={close} /> : null}
      {open === "remove" ? (
        <Dialog title={t("tariff.remove")} onClose={close}>
          <Form
            danger
            submit={t("action.remove")}
            onCancel={close}
            onSubmit={async () => {
              await call("tariffs.remove", { params: { tariffId: id } })
              changed("tariffs.list")
              void go({ to: "/tariffs" as never })
            }}
          >
            <p>{t("tariff.removeText")}</p>
          </Form>
        </Dialog>
      ) : null}
    </Side>
  )
}

const Assignments = ({ tariffId }: { readonly tariffId: string }) => {
  const { data } = useQuery({
    queryKey: ["tariffs.assignments", tariffId],
    queryFn: () => call("tariffs.assignments", { params: { tariffId } })
  })
  return (
    <section>
      <h2>{t("tariff.appliesTo")}</h2>
      <AssignmentTree tariffId={tariffId} />
      {data?.warnings.map(({ detail, pointer }) => (
        <p key={pointer} className="notice">
          {detail}
        </p>
      ))}
    </section>
  )
}
