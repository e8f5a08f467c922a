/** A charger's name, site and security: profile, password, certificates, and its removal. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { missingFor, useMe } from "../../app/me.ts"
import type { Row } from "../../live/fleet.ts"
import { chargerChanged } from "../../live/store.ts"
import { Act, Copy } from "../../parts/Act.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Facts, Outside } from "../../parts/Facts.tsx"
import { Form, Select, TextField } from "../../parts/Form.tsx"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t } from "../../text/text.ts"

export const ChargerSettings = ({ row }: { readonly row: Row }) => {
  const missing = missingFor(useMe(), "chargers.get")
  const go = useNavigate()
  const [open, setOpen] = useState<"edit" | "password" | "remove" | undefined>()
  const [password, setPassword] = useState("")
  const { data, error, refetch } = useQuery({
    queryKey: ["chargers.get", row.id],
    enabled: missing.length === 0,
    queryFn: () => call("chargers.get", { params: { chargerId: row.id } })
  })
  const { data: sites } = useQuery({
    queryKey: ["sites.list", { all: true }],
    enabled: open === "edit",
    queryFn: () => call("sites.list", { query: { limit: 500 } })
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (error !== null) return <Failed what={t("charger.notRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={4} />
  const close = () => {
    setOpen(undefined)
    setPassword("")
  }
  return (
    <>
      <Facts
        rows={[
          [t("charger.profile"), t(`charger.profile${data.securityProfile as 0 | 1 | 2 | 3}`)],
          [t("charger.registration"), data.registration],
          [t("charger.serial"), <Outside key="serial">{data.serialNumber}</Outside>],
          [t("charger.ocpp"), data.ocppVersion],
          [t("charger.booted"), <Moment key="booted" at={data.bootedAt} />],
          [t("field.created"), <Moment key="created" at={data.createdAt} />]
        ]}
      />
      <div className="acts">
        <Act needs={["chargers.update"]} kind="small" onClick={() => setOpen("edit")}>
          {t("action.edit")}
        </Act>
        <Act needs={["chargers.update"]} kind="small" onClick={() => setOpen("password")}>
          {t("charger.newPassword")}
        </Act>
        <Act needs={["chargers.remove"]} kind="small" onClick={() => setOpen("remove")}>
          {t("action.remove")}
        </Act>
        {data.manufacturer === "" && data.chargerModel === "" ? null : (
          <Act
            needs={["expectations.setQuirks"]}
            kind="small"
            onClick={() =>
              void go({
                to: "/settings/quirks",
                search: { do: "add", vendor: data.manufacturer, model: data.chargerModel } as never
              } as never)
            }
          >
            {t("quirks.ofModel")}
          </Act>
        )}
      </div>
      {open === "edit" && sites !== undefined ? (
        <Dialog title={row.name} onClose={close}>
          <Form
            submit={t("action.save")}
            onCancel={close}
            fields={["name", "siteId", "registration"]}
            onSubmit={async (values) => {
              await call("chargers.update", {
                params: { chargerId: row.id },
                body: {
                  name: values.text("name"),
                  siteId: values.text("siteId"),
                  registration: values.text("registration") as "Accepted"
                }
              })
              chargerChanged(row.id)
              void refetch()
              close()
            }}
          >
            <TextField name="name" label={t("field.name")} defaultValue={data.name} required />
            <Select
              name="siteId"
              label={t("site.one")}
              defaultValue={data.siteId}
              options={sites.items.map(({ id, name }) => [id, name] as const)}
            />
            <Select
              name="registration"
              label={t("charger.registration")}
              defaultValue={data.registration}
              options={(["Accepted", "Pending", "Rejected"] as const).map((one) => [one, one] as const)}
            />
          </Form>
        </Dialog>
      ) : null}
      {open === "password" ? (
        <Dialog title={t("charger.newPassword")} onClose={close}>
          {password === "" ? (
            <Form
              submit={t("charger.newPassword")}
              onCancel={close}
              onSubmit={async () => {
                const { password: made } = await call("chargers.update", {
                  params: { chargerId: row.id },
                  body: { generatePassword: true }
                })
                setPassword(made ?? "")
              }}
            >
              <p>{t("charger.newPasswordText")}</p>
            </Form>
          ) : (
            <p>
              <code>{password}</code> <Copy text={password} /> <small>{t("connect.once")}</small>
            </p>
          )}
        </Dialog>
      ) : null}
      {open === "remove" ? (
        <Dialog title={t("charger.remove", { name: row.name })} onClose={close}>
          <Form
            danger
            submit={t("action.remove")}
            onCancel={close}
            onSubmit={async () => {
              await call("chargers.remove", { params: { chargerId: row.id } })
              chargerChanged(row.id)
              void go({ to: "/chargers" as never })
            }}
          >
            <p>{t("charger.removeText")}</p>
          </Form>
        </Dialog>
      ) : null}
    </>
  )
}
