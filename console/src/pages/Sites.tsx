/** Sites, with the state of their chargers and their present power. */
import { useMemo } from "react"
import { call } from "../api/client.ts"
import { useLive } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Outside } from "../parts/Facts.tsx"
import { Form, Select, TextField, zoneOptions } from "../parts/Form.tsx"
import { kw } from "../parts/format.ts"
import { Icon } from "../parts/Icon.tsx"
import { SiteMap } from "../parts/SiteMap.tsx"
import { FilterField, Head, Lenses, PagedTable, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty, Failed, Loading } from "../parts/States.tsx"
import { Pill, type Tone } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { changed } from "../live/store.ts"
import { t, tn } from "../text/text.ts"

type Site = Item<"sites.list">

export interface SiteSum {
  readonly total: number
  readonly trouble: number
  readonly charging: number
  readonly powerW: number
}

export const useSiteSums = (): ReadonlyMap<string, SiteSum> => {
  const { rows } = useLive()
  return useMemo(() => {
    const sums = new Map<string, SiteSum>()
    for (const { connectors, powerW, siteId, state } of rows) {
      const old = sums.get(siteId) ?? { total: 0, trouble: 0, charging: 0, powerW: 0 }
      sums.set(siteId, {
        total: old.total + 1,
        trouble: old.trouble + (state === "Faulted" || state === "Offline" ? 1 : 0),
        charging: old.charging + connectors.filter(({ sessionId }) => sessionId !== undefined).length,
        powerW: old.powerW + (powerW ?? 0)
      })
    }
    return sums
  }, [rows])
}

/** Whether partners see a site, in the same words in the list and on the site's page. A published site may lack required data. */
export const seenByPartners = ({ ocpi, publish }: Pick<Site, "ocpi" | "publish">): readonly [Tone, string] =>
  !publish ? ["off", t("site.private")] : ocpi.published ? ["ok", t("site.published")] : ["wait", t("site.notSeen")]

const columns = (sums: ReadonlyMap<string, SiteSum>): ReadonlyArray<Column<Site>> => [
  {
    id: "name",
    title: t("site.one"),
    phone: "name",
    isLink: true,
    cell: ({ name }) => (
      <b>
        <Outside>{name}</Outside>
      </b>
    )
  },
  {
    id: "address",
    title: t("site.address"),
    from: "medium",
    cell: ({ city, streetAddress, streetNumber }) => (
      <Outside>{[[streetAddress, streetNumber].filter(Boolean).join(" "), city].filter(Boolean).join(", ")}</Outside>
    )
  },
  {
    id: "chargers",
    title: t("place.chargers"),
    width: "160px",
    phone: "second",
    cell: ({ id }) => {
      const sum = sums.get(id)
      return sum === undefined ? (
        <span className="none">–</span>
      ) : (
        <>
          <span className="off-phone">{sum.total}</span>
          <span className="on-phone">{tn("site.chargers", sum.total)}</span>
          {sum.trouble > 0 ? <span className="trouble"> {tn("site.trouble", sum.trouble)}</span> : null}
        </>
      )
    }
  },
  {
    id: "power",
    title: t("charger.power"),
    width: "110px",
    align: "right",
    phone: "value",
    from: "narrow",
    cell: ({ id }) => (
      <>
        {kw(sums.get(id)?.powerW ?? 0)}
        <small> kW</small>
      </>
    )
  },
  {
    id: "published",
    title: t("site.partners"),
    width: "220px",
    phone: "side",
    from: "medium",
    cell: (site) => {
      const [tone, text] = seenByPartners(site)
      return <Pill tone={tone}>{text}</Pill>
    }
  }
]

const ownZone = (site: Site | undefined): string => site?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

