/** What a charger said: question and answer in one line, the raw frames one key away. Following ends when one scrolls down to older frames. */
import { useEffect, useRef, useState } from "react"
import type { Message } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { changed } from "../../live/store.ts"
import { type Exchange, exchanges, gist, took } from "../../live/log.ts"
import { Outside } from "../../parts/Facts.tsx"
import { clock, utc } from "../../parts/format.ts"
import { type Filters, useFilters, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { t } from "../../text/text.ts"

const actions = [
  "BootNotification",
  "StatusNotification",
  "Authorize",
  "StartTransaction",
  "StopTransaction",
  "MeterValues",
  "Heartbeat",
  "DataTransfer",
  "RemoteStartTransaction",
  "RemoteStopTransaction"
] as const

/** Between two readings while frames come in. */
const settleMillis = 400

const slowMillis = 500

const Answer = ({ exchange }: { readonly exchange: Exchange }) => {
  const { answer, asked } = exchange
  if (asked.kind === "Malformed") return <span className="reply trouble">{t("log.malformed")}</span>
  if (answer === undefined) return <span className="reply none">{t("log.noAnswer")}</span>
  const millis = took(exchange) ?? 0
  const text = gist(answer)
  // Chargers are measured always, the service only where it was slow.
  const time = asked.direction === "out" || millis > slowMillis ? ` ${millis} ms` : ""
  return (
    <span className={`reply${answer.kind === "CALLERROR" ? " trouble" : ""}`}>
      <Outside>{text === "" ? t("log.ok") : text}</Outside>
      <small>{time}</small>
    </span>
  )
}

const pretty = ({ frame }: Message): string => {
  try {
    return JSON.stringify(JSON.parse(frame), null, 2)
  } catch {
    return frame
  }
}

const Line = ({ exchange }: { readonly exchange: Exchange }) => {
  const [isOpen, setOpen] = useState(false)
  const { answer, asked, more, since } = exchange
  const at = Date.parse(asked.at)
  const side = asked.direction === "in" ? t("log.from") : t("log.to")
  return (
    <li className={asked.direction}>
      <button type="button" className="log-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <time dateTime={utc(at)} title={utc(at)}>
          {clock(at)}
        </time>
        <span className="direction" title={side}>
          <span aria-hidden="true">{asked.direction === "in" ? "→" : "←"}</span>
          <span className="hide">{side}</span>
        </span>
        <span className="log-action">
          <b>
            <Outside>{asked.action === "" ? "?" : asked.action}</Outside>
          </b>
          {more === 0 ? null : <small> {t("log.more", { n: more, since: clock(Date.parse(since)) })}</small>}
        </span>
        <Answer exchange={exchange} />
        <span className="gist">
          <Outside>{gist(asked)}</Outside>
        </span>
      </button>
      {isOpen ? (
        <div className="frames">
          <pre tabIndex={0}>{pretty(asked)}</pre>
          {answer === undefined ? null : <pre tabIndex={0}>{pretty(answer)}</pre>}
        </div>
      ) : null}
    </li>
  )
}

export const Log = ({ chargerId, heard }: { readonly chargerId: string; readonly heard: number }) => {
  const missing = missingFor(useMe(), "chargers.messages")
  const [filters, set] = useFilters()
  const action = filters["action"]
  const list = useRef<HTMLOListElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const pages = usePages("chargers.messages", {
    params: { chargerId },
    query: action === undefined ? {} : { action }
  })
  useEffect(() => {
    if (!isFollowing) return
    const timer = setTimeout(() => changed("chargers.messages"), settleMillis)
    return () => clearTimeout(timer)
  }, [heard, isFollowing])
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const all = exchanges(pages.rows as ReadonlyArray<Message>)
  const shown = filters["errors"] === "only" ? all.filter(isTrouble) : all
  return (
    <section className="log-section" aria-label={t("log.title")}>
      <header className="section-head">
        <h2>{t("log.title")}</h2>
        <label>
          <span className="hide">{t("log.types")}</span>
          <select value={action ?? ""} onChange={({ target }) => set({ action: target.value } as Filters)}>
            <option value="">{t("log.allTypes")}</option>
            {actions.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={filters["errors"] === "only"}
            onChange={({ target }) => set({ errors: target.checked ? "only" : undefined })}
          />
          <span>{t("log.errors")}</span>
        </label>
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
      </header>
      {pages.error === null ? null : <Failed what={t("log.notRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading rows={4} /> : null}
      {!pages.isLoading && shown.length === 0 ? <p className="none">{t("log.empty")}</p> : null}
      <ol
        className="log"
        ref={list}
        tabIndex={0}
        aria-label={t("log.title")}
        onScroll={({ currentTarget }) => {
          if (currentTarget.scrollTop > 40 && isFollowing) setFollowing(false)
          const left = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight
          if (left < 200) pages.more()
        }}
      >
        {shown.map((exchange) => (
          <Line key={exchange.asked.id} exchange={exchange} />
        ))}
      </ol>
    </section>
  )
}

const isTrouble = ({ answer, asked }: Exchange): boolean =>
  asked.kind === "Malformed" ||
  answer?.kind === "CALLERROR" ||
  (answer !== undefined &&
    /"status":"(?:Rejected|Invalid|Blocked|Expired|ConcurrentTx|NotSupported|Faulted)"/.test(answer.frame))
