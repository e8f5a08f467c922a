/** The live feed of events: those that have come while this page is open. */
import { Link } from "@tanstack/react-router"
import { eventTypes } from "virtual:operations"
import { useEffect, useState } from "react"
import type { LiveEvent } from "../api/types.ts"
import { missingFor, useMe } from "../app/me.ts"
import { onLiveEvent } from "../live/store.ts"
import { Outside } from "../parts/Facts.tsx"
import { clock, utc } from "../parts/format.ts"
import { Head, useTitle } from "../parts/Page.tsx"
import { useFilters } from "../parts/pages.ts"
import { Empty, NotPermitted } from "../parts/States.tsx"
import { t } from "../text/text.ts"

const kept = 500

const groups: ReadonlyArray<string> = [...new Set(eventTypes.map((type) => type.split(".")[0] ?? ""))]

const summary = ({ data }: LiveEvent): string =>
  Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== "object")
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(" · ")

export const Events = () => {
  const missing = missingFor(useMe(), "events.list")
  const [filters, set] = useFilters()
  const [events, setEvents] = useState<ReadonlyArray<LiveEvent>>([])
  const [isFollowing, setFollowing] = useState(true)
  useTitle(t("place.events"))
  useEffect(() => {
    if (!isFollowing) return
    let waiting: Array<LiveEvent> = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent((event) => {
      waiting.push(event)
      timer ??= setTimeout(() => {
        const fresh = waiting.reverse()
        waiting = []
        timer = undefined
        setEvents((old) => [...fresh, ...old].slice(0, kept))
      }, 200)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [isFollowing])
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const { group } = filters
  const shown = group === undefined ? events : events.filter(({ type }) => type.startsWith(`${group}.`))
  return (
    <section className="page scrolls" aria-label={t("place.events")}>
      <Head title={t("place.events")} summary={t("events.about")}>
        <Link className="button" to={"/events/webhooks" as never} search={{} as never}>
          {t("webhook.many")}
        </Link>
        <button type="button" className="button" aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
          {isFollowing ? t("log.following") : t("log.follow")}
        </button>
      </Head>
      <div className="filters">
        <label>
          <span className="hide">{t("log.types")}</span>
          <select value={group ?? ""} onChange={({ target }) => set({ group: target.value })}>
            <option value="">{t("log.allTypes")}</option>
            {groups.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown.length === 0 ? <Empty title={t("events.none")} text={t("events.noneText")} /> : null}
      <ol className="feed" tabIndex={0} aria-label={t("place.events")}>
        {shown.map((event) => (
          <li key={event.id}>
            <time dateTime={event.at} title={utc(Date.parse(event.at))}>
              {clock(Date.parse(event.at))}
            </time>
            <b>{event.type}</b>
            <span>
              <Outside>{summary(event)}</Outside>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
