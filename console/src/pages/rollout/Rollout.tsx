/** One firmware campaign or command batch: its progress, the decisions that can be made about it, and the outcome for each charger. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { changed, useCharger } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { useActors } from "../../parts/actors.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Facts, Outside } from "../../parts/Facts.tsx"
import { Form } from "../../parts/Form.tsx"
import { Lenses, More, Side, useOpen, useTitle } from "../../parts/Page.tsx"
import { useFilters, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { Ago, Moment } from "../../parts/Time.tsx"
import { t, tn, word } from "../../text/text.ts"
import { Bar, countsOf, progressText, type Rolled, RolloutPill, TargetPill } from "./Progress.tsx"
import { batchesPath, campaignsPath } from "./Places.tsx"

type Campaign = Answer<"firmware-campaigns.get">
type Target = Answer<"command-batches.targets">["items"][number]

const batchCalls = {
  list: "command-batches.list",
  get: "command-batches.get",
  targets: "command-batches.targets",
  pause: "command-batches.pause",
  resume: "command-batches.resume",
  cancel: "command-batches.cancel"
} as const

const campaignCalls = {
  list: "firmware-campaigns.list",
  get: "firmware-campaigns.get",
  targets: "firmware-campaigns.targets",
  pause: "firmware-campaigns.pause",
  resume: "firmware-campaigns.resume",
  cancel: "firmware-campaigns.cancel"
} as const

type Calls = typeof batchCalls | typeof campaignCalls

const TargetRow = ({ target: { chargerId, detail, endedAt, issuedAt, state } }: { readonly target: Target }) => {
  const name = useCharger(chargerId)?.name
  return (
    <li>
      <span>
        <Link to={`/chargers/${encodeURIComponent(chargerId)}` as never} search={{ tab: "commands" } as never}>
          <b>
            <Outside>{name ?? chargerId}</Outside>
          </b>
        </Link>
        {detail === null ? null : (
          <small className={state === "Failed" ? "trouble" : ""}>
            <Outside>{word("targetDetail", detail)}</Outside>
          </small>
        )}
      </span>
      <span className="acts">
        <small>
          <Ago at={endedAt ?? issuedAt} />
        </small>
        <TargetPill state={state} />
      </span>
    </li>
  )
}

const Targets = ({ calls, id, rollout }: { readonly calls: Calls; readonly id: string; readonly rollout: Rolled }) => {
  const [{ of }] = useFilters()
  const pages = usePages(calls.targets, { params: { id }, query: of === undefined ? {} : { state: of } })
  return (
    <section aria-label={t("place.chargers")}>
      <Lenses
        keys={["of"]}
        lenses={[
          { label: t("filter.all"), filters: { of: undefined }, count: rollout.targets },
          ...countsOf(rollout.counts)
            .filter(([state, count]) => count > 0 || state === of)
            .map(([state, count]) => ({ label: word("targetState", state), filters: { of: state }, count }))
        ]}
      />
      {pages.error === null ? null : <Failed what={t("rollout.notRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading rows={4} /> : null}
      <ul className="rows">
        {pages.rows.map((target) => (
          <TargetRow key={target.chargerId} target={target} />
        ))}
      </ul>
      <More pages={pages} />
    </section>
  )
}

const Image = ({ id }: { readonly id: string }) => {
  const isShown = missingFor(useMe(), "files.get").length === 0
  const { data } = useQuery({
    queryKey: ["files.get", id],
    enabled: isShown,
    queryFn: () => call("files.get", { params: { id } })
  })
  return <Outside mono>{data?.name ?? id}</Outside>
}

const Plan = ({ rollout }: { readonly rollout: Rolled | Campaign }) => {
  const actorName = useActors()
  const campaign = "waves" in rollout ? rollout : undefined
  return (
    <Facts
      rows={[
        [t("rollout.progress"), progressText(rollout)],
        [t("rollout.command"), word("commandType", rollout.type)],
        ...Object.entries(rollout.parameters).map(([name, value]) =>
          name === "fileId"
            ? ([t("rollout.image"), <Image key={name} id={String(value)} />] as const)
            : ([
                name,
                <Outside key={name} mono>
                  {typeof value === "string" ? value : JSON.stringify(value)}
                </Outside>
              ] as const)
        ),
        ...(campaign === undefined
          ? []
          : ([
              [t("rollout.version"), campaign.version],
              [
                t("rollout.wave"),
                t("rollout.waveOf", {
                  wave: campaign.wave,
                  waves: campaign.waves.length,
                  end: campaign.waves[campaign.wave - 1] ?? rollout.targets
                })
              ],
              [
                t("rollout.window"),
                campaign.window === null ? t("rollout.always") : `${campaign.window.from}–${campaign.window.to}`
              ]
            ] as const)),
        [t("rollout.pace"), tn("rollout.perMinute", rollout.perMinute)],
        [
          t("rollout.pauses"),
          rollout.pauseAfterFailures === null ? t("rollout.never") : tn("rollout.failures", rollout.pauseAfterFailures)
        ],
        [t("field.by"), <Outside key="by">{actorName(rollout.createdBy)}</Outside>],
        [t("field.created"), <Moment key="created" at={rollout.createdAt} />],
        ...(campaign === undefined || campaign.approvedBy === null
          ? []
          : [[t("rollout.approvedBy"), <Outside key="approved">{actorName(campaign.approvedBy)}</Outside>] as const]),
        rollout.endedAt === null
          ? [t("rollout.ends"), <Moment key="ends" at={rollout.endsAt} />]
          : [t("rollout.ended"), <Moment key="ended" at={rollout.endedAt} />]
      ]}
    />
  )
}

const Acts = ({
  calls,
  onCancel,
  onDone,
  rollout
}: {
  readonly calls: Calls
  readonly rollout: Rolled
  readonly onCancel: () => void
  readonly onDone: (problem: string) => void
}) => {
  const params = { id: rollout.id }
  const attempt = (work: Promise<unknown>) =>
    void work
      .then(() => {
        changed(calls.list, calls.get, calls.targets)
        onDone("")
      })
      .catch((error: unknown) => onDone(problemText(error)))
  const isOver = rollout.state === "Completed" || rollout.state === "Cancelled"
  if (isOver) return null
  return (
    <>
      {rollout.state === "AwaitingApproval" ? (
        <Act
          needs={["firmware-campaigns.approve"]}
          kind="main"
          onClick={() => attempt(call("firmware-campaigns.approve", { params }))}
        >
          {t("rollout.approve")}
        </Act>
      ) : null}
      {rollout.state === "Running" ? (
        <Act needs={[calls.pause]} onClick={() => attempt(call(calls.pause, { params }))}>
          {t("rollout.pause")}
        </Act>
      ) : null}
      {rollout.state === "Paused" ? (
        <Act needs={[calls.resume]} kind="main" onClick={() => attempt(call(calls.resume, { params }))}>
          {t("rollout.resume")}
        </Act>
      ) : null}
      <Act needs={[calls.cancel]} onClick={onCancel}>
        {t("rollout.cancel")}
      </Act>
    </>
  )
}

const Rollout = ({ back, calls, label }: { readonly calls: Calls; readonly back: string; readonly label: string }) => {
  const id = useOpen() ?? ""
  const missing = missingFor(useMe(), calls.get)
  const [said, setSaid] = useState("")
  const [isCancelling, setCancelling] = useState(false)
  const { data, error, refetch } = useQuery<Rolled>({
    queryKey: [calls.get, id],
    enabled: missing.length === 0,
    queryFn: () => call(calls.get, { params: { id } })
  })
  useTitle(data?.name ?? label)
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const frame = { back, label }
  if (data === undefined) {
    return (
      <Side {...frame} title={label}>
        {error === null ? (
          <Loading />
        ) : (
          <Failed what={t("rollout.notRead")} error={error} retry={() => void refetch()} />
        )}
      </Side>
    )
  }
  return (
    <Side
      {...frame}
      history={`rollout:${id}`}
      title={<Outside>{data.name}</Outside>}
      sub={<RolloutPill rollout={data} />}
      acts={<Acts calls={calls} rollout={data} onCancel={() => setCancelling(true)} onDone={setSaid} />}
    >
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      {data.pauseReason === "Failures" ? <p className="note">{t("rollout.pausedText")}</p> : null}
      {data.state === "AwaitingApproval" ? <p className="note">{t("rollout.approvalText")}</p> : null}
      <Bar counts={data.counts} targets={data.targets} />
      <Plan rollout={data} />
      <Targets calls={calls} id={id} rollout={data} />
      {isCancelling ? (
        <Dialog title={t("rollout.cancelTitle", { name: data.name })} onClose={() => setCancelling(false)}>
          <Form
            danger
            submit={t("rollout.cancel")}
            onSubmit={async () => {
              await call(calls.cancel, { params: { id } })
              changed(calls.list, calls.get, calls.targets)
              setCancelling(false)
            }}
          >
            <p>{tn("rollout.cancelText", data.counts.waiting)}</p>
          </Form>
        </Dialog>
      ) : null}
    </Side>
  )
}

export const Campaign = () => <Rollout calls={campaignCalls} back={campaignsPath} label={t("rollout.campaign")} />
export const Batch = () => <Rollout calls={batchCalls} back={batchesPath} label={t("rollout.batch")} />
