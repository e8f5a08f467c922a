/** Firmware campaigns and command batches, newest first. */
import { Act } from "../../parts/Act.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { Icon } from "../../parts/Icon.tsx"
import { Head, Lenses, PagedTable, Split, useOpen, useTitle } from "../../parts/Page.tsx"
import { useFilters, usePages } from "../../parts/pages.ts"
import { Empty } from "../../parts/States.tsx"
import type { Column } from "../../parts/Table.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t, word } from "../../text/text.ts"
import { NewCampaign } from "./NewCampaign.tsx"
import { batchesPath, campaignsPath, FirmwarePlaces } from "./Places.tsx"
import { Bar, progressText, type Rolled, RolloutPill } from "./Progress.tsx"

const columns = (): ReadonlyArray<Column<Rolled>> => [
  {
    id: "name",
    title: t("field.name"),
    phone: "name",
    isLink: true,
    cell: ({ name, type }) => (
      <>
        <b>
          <Outside>{name}</Outside>
        </b>{" "}
        {name === type ? null : <small>{word("commandType", type)}</small>}
      </>
    )
  },
  {
    id: "state",
    title: t("charger.state"),
    width: "190px",
    phone: "side",
    cell: (rollout) => <RolloutPill rollout={rollout} />
  },
  {
    id: "progress",
    title: t("rollout.progress"),
    width: "34%",
    phone: "second",
    cell: (rollout) => (
      <span className="rollout-progress">
        <Bar counts={rollout.counts} targets={rollout.targets} />
        <small>{progressText(rollout)}</small>
      </span>
    )
  },
  {
    id: "created",
    title: t("field.created"),
    width: "150px",
    from: "medium",
    cell: ({ createdAt }) => <Moment at={createdAt} />
  }
]

const states = ["Running", "Paused", "AwaitingApproval", "Completed", "Cancelled"] as const

const StateLenses = ({ kind }: { readonly kind: "campaigns" | "batches" }) => (
  <Lenses
    keys={["state"]}
    lenses={[
      { label: t("filter.all"), filters: { state: undefined } },
      ...states
        .filter((state) => kind === "campaigns" || state !== "AwaitingApproval")
        .map((state) => ({ label: word("rolloutState", state), filters: { state } }))
    ]}
  />
)

export const Campaigns = () => {
  const [filters, set] = useFilters()
  const open = useOpen()
  useTitle(t("rollout.campaigns"))
  const { state } = filters
  const pages = usePages("firmware-campaigns.list", { query: state === undefined ? {} : { state } })
  const add = () => set({ do: "add" })
  return (
    <Split label={t("rollout.campaigns")}>
      <Head title={t("place.files")} summary={t("rollout.campaignsAbout")}>
        <Act needs={["firmware-campaigns.create"]} kind="main" onClick={add}>
          <Icon name="plus" />
          <span>{t("rollout.newCampaign")}</span>
        </Act>
      </Head>
      <div className="filters">
        <FirmwarePlaces on="campaigns" />
        <StateLenses kind="campaigns" />
      </div>
      <PagedTable<Rolled>
        what={t("rollout.notRead")}
        label={t("rollout.campaigns")}
        pages={pages}
        columns={columns()}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `${campaignsPath}/${id}`}
        open={open}
        isFiltered={state !== undefined}
        empty={
          <Empty
            title={t("rollout.noCampaigns")}
            text={t("rollout.noCampaignsText")}
            action={
              <Act needs={["firmware-campaigns.create"]} kind="main" onClick={add}>
                {t("rollout.newCampaign")}
              </Act>
            }
          />
        }
      />
      {filters["do"] === "add" ? <NewCampaign onClose={() => set({ do: undefined })} /> : null}
    </Split>
  )
}

export const Batches = () => {
  const [filters] = useFilters()
  const open = useOpen()
  useTitle(t("rollout.batches"))
  const { state } = filters
  const pages = usePages("command-batches.list", { query: state === undefined ? {} : { state } })
  return (
    <Split label={t("rollout.batches")}>
      <Head title={t("place.files")} summary={t("rollout.batchesAbout")} />
      <div className="filters">
        <FirmwarePlaces on="batches" />
        <StateLenses kind="batches" />
      </div>
      <PagedTable<Rolled>
        what={t("rollout.notRead")}
        label={t("rollout.batches")}
        pages={pages}
        columns={columns()}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `${batchesPath}/${id}`}
        open={open}
        isFiltered={state !== undefined}
        empty={<Empty title={t("rollout.noBatches")} text={t("rollout.noBatchesText")} />}
      />
    </Split>
  )
}
