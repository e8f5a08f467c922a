/** The deliveries of a webhook: which event was posted, the outcome, and the event itself on request. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { changed, onLiveEvent } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { More } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../parts/States.tsx"
import { Pill } from "../parts/Status.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, tn, word } from "../text/text.ts"

type Delivery = Item<"webhooks.deliveries">

const statuses = ["Parked", "Pending", "Delivered"] as const

/** An event is posted within a second or two. */
const postedMillis = 2_000

const toneOf = { Parked: "bad", Pending: "wait", Delivered: "ok" } as const

export const Deliveries = ({ webhookId }: { readonly webhookId: string }) => {
  const [filters, set] = useFilters()
  const [said, setSaid] = useState("")
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        changed("webhooks.deliveries")
      }, postedMillis)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
  const status = statuses.find((one) => one === filters["status"])
  const pages = usePages("webhooks.deliveries", {
    params: { webhookId },
    query: status === undefined ? {} : { status }
  })
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null)
    return <Failed what={t("webhook.deliveriesNotRead")} error={pages.error} retry={pages.retry} />
  const replay = (deliveryId: string): void =>
    void call("webhooks.replay", { params: { webhookId, deliveryId } })
      .then(() => {
        setSaid("")
        changed("webhooks.deliveries", "work.get")
      })
      .catch((error: unknown) => setSaid(problemText(error)))
  return (
    <>
      <div className="acts" role="group" aria-label={t("charger.state")}>
        {[undefined, ...statuses].map((one) => (
          <button
            key={one ?? ""}
            type="button"
            className="button small"
            aria-pressed={one === status}
            onClick={() => set({ status: one })}
          >
            {one === undefined ? t("posted.all") : word("posted", one)}
          </button>
        ))}
      </div>
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      {pages.isLoading ? <Loading rows={4} /> : null}
      {!pages.isLoading && pages.rows.length === 0 ? (
        <p className="none">{status === undefined ? t("webhook.noDeliveries") : t("posted.noneOfThese")}</p>
      ) : null}
      <ul className="rows">
        {pages.rows.map((one) => (
          <Line key={one.id} one={one} replay={replay} />
        ))}
      </ul>
      <More pages={pages} />
    </>
  )
}

/** The last answer, and what happens next. */
const Answer = ({ one }: { readonly one: Delivery }) => {
  const { deliveredAt, httpStatus, nextTryAt, parkedAt, problem, status } = one
  return (
    <small>
      {tn("posted.tries", one.tries)}
      {httpStatus === null ? null : ` · ${t("posted.answered", { status: httpStatus })}`}
      {problem === null ? null : (
        <>
          {" · "}
          <span className="trouble">
            <Outside>{problem}</Outside>
          </span>
        </>
      )}
      {deliveredAt === null ? null : (
        <>
          {" · "}
          {t("posted.taken")} <Moment at={deliveredAt} />
        </>
      )}
      {parkedAt === null ? null : (
        <>
          {" · "}
          {t("posted.givenUp")} <Moment at={parkedAt} />
        </>
      )}
      {status !== "Pending" ? null : nextTryAt === null ? (
        ` · ${t("posted.waits")}`
      ) : (
        <>
          {" · "}
          {t("posted.next")} <Moment at={nextTryAt} />
        </>
      )}
    </small>
  )
}

const Line = ({ one, replay }: { readonly one: Delivery; readonly replay: (id: string) => void }) => {
  const [isOpen, setOpen] = useState(false)
  const { dueAt, eventId, id, status, type } = one
  return (
    <li>
      <div>
        <b>
          <code>{type ?? t("posted.forgotten")}</code>
        </b>{" "}
        <Moment at={dueAt} /> <Pill tone={toneOf[status]}>{word("posted", status)}</Pill>
        <Answer one={one} />
      </div>
      <span className="acts">
        {status === "Parked" ? (
          <Act needs={["webhooks.replay"]} kind="small" onClick={() => replay(id)}>
            {t("partner.replay")}
          </Act>
        ) : null}
        {type === null ? null : (
          <button type="button" className="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t("posted.event")}
          </button>
        )}
      </span>
      {isOpen ? <Body eventId={eventId} /> : null}
    </li>
  )
}

/** Read only when it is opened: a list of five hundred deliveries reads none of them. */
const Body = ({ eventId }: { readonly eventId: string }) => {
  const missing = missingFor(useMe(), "events.get")
  const { data, error, refetch } = useQuery({
    queryKey: ["events.get", eventId],
    enabled: missing.length === 0,
    queryFn: () => call("events.get", { params: { eventId } })
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (error !== null) return <Failed what={t("posted.eventNotRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={2} />
  return (
    <div className="frames">
      <pre tabIndex={0}>{JSON.stringify(data, null, 2)}</pre>
    </div>
  )
}
