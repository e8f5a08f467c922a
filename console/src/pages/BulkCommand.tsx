/** The same command for many chargers. What cannot be undone asks once and names the number; above ten the number has to be typed. */
import { useState } from "react"
import { call } from "../api/client.ts"
import { follow } from "../live/commands.ts"
import type { Row } from "../live/fleet.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { Form, Select, TextField } from "../parts/Form.tsx"
import { problemText } from "../parts/States.tsx"
import { t, tn } from "../text/text.ts"

export type BulkType = "Reset" | "ChangeAvailability" | "ApplyTemplate" | "ClearCache"

const typedFrom = 10

/** Commands at a time: each charger answers by itself, and the service limits what one person asks at once. */
const atOnce = 4

interface Outcome {
  readonly id: string
  readonly text: string
  readonly isGood: boolean
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
  const charging = rows.filter(({ connectors }) => connectors.some(({ sessionId }) => sessionId !== undefined)).length
  const send = async (row: Row, kind: string): Promise<Outcome> => {
    const params = { chargerId: row.id }
    try {
      if (type === "ApplyTemplate") {
        const { items } = await call("expectations.apply", { params, body: {} })
        return { id: row.id, text: tn("bulk.keys", items.length), isGood: true }
      }
      const command = await call("commands.issue", {
        params,
        body:
          type === "Reset"
            ? { type, resetType: kind === "Hard" ? "Hard" : "Soft" }
            : type === "ClearCache"
              ? { type }
              : { type, connectorId: 0, operationalStatus: kind === "Inoperative" ? "Inoperative" : "Operative" }
      })
      follow(command)
      return { id: row.id, text: t("bulk.sent"), isGood: true }
    } catch (error) {
      return { id: row.id, text: problemText(error), isGood: false }
    }
  }
  if (outcomes !== undefined) {
    return (
      <Dialog title={t(`bulk.${type}`)} onClose={onClose}>
        <p role="status">
          {t("bulk.progress", {
            done: outcomes.length,
            total: rows.length,
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
        <div className="form-acts">
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
          const left = [...rows]
          const done: Array<Outcome> = []
          setOutcomes([])
          await Promise.all(
            Array.from({ length: atOnce }, async () => {
              for (let row = left.shift(); row !== undefined; row = left.shift()) {
                done.push(await send(row, values.text("kind")))
                setOutcomes([...done])
              }
            })
          )
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
