/**
 * Sends the same command to many chargers: the service sends it to one after the other, and goes on when the page is closed. A configuration template
 * is applied charger by charger, since each needs other keys. A command that cannot be undone needs a confirmation that names the number of chargers;
 * above ten, the number has to be typed.
 */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import type { Row } from "../live/fleet.ts"
import { changed } from "../live/store.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { Form, Select, TextField } from "../parts/Form.tsx"
import { problemText } from "../parts/States.tsx"
import { t, tn } from "../text/text.ts"
import { batchesPath } from "./rollout/Places.tsx"
import { Bar, progressText, RolloutPill } from "./rollout/Progress.tsx"

export type BulkType = "Reset" | "ChangeAvailability" | "ApplyTemplate" | "ClearCache"

const typedFrom = 10

/** Chargers a minute: as many as the service allows, since the operator waits for it. */
const fastest = 60

/** Templates applied at a time: each charger answers independently. */
const atOnce = 4

interface Outcome {
  readonly id: string
  readonly text: string
  readonly isGood: boolean
}

const commandOf = (type: Exclude<BulkType, "ApplyTemplate">, kind: string) => {
  switch (type) {
    case "Reset":
      return { type, resetType: kind === "Hard" ? "Hard" : "Soft" } as const
    case "ChangeAvailability":
      return {
        type,
        connectorId: 0,
        operationalStatus: kind === "Inoperative" ? "Inoperative" : "Operative"
      } as const
    case "ClearCache":
      return { type } as const
  }
}

const apply = async (row: Row): Promise<Outcome> => {
  try {
    const { items } = await call("expectations.apply", { params: { chargerId: row.id }, body: {} })
    return { id: row.id, text: tn("bulk.keys", items.length), isGood: true }
  } catch (error) {
    return { id: row.id, text: problemText(error), isGood: false }
  }
}

/** The outcome for each charger to which the template was applied. */
const Applied = ({ outcomes, total }: { readonly outcomes: ReadonlyArray<Outcome>; readonly total: number }) => (
  <>
    <p role="status">
      {t("bulk.progress", {
        done: outcomes.length,
        total,
        failed: outcomes.filter(({ isGood }) => !isGood).length
      })}
    </p>
    <ul className="outcomes">
      {outcomes.map(({ id, isGood, text }) => (
        <li key={id} className={isGood ? "" : "trouble"}>
          <code>{id}</code> {text}
        </li>
      ))}
    </ul>
  </>
)

/** A batch in progress. */
const Going = ({ id }: { readonly id: string }) => {
  const { data } = useQuery({
    queryKey: ["command-batches.get", id],
    queryFn: () => call("command-batches.get", { params: { id } })
  })
  return data === undefined ? null : (
    <>
      <p role="status">
        <RolloutPill rollout={data} /> {progressText(data)}
      </p>
      <Bar counts={data.counts} targets={data.targets} />
      {data.state === "Running" ? <p className="secondary">{t("bulk.inBackground")}</p> : null}
    </>
  )
}

export const BulkCommand = ({
  onClose,
  rows,
  type
}: {
  readonly type: BulkType
  readonly rows: ReadonlyArray<Row>
  readonly onClose: () => void
}) => {
  const [outcomes, setOutcomes] = useState<ReadonlyArray<Outcome> | undefined>()
  const [batch, setBatch] = useState<string | undefined>()
  const charging = rows.filter(({ connectors }) => connectors.some(({ sessionId }) => sessionId !== undefined)).length
  const applyAll = async () => {
    const left = [...rows]
    const done: Array<Outcome> = []
    setOutcomes([])
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let row = left.shift(); row !== undefined; row = left.shift()) {
          done.push(await apply(row))
          setOutcomes([...done])
        }
      })
    )
  }
  if (outcomes !== undefined || batch !== undefined) {
    return (
      <Dialog title={t(`bulk.${type}`)} onClose={onClose}>
        {outcomes === undefined ? null : <Applied outcomes={outcomes} total={rows.length} />}
        {batch === undefined ? null : <Going id={batch} />}
        <div className="form-acts">
          {batch === undefined ? null : (
            <Link className="button" to={`${batchesPath}/${batch}` as never} search={{} as never}>
              {t("bulk.batch")}
            </Link>
          )}
          <button type="button" className="button main" onClick={onClose}>
            {t("action.close")}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={t(`bulk.${type}`)} onClose={onClose}>
      <Form
        danger={type === "Reset"}
        submit={tn("bulk.do", rows.length)}
        onCancel={onClose}
        onSubmit={async (values) => {
          if (type === "ApplyTemplate") return applyAll()
          const { id } = await call("command-batches.create", {
            body: {
              name: t(`bulk.${type}`),
              command: commandOf(type, values.text("kind")),
              chargerIds: rows.map((row) => row.id),
              perMinute: fastest
            }
          })
          changed("command-batches.list")
          setBatch(id)
        }}
      >
        <p>
          {tn("bulk.about", rows.length)} {charging > 0 ? tn("bulk.charging", charging) : null}
        </p>
        {type === "Reset" ? (
          <Select
            name="kind"
            label={t("command.resetType")}
            options={[
              ["Soft", t("command.soft")],
              ["Hard", t("command.hard")]
            ]}
          />
        ) : null}
        {type === "ChangeAvailability" ? (
          <Select
            name="kind"
            label={t("command.availability")}
            options={[
              ["Inoperative", t("command.inoperative")],
              ["Operative", t("command.operative")]
            ]}
          />
        ) : null}
        {rows.length > typedFrom ? (
          <TextField name="number" label={t("bulk.type", { n: rows.length })} required pattern={String(rows.length)} />
        ) : null}
      </Form>
    </Dialog>
  )
}
