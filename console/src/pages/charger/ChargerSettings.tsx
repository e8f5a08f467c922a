/** A charger's name, site and security: profile, password, certificates, and its removal. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import type { Row } from "../../live/fleet.ts"
import { allSites } from "../../live/sites.ts"
import { chargerChanged, siteName } from "../../live/store.ts"
import { Act, Copy } from "../../parts/Act.tsx"
import { changedFields } from "../../parts/changes.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Facts, Outside } from "../../parts/Facts.tsx"
import { Form, Select, TextField } from "../../parts/Form.tsx"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t } from "../../text/text.ts"
import { siteOptions } from "./siteOptions.ts"

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
      {open === "edit" ? (
        <Dialog title={row.name} onClose={close}>
          <Edit
            charger={data}
            onCancel={close}
            onDone={() => {
              chargerChanged(row.id)
              void refetch()
              close()
            }}
          />
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

const Edit = ({
  charger,
  onCancel,
  onDone
}: {
  readonly charger: Answer<"chargers.get">
  readonly onCancel: () => void
  readonly onDone: () => void
}) => {
  const [shown] = useState({ name: charger.name, siteId: charger.siteId, registration: charger.registration })
  const { data: sites, error, refetch } = useQuery(allSites)
  if (error !== null) return <Failed what={t("site.notRead")} error={error} retry={() => void refetch()} />
  if (sites === undefined) return <Loading rows={3} />
  return (
    <Form
      submit={t("action.save")}
      onCancel={onCancel}
      fields={["name", "siteId", "registration"]}
      onSubmit={async (values) => {
        const typed = {
          name: values.text("name"),
          siteId: values.text("siteId"),
          registration: values.text("registration") as typeof shown.registration
        }
        await call("chargers.update", {
          params: { chargerId: charger.chargerId },
          body: changedFields(shown, typed)
        })
        onDone()
      }}
    >
      <TextField name="name" label={t("field.name")} defaultValue={shown.name} required />
      <Select
        name="siteId"
        label={t("site.one")}
        defaultValue={shown.siteId}
        options={siteOptions(sites, { id: shown.siteId, name: siteName(shown.siteId) || shown.siteId })}
      />
      <Select
        name="registration"
        label={t("charger.registration")}
        defaultValue={shown.registration}
        options={(["Accepted", "Pending", "Rejected"] as const).map((one) => [one, one] as const)}
      />
    </Form>
  )
}
