/** The developer area: API keys, the addresses of this service, and where the API is described. */
import { useState } from "react"
import { call } from "../../api/client.ts"
import { useMe } from "../../app/me.ts"
import { changed } from "../../live/store.ts"
import { Act, Copy } from "../../parts/Act.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Facts, Outside } from "../../parts/Facts.tsx"
import { Form, TextField } from "../../parts/Form.tsx"
import { useFilters, usePages } from "../../parts/pages.ts"
import { History } from "../../parts/History.tsx"
import { Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { Ago, Moment } from "../../parts/Time.tsx"
import { t } from "../../text/text.ts"
import { PermissionBoxes } from "./Operators.tsx"

export const Developer = () => {
  const { addresses } = useMe()
  const [filters, set] = useFilters()
  const [made, setMade] = useState("")
  const [revoking, setRevoking] = useState<{ readonly id: string; readonly name: string } | undefined>()
  const [rotating, setRotating] = useState<{ readonly id: string; readonly name: string } | undefined>()
  const [said, setSaid] = useState("")
  const pages = usePages("api-keys.list", { query: {} })
  const close = () => {
    setMade("")
    setRevoking(undefined)
    setRotating(undefined)
    set({ do: undefined })
  }
  const curl = `curl -H "x-api-key: ${made}" ${addresses.rest.replace(/\/$/, "")}/chargers`
  return (
    <>
      <section className="card">
        <header className="section-head">
          <h2>{t("key.many")}</h2>
          <Act needs={["api-keys.create"]} kind="main" onClick={() => set({ do: "add" })}>
            {t("key.add")}
          </Act>
        </header>
        {said === "" ? null : (
          <p className="failed" role="alert">
            {said}
          </p>
        )}
        {pages.missing.length > 0 ? <NotPermitted permissions={pages.missing} /> : null}
        {pages.error === null ? null : <Failed what={t("key.notRead")} error={pages.error} retry={pages.retry} />}
        {pages.isLoading ? <Loading rows={3} /> : null}
        <ul className="rows">
          {pages.rows.map((one) => (
            <li key={one.id}>
              <span>
                <b>
                  <Outside>{one.name}</Outside>
                </b>{" "}
                <code>{one.prefix}…</code>
                <small>
                  {one.permissions === null ? t("key.allPermissions") : one.permissions.join(", ")} ·{" "}
                  {t("key.lastUsed")} <Ago at={one.lastUsedAt} none={t("charger.never")} />
                  {one.lastUsedFrom === null || one.lastUsedFrom === "" ? null : ` · ${one.lastUsedFrom}`}
                  {one.networks === null ? null : ` · ${t("key.onlyFrom", { networks: one.networks.join(", ") })}`}
                  {one.expiresAt === null ? null : (
                    <>
                      {" "}
                      · {t("key.until")} <Moment at={one.expiresAt} />
                    </>
                  )}
                </small>
              </span>
              {one.revokedAt === null ? (
                <span className="acts">
                  <History of={{ subject: `api-key:${one.id}` }} />
                  <Act needs={["api-keys.rotate"]} kind="small" onClick={() => setRotating(one)}>
                    {t("key.rotate")}
                  </Act>
                  <Act needs={["api-keys.revoke"]} kind="small" onClick={() => setRevoking(one)}>
                    {t("key.revoke")}
                  </Act>
                </span>
              ) : (
                <small>
                  {t("key.revoked")} <Moment at={one.revokedAt} />
                </small>
              )}
            </li>
          ))}
        </ul>
        {!pages.isLoading && pages.missing.length === 0 && pages.rows.length === 0 ? (
          <p className="none">{t("key.noneYet")}</p>
        ) : null}
      </section>
      <section className="card">
        <h2>{t("developer.addresses")}</h2>
        <Facts
          rows={[
            [t("developer.rest"), <code key="rest">{addresses.rest}</code>],
            [t("developer.ocpp"), <code key="ocpp">{addresses.ocpp}</code>],
            [t("developer.ocpi"), <code key="ocpi">{addresses.ocpi}</code>]
          ]}
        />
        <div className="acts">
          <a className="button" href="/cpo/docs" target="_blank" rel="noreferrer">
            {t("developer.docs")}
          </a>
          <a className="button" href="/cpo/swagger.json" target="_blank" rel="noreferrer">
            OpenAPI
          </a>
        </div>
      </section>
      {filters["do"] === "add" && made === "" ? (
        <Dialog title={t("key.add")} onClose={close}>
          <Form
            submit={t("key.add")}
            onCancel={close}
            fields={["name", "permissions", "expiresAt", "networks"]}
            onSubmit={async (values) => {
              const permissions = values.all("permissions")
              const expires = values.optional("expiresAt")
              const networks = values
                .text("networks")
                .split(/[\s,]+/)
                .filter(Boolean)
              const { key } = await call("api-keys.create", {
                body: {
                  name: values.text("name"),
                  ...(permissions.length === 0 ? {} : { permissions: permissions as never }),
                  ...(expires === undefined ? {} : { expiresAt: new Date(expires).toISOString() }),
                  ...(networks.length === 0 ? {} : { networks })
                }
              })
              changed("api-keys.list")
              setMade(key)
            }}
          >
            <TextField
              name="name"
              label={t("field.name")}
              hint={t("key.nameHint")}
              required
              autoFocus
              maxLength={100}
            />
            <PermissionBoxes name="permissions" legend={t("key.permissions")} chosen={[]} />
            <TextField name="expiresAt" type="datetime-local" label={t("key.expires")} hint={t("key.expiresHint")} />
            <TextField name="networks" label={t("key.networks")} hint={t("key.networksHint")} />
          </Form>
        </Dialog>
      ) : null}
      {made === "" ? null : (
        <Dialog title={t("key.made")} onClose={close}>
          <p>{t("key.madeText")}</p>
          <p>
            <code className="secret">{made}</code> <Copy text={made} />
          </p>
          <pre tabIndex={0}>{curl}</pre>
          <Copy text={curl} label={t("key.copyCurl")} />
        </Dialog>
      )}
      {rotating === undefined || made !== "" ? null : (
        <Dialog title={t("key.rotateThis", { name: rotating.name })} onClose={close}>
          <Form
            submit={t("key.rotate")}
            onCancel={close}
            fields={["overlapSeconds"]}
            onSubmit={async (values) => {
              const { key } = await call("api-keys.rotate", {
                params: { keyId: rotating.id },
                body: { overlapSeconds: (values.number("hours") ?? 0) * 3600 }
              })
              changed("api-keys.list")
              setMade(key)
            }}
          >
            <p>{t("key.rotateText")}</p>
            <TextField
              name="hours"
              type="number"
              min={0}
              max={168}
              defaultValue={24}
              label={t("key.overlap")}
              required
            />
          </Form>
        </Dialog>
      )}
      {revoking === undefined ? null : (
        <Dialog title={t("key.revokeThis", { name: revoking.name })} onClose={close}>
          <Form
            danger
            submit={t("key.revoke")}
            onCancel={close}
            onSubmit={async () => {
              await call("api-keys.revoke", { params: { keyId: revoking.id } }).catch((error: unknown) => {
                setSaid(problemText(error))
              })
              changed("api-keys.list")
              close()
            }}
          >
            <p>{t("key.revokeText")}</p>
          </Form>
        </Dialog>
      )}
    </>
  )
}
