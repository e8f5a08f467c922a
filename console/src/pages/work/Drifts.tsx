/** Chargers whose configuration differs from what is expected: which keys, and the two solutions: set them, or open the charger. */
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { useShortcut } from "../../app/shortcuts.ts"
import { follow } from "../../live/commands.ts"
import { useCharger } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { type Item, usePages } from "../../parts/pages.ts"
import { Empty, Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { Ago, Moment } from "../../parts/Time.tsx"
import { t, tn } from "../../text/text.ts"
import { Gone } from "./Gone.tsx"
import { useSelection } from "./selection.ts"

type Drift = Item<"expectations.drifts">

/** The keys that differ, with the charger's value and the expected one. */
const Keys = ({ chargerId }: { readonly chargerId: string }) => {
  const pages = usePages("chargers.configuration", { params: { chargerId } })
  const keys: ReadonlyArray<Item<"chargers.configuration">> = pages.rows
  if (pages.error !== null) return <Failed what={t("configuration.notRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={2} />
  return (
    <ul className="rows">
      {keys
        .filter(({ drift }) => drift)
        .map(({ expected, key, missing, readonly, value }) => (
          <li key={key}>
            <span>
              <code>
                <Outside>{key}</Outside>
              </code>
              <small className={missing || readonly ? "" : "trouble"}>
                {missing ? t("configuration.missing") : <Outside>{value ?? "–"}</Outside>}
                {` · ${t("configuration.expected", { value: expected ?? "" })}`}
              </small>
            </span>
            {readonly ? <small>{t("configuration.readonly")}</small> : null}
          </li>
        ))}
    </ul>
  )
}

const Chosen = ({ drift, onApplied }: { readonly drift: Drift; readonly onApplied: () => void }) => {
  const { chargerId, firmwareVersion, keys, model, name, siteName, since, vendor } = drift
  const [said, setSaid] = useState("")
  const [isBusy, setBusy] = useState(false)
  const row = useCharger(chargerId)
  const me = useMe()
  const go = useNavigate()
  const configuration = `/chargers/${encodeURIComponent(chargerId)}`
  const apply = async () => {
    setBusy(true)
    try {
      const { items } = await call("expectations.apply", { params: { chargerId }, body: {} })
      for (const command of items) follow(command)
      onApplied()
      setSaid(tn("bulk.keys", items.length))
    } catch (error) {
      setSaid(problemText(error))
    } finally {
      setBusy(false)
    }
  }
  const mayApply = missingFor(me, "expectations.apply").length === 0
  useShortcut("a", t("drift.apply"), () => void apply(), mayApply && !isBusy)
  useShortcut(
    "o",
    t("drift.open"),
    () => void go({ to: configuration as never, search: { tab: "configuration" } as never })
  )
  return (
    <section>
      <h2>
        <Outside>{name}</Outside>
      </h2>
      <p className="secondary">
        <Outside mono>{chargerId}</Outside> · <Outside>{siteName}</Outside> ·{" "}
        <Outside>{`${vendor} ${model} ${firmwareVersion}`}</Outside> · {t("drift.since")} <Moment at={since} />
      </p>
      {row?.connected === false ? <p className="notice">{t("drift.offline")}</p> : null}
      <Keys chargerId={chargerId} />
      {said === "" ? null : <p role="status">{said}</p>}
      <div className="acts">
        <Act needs={["expectations.apply"]} busy={isBusy} onClick={() => void apply()}>
          {tn("configuration.apply", keys)}
        </Act>
        <Link className="button" to={configuration as never} search={{ tab: "configuration" } as never}>
          {t("drift.open")}
        </Link>
      </div>
    </section>
  )
}

export const Drifts = () => {
  const pages = usePages("expectations.drifts", { query: {} })
  const rows: ReadonlyArray<Drift> = pages.rows
  const selection = useSelection(rows.map(({ chargerId }) => chargerId))
  const chosen = rows.find(({ chargerId }) => chargerId === selection.chosen)
  useShortcut("j", t("key.next"), () => selection.move(1))
  useShortcut("k", t("key.previous"), () => selection.move(-1))
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("drift.notRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading />
  if (rows.length === 0) return <Empty title={t("work.empty")} text={t("drift.none")} />
  return (
    <div className="queue">
      <ol>
        {rows.map((drift) => (
          <li key={drift.chargerId}>
            <button type="button" aria-current={drift === chosen} onClick={() => selection.select(drift.chargerId)}>
              <b>
                <Outside>{drift.name}</Outside>
              </b>
              <span>{tn("drift.keys", drift.keys)}</span>
              <small>
                <Outside>{drift.siteName}</Outside> · <Ago at={drift.since} />
              </small>
            </button>
          </li>
        ))}
        {pages.hasMore ? (
          <li>
            <button type="button" onClick={pages.more}>
              {t("action.more")}
            </button>
          </li>
        ) : null}
      </ol>
      {chosen === undefined ? (
        <Gone />
      ) : (
        <Chosen key={chosen.chargerId} drift={chosen} onApplied={() => selection.decide(chosen.chargerId)} />
      )}
    </div>
  )
}
