/** Sessions: running ones, today's, held ones and those that need a correction. */
import { useMemo } from "react"
import { siteName, useChargerNames } from "../live/store.ts"
import { Outside } from "../parts/Facts.tsx"
import { duration, kwh, money } from "../parts/format.ts"
import { useNow } from "../parts/now.ts"
import { FilterField, Head, Lenses, PagedTable, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty } from "../parts/States.tsx"
import { Pill, type Tone } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { Views } from "../parts/ViewsLater.tsx"
import { startOfToday } from "../parts/period.ts"
import { t, word } from "../text/text.ts"

type Session = Item<"sessions.list">

export const sessionTone = (session: Pick<Session, "status" | "heldReason" | "needsCorrection">): Tone =>
  session.heldReason !== null || session.needsCorrection
    ? "wait"
    : session.status === "ACTIVE" || session.status === "PENDING"
      ? "charge"
      : session.status === "INVALID"
        ? "bad"
        : "off"

export const sessionWord = (session: Pick<Session, "status" | "heldReason" | "needsCorrection">): string =>
  session.heldReason !== null
    ? t("session.held")
    : session.needsCorrection
      ? t("session.needsCorrection")
      : word("sessionStatus", session.status)

const Lasted = ({ session }: { readonly session: Session }) => {
  const now = useNow()
  const end = session.endedAt === null ? now : Date.parse(session.endedAt)
  return <>{duration(end - Date.parse(session.startedAt))}</>
}

const columns = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<Session>> => [
  {
    id: "state",
    title: t("charger.state"),
    width: "160px",
    phone: "side",
    cell: (session) => <Pill tone={sessionTone(session)}>{sessionWord(session)}</Pill>
  },
  {
    id: "started",
    title: t("session.started"),
    width: "150px",
    phone: "second",
    from: "narrow",
    cell: ({ startedAt }) => <Moment at={startedAt} />
  },
  {
    id: "charger",
    title: t("charger.one"),
    phone: "name",
    isLink: true,
    cell: ({ chargerId, evseId }) => (
      <>
        <b>
          <Outside>{names.get(chargerId) ?? chargerId}</Outside>
        </b>
        <span className="id">{evseId}</span>
      </>
    )
  },
  {
    id: "site",
    title: t("site.one"),
    from: "wide",
    cell: ({ siteId }) => <Outside>{siteName(siteId)}</Outside>
  },
  {
    id: "card",
    title: t("card.one"),
    from: "medium",
    cell: ({ roaming, tokenUid }) => (
      <>
        <Outside mono>{tokenUid}</Outside>
        {roaming === null ? null : <span className="id">{`${roaming.countryCode} ${roaming.partyId}`}</span>}
      </>
    )
  },
  {
    id: "lasted",
    title: t("session.duration"),
    width: "110px",
    align: "right",
    cell: (session) => <Lasted session={session} />
  },
  {
    id: "energy",
    title: t("session.energy"),
    width: "110px",
    align: "right",
    phone: "value",
    from: "narrow",
    cell: ({ energyWh }) => (
      <>
        {kwh(energyWh)}
        <small> kWh</small>
      </>
    )
  },
  {
    id: "cost",
    title: t("session.cost"),
    width: "120px",
    align: "right",
    from: "medium",
    cell: ({ cost }) => (cost === null ? <span className="none">–</span> : money(cost.inclVat, cost.currency))
  }
]

const beginning = new Date(0).toISOString()

export const Sessions = () => {
  const open = useOpen()
  const [filters] = useFilters()
  useTitle(t("place.sessions"))
  const names = useChargerNames()
  const table = useMemo(() => columns(names), [names])
  const { card, charger, lens, site } = filters
  const chosen = {
    ...(lens === "live" ? { status: "ACTIVE" } : {}),
    ...(lens === "today" ? { from: startOfToday() } : {}),
    ...(lens === "held" ? { held: true } : {}),
    ...(lens === "correction" ? { needsCorrection: true } : {}),
    ...(charger === undefined ? {} : { chargerId: charger }),
    ...(site === undefined ? {} : { siteId: site }),
    ...(card === undefined ? {} : { tokenUid: card })
  } as const
  // With a start time the list is ordered by start, otherwise by when the sessions were heard of.
  const query = lens === undefined ? { from: beginning, ...chosen } : chosen
  const pages = usePages("sessions.list", { query })
  return (
    <Split label={t("place.sessions")}>
      <Head title={t("place.sessions")}>
        <Views of="/sessions" />
      </Head>
      <div className="filters">
        <Lenses
          keys={["lens"]}
          lenses={[
            { label: t("filter.all"), filters: {} },
            { label: t("session.live"), filters: { lens: "live" } },
            { label: t("session.today"), filters: { lens: "today" } },
            { label: t("session.held"), filters: { lens: "held" } },
            { label: t("session.needsCorrection"), filters: { lens: "correction" } }
          ]}
        />
        <FilterField name="card" label={t("session.byCard")} />
        {charger === undefined ? null : <FilterChip name="charger" value={names.get(charger) ?? charger} />}
        {site === undefined ? null : <FilterChip name="site" value={siteName(site)} />}
      </div>
      <PagedTable
        what={t("session.notRead")}
        label={t("place.sessions")}
        pages={pages}
        columns={table}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/sessions/${id}`}
        open={open}
        isFiltered={Object.keys(chosen).length > 0}
        empty={<Empty title={t("session.noneYet")} text={t("session.noneYetText")} />}
      />
    </Split>
  )
}

/** A filter that came with a link, and a button that removes it. */
export const FilterChip = ({ name, value }: { readonly name: string; readonly value: string }) => {
  const [, set] = useFilters()
  return (
    <button type="button" className="chip" onClick={() => set({ [name]: undefined })}>
      <Outside>{value}</Outside> <span aria-hidden="true">×</span>
      <span className="hide">{t("filter.clear")}</span>
    </button>
  )
}
