/** Tariffs, with a short description of what each costs. */
import { useMemo } from "react"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { exact } from "../parts/format.ts"
import { Icon } from "../parts/Icon.tsx"
import { Head, Lenses, PagedTable, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty } from "../parts/States.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, tn, word } from "../text/text.ts"
import { Places } from "./tariff/Places.tsx"
import { TariffDialog } from "./tariff/TariffDialog.tsx"

export type TariffItem = Item<"tariffs.list">

/** The name that drivers see, or the first letters of the id. */
export const tariffName = ({ id, tariffAltText }: Pick<TariffItem, "id" | "tariffAltText">): string =>
  tariffAltText[0]?.text ?? id.slice(0, 8)

const unit = { ENERGY: "kWh", TIME: "h", PARKING_TIME: "h", FLAT: "" } as const

export const componentText = (
  { price, type }: { readonly type: keyof typeof unit; readonly price: number },
  currency: string
): string => `${exact(price)} ${currency}${unit[type] === "" ? "" : `/${unit[type]}`}`

/** The restrictions of an element in short form, for example 22:00–06:00. */
export const restrictionText = (restrictions: TariffItem["elements"][number]["restrictions"]): string => {
  if (restrictions === undefined) return t("tariff.always")
  const r = restrictions
  const parts = [
    r.startTime === undefined && r.endTime === undefined ? "" : `${r.startTime ?? "00:00"}–${r.endTime ?? "24:00"}`,
    r.dayOfWeek === undefined ? "" : r.dayOfWeek.map((day) => word("weekday", day)).join(" "),
    r.startDate === undefined && r.endDate === undefined ? "" : `${r.startDate ?? "…"}–${r.endDate ?? "…"}`,
    r.minKwh === undefined ? "" : `≥ ${exact(r.minKwh)} kWh`,
    r.maxKwh === undefined ? "" : `< ${exact(r.maxKwh)} kWh`,
    r.minPower === undefined ? "" : `≥ ${exact(r.minPower)} kW`,
    r.maxPower === undefined ? "" : `< ${exact(r.maxPower)} kW`,
    r.minDuration === undefined ? "" : `≥ ${exact(r.minDuration / 60)} min`,
    r.maxDuration === undefined ? "" : `< ${exact(r.maxDuration / 60)} min`,
    r.reservation === undefined ? "" : word("dimension", r.reservation)
  ].filter(Boolean)
  return parts.length === 0 ? t("tariff.always") : parts.join(" · ")
}

const columns = (): ReadonlyArray<Column<TariffItem>> => [
  {
    id: "name",
    title: t("tariff.one"),
    phone: "name",
    isLink: true,
    cell: (tariff) => (
      <b>
        <Outside>{tariffName(tariff)}</Outside>
      </b>
    )
  },
  {
    id: "price",
    title: t("tariff.prices"),
    phone: "second",
    width: "46%",
    cell: ({ currency, elements }) => (
      <Outside>
        {elements
          .flatMap(({ priceComponents }) => priceComponents.map((one) => componentText(one, currency)))
          .slice(0, 4)
          .join(", ")}
      </Outside>
    )
  },
  {
    id: "elements",
    title: t("tariff.elements"),
    width: "110px",
    from: "medium",
    cell: ({ elements }) => tn("tariff.count", elements.length)
  },
  {
    id: "version",
    title: t("tariff.versionShort"),
    width: "90px",
    phone: "side",
    cell: ({ version }) => `v${version}`
  },
  {
    id: "updated",
    title: t("field.updated"),
    width: "150px",
    from: "medium",
    cell: ({ lastUpdated }) => <Moment at={lastUpdated} />
  }
]

export const Tariffs = () => {
  const [filters, set] = useFilters()
  const open = useOpen()
  useTitle(t("place.tariffs"))
  const pages = usePages("tariffs.list", { query: {} })
  const table = useMemo(columns, [])
  const add = () => set({ do: "add" })
  return (
    <Split label={t("place.tariffs")}>
      <Head title={t("place.tariffs")}>
        <Act needs={["tariffs.create"]} kind="main" onClick={add}>
          <Icon name="plus" />
          <span>{t("tariff.add")}</span>
        </Act>
      </Head>
      <div className="filters">
        <Lenses
          keys={["view"]}
          lenses={[
            { label: t("tariff.list"), filters: {} },
            { label: t("tariff.places"), filters: { view: "places" } }
          ]}
        />
      </div>
      {filters["view"] === "places" ? <Places /> : null}
      {filters["view"] === "places" ? null : (
        <PagedTable
          what={t("tariff.notRead")}
          label={t("place.tariffs")}
          pages={pages}
          columns={table}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/tariffs/${id}`}
          open={open}
          empty={
            <Empty
              title={t("tariff.noneYet")}
              text={t("tariff.noneYetText")}
              action={
                <Act needs={["tariffs.create"]} kind="main" onClick={add}>
                  {t("tariff.add")}
                </Act>
              }
            />
          }
        />
      )}
      {filters["do"] === "add" ? <TariffDialog onClose={() => set({ do: undefined })} /> : null}
    </Split>
  )
}
