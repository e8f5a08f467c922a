/** Adding a charger: its site and profile, then its address and password, shown once, and its progress until it has connected. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { call } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import { useMe } from "../app/me.ts"
import { allSites } from "../live/sites.ts"
import { changed, chargerChanged, useCharger } from "../live/store.ts"
import { Copy } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Form, Select, TextField } from "../parts/Form.tsx"
import { duration } from "../parts/format.ts"
import { Failed } from "../parts/States.tsx"
import { t } from "../text/text.ts"

/** The first charger needs a site: it is created together with the charger, and its address can be given later. */
const addSite = async (name: string): Promise<string> => {
  const { id } = await call("sites.create", {
    body: { name, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }
  })
  changed("sites.list")
  return id
}

export const AddCharger = ({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) => {
  const [added, setAdded] = useState<Answer<"chargers.create"> | undefined>()
  const { data: sites, error, refetch } = useQuery(allSites)
  if (added !== undefined) {
    return (
      <Dialog title={added.name} onClose={onClose}>
        <Connect chargerId={added.chargerId} password={added.password} />
        <div className="form-acts">
          <Link
            className="button main"
            to={`/chargers/${encodeURIComponent(added.chargerId)}` as never}
            search={{} as never}
          >
            {t("charger.open")}
          </Link>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={t("charger.add")} onClose={onClose}>
      {error === null ? null : <Failed what={t("site.notRead")} error={error} retry={() => void refetch()} />}
      {sites === undefined ? null : (
        <Form
          submit={t("charger.add")}
          onCancel={onClose}
          fields={["name", "chargerId", "siteId", "securityProfile"]}
          onSubmit={async (values) => {
            const siteId = values.optional("siteId") ?? (await addSite(values.text("newSite")))
            const profile = Number(values.text("securityProfile")) as 0 | 1 | 2 | 3
            const charger = await call("chargers.create", {
              body: {
                name: values.text("name"),
                chargerId: values.text("chargerId"),
                siteId,
                securityProfile: profile,
                ...(profile === 1 || profile === 2 ? { generatePassword: true } : {})
              }
            })
            chargerChanged(charger.chargerId)
            setAdded(charger)
          }}
        >
          <TextField name="name" label={t("field.name")} required maxLength={100} autoFocus />
          <TextField
            name="chargerId"
            label={t("charger.id")}
            hint={t("charger.idHint")}
            required
            defaultValue={id ?? ""}
            spellCheck={false}
          />
          {sites.length === 0 ? (
            <TextField name="newSite" label={t("charger.newSite")} hint={t("charger.newSiteHint")} required />
          ) : (
            <Select name="siteId" label={t("site.one")} options={sites.map(({ id: one, name }) => [one, name])} />
          )}
          <Select
            name="securityProfile"
            label={t("charger.profile")}
            defaultValue={location.protocol === "https:" ? "2" : "1"}
            hint={t("charger.profileHint")}
            options={[
              ["0", t("charger.profile0")],
              ["1", t("charger.profile1")],
              ["2", t("charger.profile2")],
              ["3", t("charger.profile3")]
            ]}
          />
        </Form>
      )}
    </Dialog>
  )
}

/** The data that must be entered at the charger, and whether it has connected yet. */
export const Connect = ({
  chargerId,
  password
}: {
  readonly chargerId: string
  readonly password: string | undefined
}) => {
  const { addresses } = useMe()
  const row = useCharger(chargerId)
  const [began] = useState(() => Date.now())
  const [now, setNow] = useState(began)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const address = `${addresses.ocpp.replace(/\/$/, "")}/${encodeURIComponent(chargerId)}`
  const hasConnectors = row !== undefined && row.connectors.length > 0
  const hasSession = row?.connectors.some(({ sessionId }) => sessionId !== undefined) === true
  const hasBooted = row !== undefined && (row.maker !== "" || row.firmware !== "")
  const steps = [
    [t("connect.reached"), row?.connected === true || row?.lastSeen !== undefined],
    [t("connect.booted"), hasBooted],
    [t("connect.connectors"), hasConnectors],
    [t("connect.session"), hasSession]
  ] as const
  return (
    <div className="connect">
      <Facts
        rows={[
          [
            t("connect.address"),
            <>
              <code>{address}</code> <Copy text={address} />
            </>
          ],
          [
            t("field.password"),
            password === undefined ? (
              t("connect.noPassword")
            ) : (
              <>
                <code>{password}</code> <Copy text={password} /> <small>{t("connect.once")}</small>
              </>
            )
          ]
        ]}
      />
      <ol className="steps" aria-live="polite">
        {steps.map(([label, isDone]) => (
          <li key={label} className={isDone ? "done" : ""}>
            {label}
            <span className="hide">{isDone ? t("connect.done") : t("connect.waiting")}</span>
          </li>
        ))}
      </ol>
      {hasBooted ? null : <p className="secondary">{t("connect.waitingFor", { time: duration(now - began) })}</p>}
    </div>
  )
}
