/**
 * Everything that waits for a decision, one queue beside the other: held sessions, corrections, parked deliveries, card conflicts, unknown chargers
 * and drift.
 */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { useShortcut } from "../app/shortcuts.ts"
import { counted, useWork, type WorkCounts } from "../app/work.ts"
import { changed, useChargerNames } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { kwh, money } from "../parts/format.ts"
import { Head, Lenses, useTitle } from "../parts/Page.tsx"
import { type Item, type Pages, useFilters, usePages } from "../parts/pages.ts"
import { Empty, Failed, Loading, NotPermitted, problemText } from "../parts/States.tsx"
import { Ago, Moment } from "../parts/Time.tsx"
import { t, tn, word } from "../text/text.ts"
import { Drifts } from "./work/Drifts.tsx"
import { Gone } from "./work/Gone.tsx"
import { useSelection } from "./work/selection.ts"
import { Held } from "./session/Held.tsx"

type Session = Item<"sessions.list">

const Chosen = ({ onDone, session }: { readonly session: Session; readonly onDone: () => void }) => (
  <section>
    <h2>
      {kwh(session.energyWh)} kWh
      {session.cost === null ? null : <> · {money(session.cost.inclVat, session.cost.currency)}</>}
    </h2>
    <p className="secondary">
      <Outside mono>{session.chargerId}</Outside> · <Moment at={session.startedAt} /> – <Moment at={session.endedAt} />{" "}
      · <Outside mono>{session.tokenUid}</Outside> · {session.meterStartWh} – {session.meterStopWh ?? "…"} Wh
    </p>
    <Held session={session} onDone={onDone} />
    <Link className="button" to={`/sessions/${session.id}` as never} search={{} as never}>
      {t("session.open")}
    </Link>
  </section>
)

const Sessions = ({ corrections }: { readonly corrections: boolean }) => {
  const pages = usePages("sessions.list", { query: corrections ? { needsCorrection: true } : { held: true } })
  const names = useChargerNames()
  const rows: ReadonlyArray<Session> = pages.rows
  const selection = useSelection(rows.map(({ id }) => id))
  const chosen = rows.find(({ id }) => id === selection.chosen)
  useShortcut("j", t("key.next"), () => selection.move(1))
  useShortcut("k", t("key.previous"), () => selection.move(-1))
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("session.notRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading />
  if (rows.length === 0) {
    return <Empty title={t("work.empty")} text={corrections ? t("work.noCorrections") : t("work.noHeld")} />
  }
  return (
    <div className="queue">
      <ol>
        {rows.map((session) => (
          <li key={session.id}>
            <button type="button" aria-current={session === chosen} onClick={() => selection.select(session.id)}>
              <b>
                <Outside>{names.get(session.chargerId) ?? session.chargerId}</Outside>
              </b>
              <span>{kwh(session.energyWh)} kWh</span>
              <small>
                {session.heldReason === null
                  ? t("session.needsCorrection")
                  : word("heldReasonShort", session.heldReason)}{" "}
                · <Moment at={session.startedAt} />
              </small>
            </button>
          </li>
        ))}
        {pages.hasMore ? (
          <li>
            <button type="button" onClick={pages.more}>
              {t("action.more")}
            </button>
          </li>
        ) : null}
      </ol>
      {chosen === undefined ? (
        <Gone />
      ) : (
        <Chosen
          key={chosen.id}
          session={chosen}
          onDone={() => {
            selection.decide(chosen.id)
            pages.retry()
          }}
        />
      )}
    </div>
  )
}

/** A partner or webhook, and how many of its deliveries are parked. */
const Subscriber = ({
  mono = false,
  name,
  pages: { hasMore, rows },
  search,
  to
}: {
  readonly name: string
  readonly to: string
  readonly search: object
  readonly pages: Pick<Pages<unknown>, "hasMore" | "rows">
  readonly mono?: boolean
}) => (
  <li>
    <Link to={to as never} search={search as never}>
      <b>
        <Outside mono={mono}>{name}</Outside>
      </b>
    </Link>
    <span className={rows.length > 0 ? "trouble" : ""}>
      {hasMore ? "> " : ""}
      {tn("partner.parkedItems", rows.length)}
    </span>
  </li>
)

const Parked = () => {
  const partners = usePages("partners.list", { query: { limit: 100 } })
  if (partners.missing.length > 0) return <NotPermitted permissions={partners.missing} />
  if (partners.error !== null) {
    return <Failed what={t("partner.notRead")} error={partners.error} retry={partners.retry} />
  }
  if (partners.isLoading) return <Loading />
  if (partners.rows.length === 0) return <Empty title={t("work.empty")} text={t("work.noParked")} />
  return (
    <ul className="rows">
      {partners.rows.map(({ id, name }) => (
        <ParkedOf key={id} id={id} name={name} />
      ))}
    </ul>
  )
}

const ParkedOf = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const pages = usePages("deliveries.parked", { params: { partnerId: id }, query: { limit: 100 } })
  return <Subscriber pages={pages} name={name} to={`/roaming/${id}`} search={{ tab: "parked" }} />
}

