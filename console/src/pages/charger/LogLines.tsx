/**
 * The lines of a charger's log. Only those on screen are in the document, however many there are. Which lines are open and which one has the focus is
 * remembered while they are off screen.
 */
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useCallback, useState } from "react"
import type { Message } from "../../api/types.ts"
import { type Exchange, gist, took } from "../../live/log.ts"
import { Outside } from "../../parts/Facts.tsx"
import { clock, utc } from "../../parts/format.ts"
import { t } from "../../text/text.ts"

const slowMillis = 500

/** Height of a line that is not measured yet: two rows of text. */
const usualHeight = 45

/** Lines drawn beyond those on screen, so that scrolling does not show gaps. */
const beyond = 8

/** Scrolled further than this, the person is reading older lines. */
const awayPixels = 40

/** Distance from the end at which the next page is read, so that it arrives in time. */
const endPixels = 200

const Answer = ({ exchange }: { readonly exchange: Exchange }) => {
  const { answer, asked } = exchange
  if (asked.kind === "Malformed") return <span className="reply trouble">{t("log.malformed")}</span>
  if (asked.kind === "CALLERROR" || asked.kind === "CALLRESULT") {
    return <span className={`reply${asked.kind === "CALLERROR" ? " trouble" : ""}`}>{t("log.answer")}</span>
  }
  if (answer === undefined) return <span className="reply none">{t("log.noAnswer")}</span>
  const millis = took(exchange) ?? 0
  const text = gist(answer)
  // The charger's answer time is always shown, the service's only if it was slow.
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

interface LineProps {
  readonly exchange: Exchange
  readonly index: number
  /** Pixels from the top of the list. */
  readonly start: number
  readonly count: number
  readonly isOpen: boolean
  readonly onToggle: (id: string) => void
  readonly measure: (line: HTMLLIElement | null) => void
}

const Line = ({ count, exchange, index, isOpen, measure, onToggle, start }: LineProps) => {
  const { answer, asked, more, since } = exchange
  const at = Date.parse(asked.at)
  const side = asked.direction === "in" ? t("log.from") : t("log.to")
  return (
    <li
      className={asked.direction}
      ref={measure}
      data-index={index}
      data-id={asked.id}
      style={{ transform: `translateY(${start}px)` }}
      aria-setsize={count}
      aria-posinset={index + 1}
    >
      <button type="button" className="log-line" aria-expanded={isOpen} onClick={() => onToggle(asked.id)}>
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

/** `onAway` is called when the person scrolls away from the newest line, `onEnd` when the oldest lines come into sight. */
export const LogLines = ({
  box,
  lines,
  onAway,
  onEnd
}: {
  readonly box: RefObject<HTMLDivElement | null>
  readonly lines: ReadonlyArray<Exchange>
  readonly onAway: () => void
  readonly onEnd: () => void
}) => {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<string | undefined>()
  const toggle = useCallback(
    (id: string) => setOpen((old) => new Set(old.has(id) ? [...old].filter((other) => other !== id) : [...old, id])),
    []
  )
  const focusedAt = focused === undefined ? -1 : lines.findIndex(({ asked }) => asked.id === focused)
  // New lines push the focused line down. If it were removed from the document, the focus would be lost.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const drawn = defaultRangeExtractor(range)
      return focusedAt < 0 || drawn.includes(focusedAt) ? drawn : [...drawn, focusedAt].sort((a, b) => a - b)
    },
    [focusedAt]
  )
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => usualHeight,
    getItemKey: (index) => lines[index]?.asked.id ?? index,
    overscan: beyond,
    rangeExtractor
  })
  return (
    <div
      className="log-box"
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={t("log.title")}
      onFocus={({ target }) => setFocused(target.closest("li")?.dataset["id"])}
      onBlur={() => setFocused(undefined)}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        if (scrollTop > awayPixels) onAway()
        if (scrollHeight - scrollTop - clientHeight < endPixels) onEnd()
      }}
    >
      <ol className="log" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const exchange = lines[index]
          return exchange === undefined ? null : (
            <Line
              key={key}
              exchange={exchange}
              index={index}
              start={start}
              count={lines.length}
              isOpen={open.has(exchange.asked.id)}
              onToggle={toggle}
              measure={virtual.measureElement}
            />
          )
        })}
      </ol>
    </div>
  )
}
