/** One session: its data, its energy over time, and how its cost came about. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { useShortcut } from "../app/shortcuts.ts"
import { onLiveEvent, siteName, useCharger } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Facts, Outside } from "../parts/Facts.tsx"
import { duration, exact, kwh, money, utc } from "../parts/format.ts"
import { useNow } from "../parts/now.ts"
import { Side, Tabs, useOpen, useTitle } from "../parts/Page.tsx"
import { Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Pill } from "../parts/Status.tsx"
import { Moment } from "../parts/Time.tsx"
import { t } from "../text/text.ts"
import { CommandDialog } from "./Commands.tsx"
import { Correct } from "./session/Correct.tsx"
import { correctedOrReleased, Held } from "./session/Held.tsx"
import { Energy } from "./session/Energy.tsx"
import { Price } from "./session/Price.tsx"
import { sessionTone, sessionWord } from "./Sessions.tsx"

/** One minute before the start, since cards are authorised before it, and one minute after the end. */
const aroundMillis = 60_000

const around = (startedAt: string, endedAt: string | null) => ({
  from: utc(Date.parse(startedAt) - aroundMillis),
  ...(endedAt === null ? {} : { to: utc(Date.parse(endedAt) + aroundMillis) })
})

export const Session = () => {
  const id = useOpen() ?? ""
  const me = useMe()
  const missing = missingFor(me, "sessions.get")
  const now = useNow()
  const [isStopping, setStopping] = useState(false)
  const [isCorrecting, setCorrecting] = useState(false)
  const {
    data: session,
    error,
    refetch
  } = useQuery({
    queryKey: ["sessions.get", id],
    enabled: missing.length === 0,
    queryFn: ({ signal }) => call("sessions.get", { params: { sessionId: id } }, signal)
  })
  const charger = useCharger(session?.chargerId ?? "")
  useTitle(t("session.one"))
  // Readings of this session are followed; those of other sessions are ignored.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent((event) => {
      if (event.type === "session.updated" && event.data.sessionId === id)
        timer ??= setTimeout(() => {
          timer = undefined
          void refetch()
        }, 1_000)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [id, refetch])
  const isRunning = session?.endedAt === null && session.status === "ACTIVE"
  useShortcut("s", t("command.stop"), () => setStopping(true), isRunning && charger !== undefined)
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (error !== null) {
    return (
      <Side back="/sessions" label={t("session.one")} title={t("session.one")}>
        <Failed what={t("session.notRead")} error={error} retry={() => void refetch()} />
      </Side>
    )
  }
  if (session === undefined) {
    return (
      <Side back="/sessions" label={t("session.one")} title={t("session.one")}>
        <Loading />
      </Side>
    )
  }
  // For these, `Held` shows the buttons, with the reason.
  const isDoubted = session.heldReason !== null || session.needsCorrection
  const end = session.endedAt === null ? now : Date.parse(session.endedAt)
  return (
    <Side
      back="/sessions"
      label={t("session.one")}
      history={`session:${id}`}
      title={
        <>
          {kwh(session.energyWh)} kWh
          {session.cost === null ? null : <> · {money(session.cost.inclVat, session.cost.currency)}</>}
        </>
      }
      sub={
        <>
          <Link to={`/chargers/${encodeURIComponent(session.chargerId)}` as never} search={{} as never}>
            <Outside>{charger?.name ?? session.chargerId}</Outside>
          </Link>{" "}
          · {t("connector.one", { id: session.evseId })} · <Outside>{siteName(session.siteId)}</Outside>
        </>
      }
      acts={
        <>
          <Act needs={["commands.issue"]} off={!isRunning || charger === undefined} onClick={() => setStopping(true)}>
            {t("command.stop")}
          </Act>
          {isDoubted ? null : (
            <Act needs={["sessions.correct"]} off={session.endedAt === null} onClick={() => setCorrecting(true)}>
              {t("held.correct")}
            </Act>
          )}
          <Link
            className="button"
            to={`/chargers/${encodeURIComponent(session.chargerId)}` as never}
            search={{ log: "sequence", ...around(session.startedAt, session.endedAt) } as never}
          >
            {t("log.title")}
          </Link>
          <Link className="button" to={"/cdrs" as never} search={{ session: session.id } as never}>
            {t("place.cdrs")}
          </Link>
        </>
      }
    >
      <p>
        <Pill tone={sessionTone(session)}>{sessionWord(session)}</Pill>
      </p>
      {isDoubted ? <Held session={session} onDone={() => void refetch()} /> : null}
      <Facts
        rows={[
          [t("session.started"), <Moment key="started" at={session.startedAt} />],
          [t("session.ended"), <Moment key="ended" at={session.endedAt} />],
          [t("session.duration"), duration(end - Date.parse(session.startedAt))],
          [
            t("card.one"),
            <Link key="card" to={`/cards/${encodeURIComponent(session.tokenUid)}` as never} search={{} as never}>
              <Outside mono>{session.tokenUid}</Outside>
            </Link>
          ],
          [t("session.authorization"), `${session.authorization.status} · ${session.authorization.source}`],
          [
            t("session.roaming"),
            session.roaming === null ? t("session.own") : `${session.roaming.countryCode} ${session.roaming.partyId}`
          ],
          [t("session.stopReason"), session.stopReason],
          [t("session.transaction"), session.transactionId === null ? null : String(session.transactionId)],
          [
            t("session.register"),
            `${exact(session.meterStartWh)} – ${session.meterStopWh === null ? "…" : exact(session.meterStopWh)} Wh`
          ],
          [t("session.id"), <code key="id">{session.id}</code>]
        ]}
      />
      <Tabs
        tabs={[
          { id: "price", label: t("price.title"), show: () => <Price of="session" id={session.id} /> },
          { id: "energy", label: t("session.energy"), show: () => <Energy session={session} /> }
        ]}
      />
      {isCorrecting ? (
        <Correct
          session={session}
          onClose={() => setCorrecting(false)}
          onDone={() => {
            setCorrecting(false)
            correctedOrReleased()
          }}
        />
      ) : null}
      {isStopping && charger !== undefined ? (
        <CommandDialog
          type="RemoteStop"
          row={charger}
          preset={{ sessionId: session.id }}
          onClose={() => setStopping(false)}
        />
      ) : null}
    </Side>
  )
}
