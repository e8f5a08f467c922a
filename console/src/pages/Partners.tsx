/** Roaming partners: one row each, which shows whether the partner is up to date. */
import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { call } from "../api/client.ts"
import { useMe } from "../app/me.ts"
import { changed } from "../live/store.ts"
import { Act, Copy } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts, Outside } from "../parts/Facts.tsx"
import { Form, Select, TextField } from "../parts/Form.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Head, PagedTable, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty } from "../parts/States.tsx"
import { Pill, type Tone } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Ago } from "../parts/Time.tsx"
import { t, tn, word } from "../text/text.ts"

type Partner = Item<"partners.list">

export const useHealth = (partnerId: string) =>
  useQuery({
    queryKey: ["partner-records.health", partnerId],
    queryFn: () => call("partner-records.health", { params: { partnerId } })
  })

const tones: Readonly<Record<string, Tone>> = {
  UpToDate: "ok",
  Delivering: "busy",
  Waiting: "wait",
  Parked: "wait",
  Down: "bad",
  Inactive: "off"
}

export const Health = ({ id }: { readonly id: string }) => {
  const { data } = useHealth(id)
  const state = data?.deliveries?.state
  if (state === undefined) return <span className="none">–</span>
  return <Pill tone={tones[state] ?? "off"}>{word("deliveryState", state)}</Pill>
}

const Waiting = ({ id, of }: { readonly id: string; readonly of: "due" | "parked" | "last" }) => {
  const { data } = useHealth(id)
  const deliveries = data?.deliveries
  if (deliveries === undefined || deliveries === null) return <span className="none">–</span>
  if (of === "last") return <Ago at={deliveries.lastDeliveredAt} />
  if (of === "due") return <>{deliveries.due + deliveries.behind}</>
  return (
    <>
      <span className="off-phone">{deliveries.parked}</span>
      <span className="on-phone">{tn("partner.parkedItems", deliveries.parked)}</span>
    </>
  )
}

const columns = (): ReadonlyArray<Column<Partner>> => [
  {
    id: "name",
    title: t("partner.one"),
    phone: "name",
    isLink: true,
    cell: ({ countryCode, name, partyId }) => (
      <>
        <b>
          <Outside>{name}</Outside>
        </b>
        <span className="id">{[countryCode, partyId].filter(Boolean).join(" ")}</span>
      </>
    )
  },
  {
    id: "health",
    title: t("charger.state"),
    width: "150px",
    phone: "side",
    cell: ({ id, status }) => (status === "Registered" ? <Health id={id} /> : word("partnerStatus", status))
  },
  { id: "version", title: "OCPI", width: "80px", phone: "second", cell: ({ ocpiVersion }) => ocpiVersion ?? "–" },
  {
    id: "last",
    title: t("partner.lastSuccess"),
    width: "130px",
    from: "medium",
    cell: ({ id }) => <Waiting id={id} of="last" />
  },
  {
    id: "due",
    title: t("partner.waitingShort"),
    width: "90px",
    align: "right",
    from: "narrow",
    cell: ({ id }) => <Waiting id={id} of="due" />
  },
  {
    id: "parked",
    title: t("partner.parked"),
    width: "90px",
    align: "right",
    phone: "value",
    cell: ({ id }) => <Waiting id={id} of="parked" />
  }
]

export const Partners = () => {
  const [filters, set] = useFilters()
  const open = useOpen()
  useTitle(t("place.roaming"))
  const pages = usePages("partners.list", { query: {} })
  const table = useMemo(columns, [])
  const add = () => set({ do: "add" })
  return (
    <Split label={t("place.roaming")}>
      <Head title={t("place.roaming")}>
        <Act needs={["partners.create"]} kind="main" onClick={add}>
          <Icon name="plus" />
          <span>{t("partner.add")}</span>
        </Act>
      </Head>
      <PagedTable
        what={t("partner.notRead")}
        label={t("place.roaming")}
        pages={pages}
        columns={table}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/roaming/${id}`}
        open={open}
        empty={
          <Empty
            title={t("partner.noneYet")}
            text={t("partner.noneYetText")}
            action={
              <Act needs={["partners.create"]} kind="main" onClick={add}>
                {t("partner.add")}
              </Act>
            }
          />
        }
      />
      {filters["do"] === "add" ? <AddPartner onClose={() => set({ do: undefined })} /> : null}
    </Split>
  )
}

/** A partner is created first. Then we invite it with a token, or we register with the token that it gave us. */
const AddPartner = ({ onClose }: { readonly onClose: () => void }) => {
  const { addresses } = useMe()
  const [made, setMade] = useState<
    { readonly id: string; readonly credentialsToken: string; readonly versionsUrl: string } | undefined
  >()
  const [isRegistering, setRegistering] = useState(false)
  if (made === undefined) {
    return (
      <Dialog title={t("partner.add")} onClose={onClose}>
        <Form
          submit={t("partner.add")}
          onCancel={onClose}
          fields={["name", "countryCode", "partyId", "roles"]}
          onSubmit={async (values) => {
            const partner = await call("partners.create", {
              body: {
                name: values.text("name"),
                countryCode: values.text("countryCode").toUpperCase(),
                partyId: values.text("partyId").toUpperCase(),
                roles: [values.text("role") as "EMSP"]
              }
            })
            changed("partners.list")
            setMade(partner)
          }}
        >
          <TextField name="name" label={t("field.name")} required autoFocus maxLength={100} />
          <div className="field-pair">
            <TextField name="countryCode" label={t("partner.country")} required maxLength={2} pattern="[A-Za-z]{2}" />
            <TextField name="partyId" label={t("partner.party")} required maxLength={3} pattern="[A-Za-z0-9]{3}" />
          </div>
          <Select
            name="role"
            label={t("partner.role")}
            options={(["EMSP", "HUB", "CPO", "NSP"] as const).map((role) => [role, word("partnerRole", role)] as const)}
          />
        </Form>
      </Dialog>
    )
  }
  return (
    <Dialog title={t("partner.connect")} onClose={onClose}>
      {isRegistering ? (
        <RegisterForm partnerId={made.id} onDone={onClose} />
      ) : (
        <>
          <p>{t("partner.inviteText")}</p>
          <Facts
            rows={[
              [
                t("partner.versionsUrl"),
                <>
                  <code>{made.versionsUrl === "" ? addresses.ocpi : made.versionsUrl}</code>{" "}
                  <Copy text={made.versionsUrl} />
                </>
              ],
              [
                t("partner.token"),
                <>
                  <code>{made.credentialsToken}</code> <Copy text={made.credentialsToken} />{" "}
                  <small>{t("connect.once")}</small>
                </>
              ]
            ]}
          />
          <div className="form-acts">
            <button type="button" className="button" onClick={() => setRegistering(true)}>
              {t("partner.weRegister")}
            </button>
            <button type="button" className="button main" onClick={onClose}>
              {t("action.done")}
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}

export const RegisterForm = ({ onDone, partnerId }: { readonly partnerId: string; readonly onDone: () => void }) => (
  <Form
    submit={t("partner.register")}
    onCancel={onDone}
    fields={["versionsUrl", "token"]}
    onSubmit={async (values) => {
      await call("partners.register", {
        params: { partnerId },
        body: { versionsUrl: values.text("versionsUrl"), token: values.text("token") }
      })
      changed("partners.list", "partners.get")
      onDone()
    }}
  >
    <p>{t("partner.registerText")}</p>
    <TextField name="versionsUrl" type="url" label={t("partner.versionsUrl")} required autoFocus />
    <TextField name="token" label={t("partner.token")} required spellCheck={false} />
  </Form>
)
