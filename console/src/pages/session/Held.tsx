/** A session that is not billed: why, what the readings say, and the two solutions: release it as it is, or correct it with a reason. */
import { useState } from "react"
import { call } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { useShortcut } from "../../app/shortcuts.ts"
import { changed } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { money } from "../../parts/format.ts"
import { problemText } from "../../parts/States.tsx"
import { t, word } from "../../text/text.ts"
import { type Correctable, Correct } from "./Correct.tsx"

type Session = Correctable & Pick<Answer<"sessions.get">, "heldReason" | "needsCorrection">

/** Makes everything be read again that a correction or release changes. */
export const correctedOrReleased = () =>
  changed(
    "sessions.list",
    "sessions.get",
    "sessions.price",
    "sessions.correctionPreview",
    "cdrs.list",
    "statistics.get"
  )

export const Held = ({ onDone, session }: { readonly session: Session; readonly onDone: () => void }) => {
  // The list may change meanwhile: the dialog stays with the session for which it was opened.
  const [correcting, setCorrecting] = useState<Correctable | undefined>()
  const [said, setSaid] = useState("")
  const [isBusy, setBusy] = useState(false)
  const done = () => {
    correctedOrReleased()
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
  useShortcut("e", t("held.correct"), () => setCorrecting(session))
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
        <Act needs={["sessions.correct"]} onClick={() => setCorrecting(session)}>
          {t("held.correct")}
        </Act>
      </div>
      {correcting === undefined ? null : (
        <Correct
          session={correcting}
          onClose={() => setCorrecting(undefined)}
          onDone={(cost) => {
            const before = correcting.cost === null ? "–" : money(correcting.cost.inclVat, correcting.cost.currency)
            setSaid(t("held.corrected", { before, after: cost === null ? "–" : money(cost.inclVat, cost.currency) }))
            setCorrecting(undefined)
            done()
          }}
        />
      )}
    </section>
  )
}