export const Sites = () => {
  const [filters, set] = useFilters()
  const open = useOpen()
  const sums = useSiteSums()
  useTitle(t("place.sites"))
  const pages = usePages("sites.list", { query: { limit: 500 } })
  const typed = (filters["q"] ?? "").toLowerCase()
  const rows = useMemo(
    () =>
      typed === ""
        ? pages.rows
        : pages.rows.filter(({ city, name, streetAddress }) =>
            `${name} ${city ?? ""} ${streetAddress ?? ""}`.toLowerCase().includes(typed)
          ),
    [pages.rows, typed]
  )
  const table = useMemo(() => columns(sums), [sums])
  const isMap = filters["view"] === "map"
  const add = () => set({ do: "add" })
  return (
    <Split label={t("place.sites")}>
      <Head title={t("place.sites")}>
        <Act needs={["sites.create"]} kind="main" onClick={add}>
          <Icon name="plus" />
          <span>{t("site.add")}</span>
        </Act>
      </Head>
      <div className="filters">
        <Lenses
          keys={["view"]}
          lenses={[
            { label: t("site.list"), filters: {} },
            { label: t("site.map"), filters: { view: "map" } }
          ]}
        />
        <FilterField label={t("site.filter")} />
      </div>
      {isMap && pages.error !== null ? (
        <Failed what={t("site.notRead")} error={pages.error} retry={pages.retry} />
      ) : isMap && pages.isLoading ? (
        <Loading />
      ) : isMap ? (
        <SiteMap sites={rows} sums={sums} />
      ) : (
        <PagedTable
          what={t("site.notRead")}
          label={t("place.sites")}
          pages={{ ...pages, rows }}
          columns={table}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/sites/${id}`}
          open={open}
          isFiltered={typed !== ""}
          empty={
            <Empty
              title={t("site.noneYet")}
              text={t("site.noneYetText")}
              action={
                <Act needs={["sites.create"]} kind="main" onClick={add}>
                  {t("site.add")}
                </Act>
              }
            />
          }
        />
      )}
      {filters["do"] === "add" ? (
        <Dialog title={t("site.add")} onClose={() => set({ do: undefined })}>
          <SiteForm
            submit={t("site.add")}
            onCancel={() => set({ do: undefined })}
            onSubmit={async (body) => {
              await call("sites.create", { body })
              changed("sites.list")
              set({ do: undefined })
            }}
          />
        </Dialog>
      ) : null}
    </Split>
  )
}

type SiteBody = Parameters<typeof call<"sites.create">>[1]["body"]

export const SiteForm = ({
  onCancel,
  onSubmit,
  site,
  submit
}: {
  readonly site?: Site
  readonly submit: string
  readonly onCancel: () => void
  readonly onSubmit: (body: SiteBody) => Promise<unknown>
}) => (
  <Form
    submit={submit}
    onCancel={onCancel}
    fields={[
      "name",
      "timeZone",
      "streetAddress",
      "streetNumber",
      "postalNumber",
      "city",
      "country",
      "latitude",
      "longitude"
    ]}
    onSubmit={(values) => {
      const text = (name: string) => values.optional(name) ?? null
      return onSubmit({
        name: values.text("name"),
        timeZone: values.text("timeZone"),
        streetAddress: text("streetAddress"),
        streetNumber: text("streetNumber"),
        postalNumber: text("postalNumber"),
        city: text("city"),
        country: text("country"),
        latitude: values.number("latitude") ?? null,
        longitude: values.number("longitude") ?? null,
        publish: values.text("publish") === "yes"
      })
    }}
  >
    <TextField name="name" label={t("field.name")} required autoFocus defaultValue={site?.name ?? ""} maxLength={100} />
    <div className="field-pair">
      <TextField name="streetAddress" label={t("site.street")} defaultValue={site?.streetAddress ?? ""} />
      <TextField name="streetNumber" label={t("site.number")} defaultValue={site?.streetNumber ?? ""} />
    </div>
    <div className="field-pair">
      <TextField name="postalNumber" label={t("site.postal")} defaultValue={site?.postalNumber ?? ""} />
      <TextField name="city" label={t("site.city")} defaultValue={site?.city ?? ""} />
    </div>
    <TextField
      name="country"
      label={t("site.country")}
      hint={t("site.countryHint")}
      defaultValue={site?.country ?? ""}
    />
    <div className="field-pair">
      <TextField
        name="latitude"
        label={t("site.latitude")}
        type="number"
        step="any"
        defaultValue={site?.latitude ?? ""}
      />
      <TextField
        name="longitude"
        label={t("site.longitude")}
        type="number"
        step="any"
        defaultValue={site?.longitude ?? ""}
      />
    </div>
    <Select
      name="timeZone"
      label={t("field.timeZone")}
      defaultValue={ownZone(site)}
      options={zoneOptions(ownZone(site))}
    />
    <Select
      name="publish"
      label={t("site.partners")}
      defaultValue={site?.publish === false ? "no" : "yes"}
      options={[
        ["yes", t("site.toPublish")],
        ["no", t("site.private")]
      ]}
    />
  </Form>
)
