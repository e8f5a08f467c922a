/** Reserving from the page: the charger first, then what its command asks for. */
import { useMemo, useState } from "react"
import { useLive } from "../../live/store.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Form, TextField } from "../../parts/Form.tsx"
import { t, word } from "../../text/text.ts"
import { CommandDialog } from "../Commands.tsx"

const offered = 2_000

export const Reserve = ({ onClose }: { readonly onClose: () => void }) => {
  const { rows } = useLive()
  const [chargerId, setCharger] = useState<string | undefined>()
  const [said, setSaid] = useState("")
  const labels = useMemo(
    () => new Map(rows.slice(0, offered).map(({ id, name }) => [name === id ? id : `${name} (${id})`, id])),
    [rows]
  )
  const row = rows.find(({ id }) => id === chargerId)
  if (row !== undefined) return <CommandDialog type="ReserveNow" row={row} onClose={onClose} />
  return (
    <Dialog title={word("commandType", "ReserveNow")} onClose={onClose}>
      <Form
        submit={t("action.next")}
        onCancel={onClose}
        onSubmit={async (values) => {
          const given = values.text("charger").trim()
          const found = labels.get(given) ?? rows.find(({ id, name }) => id === given || name === given)?.id
          setCharger(found)
          setSaid(found === undefined ? t("reservation.noCharger") : "")
        }}
      >
        <TextField name="charger" label={t("charger.one")} list="reserve-chargers" required autoFocus />
        <datalist id="reserve-chargers">
          {[...labels.keys()].map((label) => (
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
