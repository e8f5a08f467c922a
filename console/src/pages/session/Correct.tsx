/** Correcting a session: the figures, a preview of the records that the service would issue for them, and the reason. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { call } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Form, TextField } from "../../parts/Form.tsx"
import { exact, kwh, money } from "../../parts/format.ts"
import { PriceLines } from "../../parts/PriceLines.tsx"
import { Failed, Loading } from "../../parts/States.tsx"
import { t } from "../../text/text.ts"

export type Correctable = Pick<Answer<"sessions.get">, "id" | "energyWh" | "startedAt" | "endedAt" | "cost">

const local = (iso: string | null): string => {
  if (iso === null) return ""
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

interface Typed {
  readonly energyKwh: string
  readonly startedAt: string
  readonly endedAt: string
}

/** The input in the service's form; unchanged values are left out. */
const figuresOf = (session: Correctable, { endedAt, energyKwh, startedAt }: Typed) => ({
  ...(energyKwh === "" || Number(energyKwh) * 1000 === session.energyWh
    ? {}
    : { energyWh: Math.round(Number(energyKwh) * 1000) }),
  ...(startedAt === "" || startedAt === local(session.startedAt)
    ? {}
    : { startedAt: new Date(startedAt).toISOString() }),
  ...(endedAt === "" || endedAt === local(session.endedAt) ? {} : { endedAt: new Date(endedAt).toISOString() })
})

type Figures = ReturnType<typeof figuresOf>

/** Time after the last keystroke before the preview is requested. */
const settleMillis = 300

const useSettled = (figures: Figures): Figures => {
  const [settled, setSettled] = useState(figures)
  const key = JSON.stringify(figures)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as Figures), settleMillis)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}

export const Correct = ({
  onClose,
  onDone,
  session
}: {
  readonly session: Correctable
  readonly onClose: () => void
  /** Gets the price after the correction. */
  readonly onDone: (cost: Answer<"sessions.get">["cost"]) => void
}) => {
  const [typed, setTyped] = useState<Typed>({
    energyKwh: String(session.energyWh / 1000),
    startedAt: local(session.startedAt),
    endedAt: local(session.endedAt)
  })
  const figures = figuresOf(session, typed)
  const field = (name: keyof Typed) => ({
    name,
    value: typed[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: target.value })
  })
  return (
    <Dialog title={t("held.correct")} onClose={onClose} wide>
      <Form
        submit={t("held.correct")}
        onCancel={onClose}
        fields={["energyWh", "startedAt", "endedAt", "reason"]}
        onSubmit={async (values) => {
          const body = { reason: values.text("reason"), ...figures }
          const { cost } = await call("sessions.correct", { params: { sessionId: session.id }, body })
          onDone(cost)
        }}
      >
        <p className="secondary">{t("held.was", { kwh: kwh(session.energyWh) })}</p>
        <TextField {...field("energyKwh")} label={t("held.energy")} type="number" step="0.001" min="0" />
        <div className="field-pair">
          <TextField {...field("startedAt")} label={t("session.started")} type="datetime-local" step="1" />
          <TextField {...field("endedAt")} label={t("session.ended")} type="datetime-local" step="1" />
        </div>
        <TextField name="reason" label={t("held.reason")} hint={t("held.reasonHint")} required maxLength={200} />
        <Preview id={session.id} figures={useSettled(figures)} />
      </Form>
    </Dialog>
  )
}

const Records = ({ preview }: { readonly preview: Answer<"sessions.correctionPreview"> }) => {
  const { bill, change, credits } = preview
  if (change === null) return <p className="none">{t("correction.none")}</p>
  return (
    <>
      {credits.length === 0 ? <p className="secondary">{t("correction.noCredit")}</p> : null}
      {credits.map(({ number, price, recordId }) => (
        <section key={recordId}>
          <h3>{t("correction.credit", { number })}</h3>
          <PriceLines lines={price.lines} currency={change.currency} total={price.total} />
        </section>
      ))}
      {bill === null ? null : (
        <section>
          <h3>{t("correction.bill")}</h3>
          <PriceLines lines={bill.lines} currency={change.currency} total={bill.total} />
        </section>
      )}
      <p role="status">
        {t("correction.change")} <b>{money(change.inclVat, change.currency)}</b>{" "}
        <small>{t("price.net", { amount: exact(change.exclVat) })}</small>
      </p>
    </>
  )
}

/** The records that the service would issue, and what changes by them. */
const Preview = ({ figures, id }: { readonly id: string; readonly figures: Figures }) => {
  const missing = missingFor(useMe(), "sessions.correctionPreview")
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["sessions.correctionPreview", id, figures],
    enabled: missing.length === 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call("sessions.correctionPreview", { params: { sessionId: id }, query: figures }, signal)
  })
  if (missing.length > 0) return <p className="none">{t("state.needs", { permissions: missing.join(", ") })}</p>
  if (error !== null) return <Failed what={t("correction.notRead")} error={error} />
  if (data === undefined) return <Loading rows={3} />
  return (
    <section aria-label={t("correction.title")} aria-busy={isPlaceholderData}>
      <Records preview={data} />
    </section>
  )
}