/** Webhooks with parked events; the page of each can replay them. */
const ParkedEvents = () => {
  const webhooks = usePages("webhooks.list", { query: { limit: 100 } })
  if (webhooks.missing.length > 0) return <NotPermitted permissions={webhooks.missing} />
  if (webhooks.error !== null)
    return <Failed what={t("webhook.notRead")} error={webhooks.error} retry={webhooks.retry} />
  if (webhooks.isLoading) return <Loading />
  if (webhooks.rows.length === 0) return <Empty title={t("work.empty")} text={t("work.noParkedEvents")} />
  return (
    <ul className="rows">
      {webhooks.rows.map(({ id, url }) => (
        <ParkedEventsOf key={id} id={id} url={url} />
      ))}
    </ul>
  )
}

const ParkedEventsOf = ({ id, url }: { readonly id: string; readonly url: string }) => {
  const pages = usePages("webhooks.deliveries", { params: { webhookId: id }, query: { status: "Parked", limit: 100 } })
  return <Subscriber pages={pages} name={url} to="/events/webhooks" search={{ webhook: id, status: "Parked" }} mono />
}

const Conflicts = () => {
  const pages = usePages("token-conflicts.list", { query: {} })
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("work.conflictsNotRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading />
  if (pages.rows.length === 0) return <Empty title={t("work.empty")} text={t("work.noConflicts")} />
  return (
    <ul className="rows">
      {pages.rows.map(({ tokens, uid }) => (
        <li key={uid}>
          <span>
            <Outside mono>{uid}</Outside>
            <small>
              {tokens.map((one) => `${one.countryCode} ${one.partyId} · ${one.contractId} · ${one.issuer}`).join(" — ")}
            </small>
          </span>
        </li>
      ))}
    </ul>
  )
}

const Unknown = () => {
  const [said, setSaid] = useState("")
  const pages = usePages("unknown-chargers.list", { query: {} })
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("work.unknownNotRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading />
  if (pages.rows.length === 0) return <Empty title={t("work.empty")} text={t("work.noUnknown")} />
  return (
    <>
      {said === "" ? null : <p className="failed">{said}</p>}
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.chargerId}>
            <span>
              <b>
                <Outside>{one.chargerId}</Outside>
              </b>
              <small>
                {tn("work.attempts", one.attempts)} · <Ago at={one.lastSeenAt} /> · {one.remoteAddress} ·{" "}
                {one.subprotocols.join(", ")}
              </small>
              {one.advice === null ? null : <small>{one.advice}</small>}
            </span>
            <span className="acts">
              <Link
                className="button small"
                to={"/chargers" as never}
                search={{ do: "add", id: one.chargerId } as never}
              >
                {t("work.add")}
              </Link>
              <Act
                needs={["unknown-chargers.forget"]}
                kind="small"
                onClick={() =>
                  void call("unknown-chargers.forget", { params: { chargerId: one.chargerId } })
                    .then(() => changed("unknown-chargers.list", "work.get"))
                    .catch((error: unknown) => setSaid(problemText(error)))
                }
              >
                {t("work.ignore")}
              </Act>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

export const Work = () => {
  const [filters] = useFilters()
  const counts = useWork()
  const sizeOf = (queue: keyof WorkCounts) => {
    const items = counts?.[queue]
    return items === undefined || items === null ? {} : { count: counted(items) }
  }
  useTitle(t("place.work"))
  const { queue } = filters
  return (
    <section className="page scrolls" aria-label={t("place.work")}>
      <Head title={t("place.work")} summary={t("work.about")} />
      <div className="filters">
        <Lenses
          keys={["queue"]}
          lenses={[
            { label: t("session.held"), filters: {}, ...sizeOf("heldSessions") },
            { label: t("session.needsCorrection"), filters: { queue: "corrections" }, ...sizeOf("corrections") },
            { label: t("work.parked"), filters: { queue: "parked" }, ...sizeOf("parkedDeliveries") },
            { label: t("work.parkedEvents"), filters: { queue: "events" }, ...sizeOf("parkedEvents") },
            { label: t("work.conflicts"), filters: { queue: "conflicts" }, ...sizeOf("tokenConflicts") },
            { label: t("work.unknown"), filters: { queue: "unknown" }, ...sizeOf("unknownChargers") },
            { label: t("work.drift"), filters: { queue: "drift" }, ...sizeOf("configurationDrifts") }
          ]}
        />
      </div>
      {queue === "parked" ? (
        <Parked />
      ) : queue === "events" ? (
        <ParkedEvents />
      ) : queue === "conflicts" ? (
        <Conflicts />
      ) : queue === "unknown" ? (
        <Unknown />
      ) : queue === "drift" ? (
        <Drifts />
      ) : (
        <Sessions key={queue ?? "held"} corrections={queue === "corrections"} />
      )}
    </section>
  )
}
