/** Reservations: a day of them in lanes, all of them as a list, reserving and cancelling. */
import { useState } from "react"
import { useChargerNames, useLive } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { History } from "../parts/History.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Head, Lenses, PagedTable, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty } from "../parts/States.tsx"
import { Pill, type Tone } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, word } from "../text/text.ts"
import { CommandDialog } from "./Commands.tsx"
import { Lanes } from "./reservation/Lanes.tsx"
import { Reserve } from "./reservation/Reserve.tsx"

type Reservation = Item<"reservations.list">

const toneOf = (status: string): Tone =>
  status === "Active" ? "busy" : status === "Used" ? "ok" : status === "Pending" ? "wait" : "off"

export const Reservations = () => {
  const { rows } = useLive()
  const [filters, set] = useFilters()
  const [cancelled, setCancelled] = useState<Reservation | undefined>()
  useTitle(t("place.reservations"))
  const names = useChargerNames()
  const { status } = filters
  const pages = usePages("reservations.list", { query: status === undefined ? {} : { status } })
  const charger = rows.find(({ id }) => id === cancelled?.chargerId)
  const columns: ReadonlyArray<Column<Reservation>> = [
    {
      id: "charger",
      title: t("charger.one"),
      phone: "name",
      cell: ({ chargerId, connectorId }) => (
        <>
          <b>
            <Outside>{names.get(chargerId) ?? chargerId}</Outside>
          </b>{" "}
          <small>{connectorId === 0 ? t("connector.any") : t("connector.one", { id: connectorId })}</small>
        </>
      )
    },
    {
      id: "status",
      title: t("charger.state"),
      width: "140px",
      phone: "side",
      cell: (one) => <Pill tone={toneOf(one.status)}>{word("reservationStatus", one.status)}</Pill>
    },
    { id: "card", title: t("card.one"), phone: "second", cell: ({ idTag }) => <Outside mono>{idTag}</Outside> },
    {
      id: "expires",
      title: t("reservation.until"),
      width: "160px",
      phone: "value",
      cell: ({ expiryDate }) => <Moment at={expiryDate} />
    },
    {
      id: "act",
      title: t("table.act"),
      width: "180px",
      cell: (one) => (
        <span className="acts">
          {one.status === "Active" || one.status === "Pending" ? (
            <Act needs={["commands.issue"]} kind="small" onClick={() => setCancelled(one)}>
              {t("action.cancel")}
            </Act>
          ) : null}
          {/* It is made and cancelled by commands to its charger. */}
          <History of={{ subject: `charger:${one.chargerId}`, action: "CommandIssued" }} />
        </span>
      )
    }
  ]
  return (
    <section className="page list" aria-label={t("place.reservations")}>
      <Head title={t("place.reservations")}>
        <Act needs={["commands.issue"]} kind="main" onClick={() => set({ do: "add" })}>
          <Icon name="plus" />
          <span>{t("reservation.add")}</span>
        </Act>
      </Head>
      <div className="filters">
        <Lenses
          keys={["status"]}
          lenses={[
            { label: t("filter.all"), filters: {} },
            ...(["Active", "Used", "Cancelled", "Expired", "Rejected"] as const).map((one) => ({
              label: word("reservationStatus", one),
              filters: { status: one }
            }))
          ]}
        />
      </div>
      <Lanes reservations={pages.rows} names={names} />
      <PagedTable
        what={t("reservation.notRead")}
        label={t("place.reservations")}
        pages={pages}
        columns={columns}
        keyOf={({ chargerId, reservationId }) => `${chargerId}.${reservationId}`}
        isFiltered={status !== undefined}
        empty={<Empty title={t("reservation.noneYet")} text={t("reservation.noneYetText")} />}
      />
      {filters["do"] === "add" ? <Reserve onClose={() => set({ do: undefined })} /> : null}
      {cancelled === undefined || charger === undefined ? null : (
        <CommandDialog
          type="CancelReservation"
          row={charger}
          preset={{ reservationId: String(cancelled.reservationId) }}
          onClose={() => setCancelled(undefined)}
        />
      )}
    </section>
  )
}
