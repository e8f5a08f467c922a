/** Making a reservation from its page: choose the charger, then fill in the fields of its command. */
import { useMemo, useState } from "react"
import type { Row } from "../../live/fleet.ts"
import { allRows, useLive } from "../../live/store.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Form, TextField } from "../../parts/Form.tsx"
import { t, word } from "../../text/text.ts"
import { CommandDialog } from "../Commands.tsx"

const offered = 2_000

const labelOf = ({ id, name }: Row): string => (name === id ? id : `${name} (${id})`)

export const Reserve = ({ onClose }: { readonly onClose: () => void }) => {
  const { rows } = useLive()
  const [chargerId, setCharger] = useState<string | undefined>()
  const [said, setSaid] = useState("")
  const labels = useMemo(() => rows.slice(0, offered).map(labelOf), [rows])
  const row = rows.find(({ id }) => id === chargerId)
  if (row !== undefined) return <CommandDialog type="ReserveNow" row={row} onClose={onClose} />
  return (
    <Dialog title={word("commandType", "ReserveNow")} onClose={onClose}>
      <Form
        submit={t("action.next")}
        onCancel={onClose}
        onSubmit={async (values) => {
          const given = values.text("charger").trim()
          const isMeant = (one: Row) => one.id === given || one.name === given || labelOf(one) === given
          const found = (await allRows()).find(isMeant)?.id
          setCharger(found)
          setSaid(found === undefined ? t("reservation.noCharger") : "")
        }}
      >
        <TextField name="charger" label={t("charger.one")} list="reserve-chargers" required autoFocus />
        <datalist id="reserve-chargers">
          {labels.map((label) => (
            <option key={label} value={label} />
          ))}
        </datalist>
        {said === "" ? null : (
          <p className="failed" role="alert">
            {said}
          </p>
        )}
      </Form>
    </Dialog>
  )
}
