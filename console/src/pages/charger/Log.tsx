/**
 * The log of a charger: CALL and answer in one line, the raw frames one key away. New frames appear live while the list is at the top. A search is
 * done by the service, one part of the log at a time.
 */
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react"
import { refusal, troubledKinds } from "../../../../src/domain/charger/FrameTrouble.ts"
import { urlOf } from "../../api/client.ts"
import type { Message } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { type Exchange, exchanges, fitsLog, joined } from "../../live/log.ts"
import { useTail } from "../../live/tail.ts"
import { moment } from "../../parts/format.ts"
import { useFilters, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { t, tn } from "../../text/text.ts"
import { LogLines } from "./LogLines.tsx"

const Sequence = lazy(() => import("./Sequence.tsx").then(({ Sequence: it }) => ({ default: it })))

const actions = [
  "BootNotification",
  "StatusNotification",
  "Authorize",
  "StartTransaction",
  "StopTransaction",
  "MeterValues",
  "Heartbeat",
  "DataTransfer",
  "FirmwareStatusNotification",
  "DiagnosticsStatusNotification",
  "RemoteStartTransaction",
  "RemoteStopTransaction",
  "Reset",
  "ChangeConfiguration",
  "GetConfiguration",
  "TriggerMessage"
] as const

/** A page of search results may be empty. So many pages are read automatically, and after that the person is asked. */
const pagesAlone = 5
const enough = 15

const typingMillis = 300

/** The actions that are shown; all if none is chosen. */
const Types = ({
  chosen,
  onChange
}: {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}) => (
  <details
    className="types"
    onKeyDown={(event) => {
      if (event.key !== "Escape" || !event.currentTarget.open) return
      event.stopPropagation()
      event.currentTarget.open = false
      event.currentTarget.querySelector("summary")?.focus()
    }}
    onBlur={({ currentTarget, relatedTarget }) => {
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) currentTarget.open = false
    }}
  >
    <summary className="button small">
      {chosen.length === 0 ? t("log.allTypes") : tn("log.someTypes", chosen.length)}
    </summary>
    <fieldset>
      <legend className="hide">{t("log.types")}</legend>
      {[...new Set([...actions, ...chosen])].map((one) => (
        <label key={one} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(one)}
            onChange={() => onChange(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one])}
          />
          <span>{one}</span>
        </label>
      ))}
    </fieldset>
  </details>
)

/** The search text is put into the address once the person stops typing. */
const Search = ({ onChange, text }: { readonly text: string; readonly onChange: (text: string) => void }) => {
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => onChange(typed), typingMillis)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="search"
      className="log-search"
      value={typed}
      maxLength={100}
      placeholder={t("log.search")}
      aria-label={t("log.search")}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

export const Log = ({ chargerId }: { readonly chargerId: string }) => {
  const missing = missingFor(useMe(), "chargers.messages")
  const [filters, set] = useFilters()
  const chosen = useMemo(() => (filters["action"] ?? "").split(",").filter(Boolean), [filters["action"]])
  const text = filters["text"] ?? ""
  const { from, to } = filters
  const isErrors = filters["errors"] === "only"
  const isSearched = text.trim().length >= 2
  const isRange = from !== undefined || to !== undefined
  const list = useRef<HTMLDivElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const query = {
    ...(chosen.length === 0 ? {} : { action: chosen.join(",") }),
    ...(isSearched ? { q: text.trim() } : {}),
    ...(isErrors ? { trouble: true } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to })
  }
  const pages = usePages("chargers.messages", { params: { chargerId }, query })
  const live = useTail(chargerId, missing.length === 0 && isFollowing && !isRange)
  const all = useMemo(() => {
    const fresh = live.filter((one) => fitsLog(one, { actions: chosen, text: isSearched ? text : "" }))
    // An answer that matched the search comes without its CALL.
    return exchanges(joined(pages.rows as ReadonlyArray<Message>, fresh), isSearched || isErrors)
  }, [pages.rows, live, chosen, isSearched, isErrors, text])
  const shown = useMemo(() => (isErrors ? all.filter(isTrouble) : all), [all, isErrors])
  const isNarrowed = isErrors || isSearched || chosen.length > 0
  const readAlone = useRef(0)
  useEffect(() => void (readAlone.current = 0), [chargerId, filters["action"], text, isErrors])
  useEffect(() => {
    if (!isNarrowed || !pages.hasMore || shown.length >= enough || readAlone.current >= pagesAlone) return
    readAlone.current++
    pages.more()
  }, [isNarrowed, pages.hasMore, pages.more, pages.rows, shown.length])
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const isSequence = filters["log"] === "sequence"
  const oldest = pages.rows.at(-1) as Message | undefined
  return (
    <section className="log-section" aria-label={t("log.title")}>
      <header className="section-head">
        <h2>{t("log.title")}</h2>
        <Search text={text} onChange={(typed) => set({ text: typed })} />
        <Types chosen={chosen} onChange={(next) => set({ action: next.join(",") })} />
        <label className="check">
          <input
            type="checkbox"
            checked={isErrors}
            onChange={({ target }) => set({ errors: target.checked ? "only" : undefined })}
          />
          <span>{t("log.errors")}</span>
        </label>
        <button
          type="button"
          className="button small"
          aria-pressed={isSequence}
          onClick={() => set({ log: isSequence ? undefined : "sequence" })}
        >
          {t("log.sequence")}
        </button>
        <a
          className="button small"
          download
          href={urlOf("chargers.exportMessages", { params: { chargerId }, query: query as never })}
        >
          {t("log.download")}
        </a>
        {isRange ? null : (
          <button
            type="button"
            className="button small"
            aria-pressed={isFollowing}
            onClick={() => {
              setFollowing(!isFollowing)
              list.current?.scrollTo({ top: 0 })
            }}
          >
            {isFollowing ? t("log.following") : t("log.follow")}
          </button>
        )}
      </header>
      {isRange ? (
        <p className="secondary">
          {t("log.between", {
            from: from === undefined ? "…" : moment(Date.parse(from)),
            to: to === undefined ? "…" : moment(Date.parse(to))
          })}{" "}
          <button type="button" className="button small" onClick={() => set({ from: undefined, to: undefined })}>
            {t("log.allTimes")}
          </button>
        </p>
      ) : null}
      {pages.error === null ? null : <Failed what={t("log.notRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading rows={4} /> : null}
      {!pages.isLoading && shown.length === 0 ? (
        <p className="none">{isNarrowed ? t("log.nothingFits") : t("log.empty")}</p>
      ) : null}
      {isSequence ? (
        <Suspense fallback={<Loading rows={4} />}>
          <Sequence exchanges={shown} />
        </Suspense>
      ) : (
        <LogLines key={chargerId} lines={shown} box={list} onAway={() => setFollowing(false)} onEnd={pages.more} />
      )}
      {isNarrowed && pages.hasMore ? (
        <p className="secondary">
          {oldest === undefined ? null : t("log.searchedTo", { at: moment(Date.parse(oldest.at)) })}{" "}
          <button
            type="button"
            className="button small"
            onClick={() => {
              readAlone.current = 0
              pages.more()
            }}
          >
            {t("log.further")}
          </button>
        </p>
      ) : null}
    </section>
  )
}

/** The same pattern that the service searches for. */
const refused = new RegExp(refusal)

const isTrouble = ({ answer, asked }: Exchange): boolean =>
  [asked, ...(answer === undefined ? [] : [answer])].some(
    ({ frame, kind }) => troubledKinds.includes(kind) || (kind === "CALLRESULT" && refused.test(frame))
  )
