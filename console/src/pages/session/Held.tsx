/** A session that is not billed: why, what the readings say, and the two ways on: release it as it is, or correct it with a reason. */
import { useState } from "react"
import { call } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { useShortcut } from "../../app/shortcuts.ts"
import { changed } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Form, TextField } from "../../parts/Form.tsx"
import { kwh, money } from "../../parts/format.ts"
import { problemText } from "../../parts/States.tsx"
import { t, word } from "../../text/text.ts"

type Session = Pick<
  Answer<"sessions.get">,
  "id" | "heldReason" | "needsCorrection" | "energyWh" | "startedAt" | "endedAt" | "cost"
>

const local = (iso: string | null): string => {
  if (iso === null) return ""
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

export const Held = ({ onDone, session }: { readonly session: Session; readonly onDone: () => void }) => {
  const [isCorrecting, setCorrecting] = useState(false)
  const [said, setSaid] = useState("")
  const [isBusy, setBusy] = useState(false)
  const done = () => {
    changed("sessions.list", "sessions.get", "cdrs.list", "statistics.get")
    onDone()
  }
  const release = async () => {
    setBusy(true)
    try {
      const { cost } = await call("sessions.release", { params: { sessionId: session.id } })
      setSaid(cost === null ? t("held.released") : t("held.releasedAt", { cost: money(cost.inclVat, cost.currency) }))
      done()
    } catch (error) {
      setSaid(problemText(error))
    } finally {
      setBusy(false)
    }
  }
  useShortcut("l", t("held.release"), () => void release(), session.heldReason !== null)
  useShortcut("e", t("held.correct"), () => setCorrecting(true))
  return (
    <section className="notice" aria-label={t("session.held")}>
      <p>{session.heldReason === null ? t("held.needsCorrection") : word("heldReason", session.heldReason)}</p>
      {said === "" ? null : <p role="status">{said}</p>}
      <div className="acts">
        {session.heldReason === null ? null : (
          <Act needs={["sessions.release"]} busy={isBusy} onClick={() => void release()}>
            {t("held.release")}
          </Act>
        )}
        <Act needs={["sessions.correct"]} onClick={() => setCorrecting(true)}>
          {t("held.correct")}
        </Act>
      </div>
      {isCorrecting ? (
        <Dialog title={t("held.correct")} onClose={() => setCorrecting(false)}>
          <Form
            submit={t("held.correct")}
            onCancel={() => setCorrecting(false)}
            fields={["energyWh", "startedAt", "endedAt", "reason"]}
            onSubmit={async (values) => {
              const energy = values.number("energyKwh")
              const startedAt = values.optional("startedAt")
              const endedAt = values.optional("endedAt")
              const { cost } = await call("sessions.correct", {
                params: { sessionId: session.id },
                body: {
                  reason: values.text("reason"),
                  ...(energy === undefined ? {} : { energyWh: Math.round(energy * 1000) }),
                  ...(startedAt === undefined || startedAt === local(session.startedAt)
                    ? {}
                    : { startedAt: new Date(startedAt).toISOString() }),
                  ...(endedAt === undefined || endedAt === local(session.endedAt)
                    ? {}
                    : { endedAt: new Date(endedAt).toISOString() })
                }
              })
              const before = session.cost === null ? "–" : money(session.cost.inclVat, session.cost.currency)
              setSaid(t("held.corrected", { before, after: cost === null ? "–" : money(cost.inclVat, cost.currency) }))
              setCorrecting(false)
              done()
            }}
          >
            <p className="secondary">{t("held.was", { kwh: kwh(session.energyWh) })}</p>
            <TextField
              name="energyKwh"
              label={t("held.energy")}
              type="number"
              step="0.001"
              min="0"
              defaultValue={String(session.energyWh / 1000)}
            />
            <TextField
              name="startedAt"
              label={t("session.started")}
              type="datetime-local"
              step="1"
              defaultValue={local(session.startedAt)}
            />
            <TextField
              name="endedAt"
              label={t("session.ended")}
              type="datetime-local"
              step="1"
              defaultValue={local(session.endedAt)}
            />
            <TextField name="reason" label={t("held.reason")} hint={t("held.reasonHint")} required maxLength={200} />
          </Form>
        </Dialog>
      ) : null}
    </section>
  )
}
