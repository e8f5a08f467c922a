/** A charger's configuration: value, expected value, and where they differ. A value is changed in place, by a command. */
import { More } from "../../parts/Page.tsx"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { follow } from "../../live/commands.ts"
import type { Row } from "../../live/fleet.ts"
import { changed } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { type Item, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { t, tn } from "../../text/text.ts"
import { CommandDialog } from "../Commands.tsx"

export const Configuration = ({ row }: { readonly row: Row }) => {
  const pages = usePages("chargers.configuration", { params: { chargerId: row.id } })
  const keys = pages.rows as ReadonlyArray<Item<"chargers.configuration">>
  const [typed, setTyped] = useState("")
  const [edited, setEdited] = useState<Item<"chargers.configuration"> | undefined>()
  const [said, setSaid] = useState("")
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) {
    return <Failed what={t("configuration.notRead")} error={pages.error} retry={pages.retry} />
  }
  if (pages.isLoading) return <Loading rows={4} />
  const shown = keys.filter(({ key }) => key.toLowerCase().includes(typed.toLowerCase()))
  // A secret that the charger does not tell may differ, so it is set as well.
  const toSet = keys.filter(({ drift, missing, readonly, unknown }) => (drift || unknown) && !missing && !readonly)
  const isAsExpected = !keys.some(({ drift, unknown }) => drift || unknown)
  const apply = async () => {
    try {
      const { items } = await call("expectations.apply", { params: { chargerId: row.id }, body: {} })
      for (const command of items) follow(command)
      setSaid(tn("bulk.keys", items.length))
    } catch (error) {
      setSaid(problemText(error))
    }
  }
  const read = async () => {
    try {
      follow(await call("commands.issue", { params: { chargerId: row.id }, body: { type: "GetConfiguration" } }))
      changed("chargers.configuration")
    } catch (error) {
      setSaid(problemText(error))
    }
  }
  return (
    <>
      <div className="acts">
        <input
          type="search"
          className="small-field"
          aria-label={t("configuration.find")}
          placeholder={t("configuration.find")}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Act needs={["commands.issue"]} kind="small" onClick={() => void read()}>
          {t("configuration.read")}
        </Act>
        <Act needs={["expectations.apply"]} kind="small" off={toSet.length === 0} onClick={() => void apply()}>
          {isAsExpected ? t("configuration.asExpected") : tn("configuration.apply", toSet.length)}
        </Act>
      </div>
      {said === "" ? null : <p role="status">{said}</p>}
      {shown.length === 0 ? <p className="none">{t("configuration.none")}</p> : null}
      <ul className="rows">
        {shown.map((one) => (
          <li key={one.key}>
            <span>
              <code>
                <Outside>{one.key}</Outside>
              </code>
              <small className={one.drift || one.missing ? "trouble" : ""}>
                {one.missing ? t("configuration.missing") : <Outside>{one.value ?? "–"}</Outside>}
                {one.unknown ? ` · ${t("configuration.unknown")}` : null}
                {one.drift || one.unknown ? ` · ${t("configuration.expected", { value: one.expected ?? "" })}` : null}
              </small>
            </span>
            {one.readonly ? (
              <small>{t("configuration.readonly")}</small>
            ) : (
              <Act needs={["commands.issue"]} kind="small" onClick={() => setEdited(one)}>
                {t("action.change")}
              </Act>
            )}
          </li>
        ))}
      </ul>
      <More pages={pages} />
      {edited === undefined ? null : (
        <CommandDialog
          type="ChangeConfiguration"
          row={row}
          preset={{ key: edited.key, value: edited.secret ? "" : (edited.expected ?? edited.value ?? "") }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}
