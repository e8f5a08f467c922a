/** The organisation: its name and the rules for its chargers. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { may, missingFor, useMe } from "../../app/me.ts"
import { queries } from "../../live/store.ts"
import { CheckBox, Form, Select, TextField, zoneOptions } from "../../parts/Form.tsx"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { t } from "../../text/text.ts"

export const Organisation = () => {
  const me = useMe()
  const missing = missingFor(me, "organisations.get")
  const [said, setSaid] = useState("")
  const { data, error, refetch } = useQuery({
    queryKey: ["organisations.get"],
    enabled: missing.length === 0,
    queryFn: () => call("organisations.get", {})
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (error !== null) return <Failed what={t("organisation.notRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading />
  const canWrite = may(me, "organisations.update")
  return (
    <section className="card narrow">
      <p className="secondary">
        {data.countryCode} {data.partyId} · <code>{data.id}</code>
      </p>
      {canWrite ? null : (
        <p className="notice">{t("state.needs", { permissions: missingFor(me, "organisations.update").join(", ") })}</p>
      )}
      <fieldset disabled={!canWrite} className="bare">
        <Form
          key={JSON.stringify(data)}
          submit={t("action.save")}
          fields={["name", "timeZone", "heartbeatIntervalSeconds", "closeSilentSessionsAfterHours", "standbyPowerW"]}
          onSubmit={async (values) => {
            await call("organisations.update", {
              body: {
                name: values.text("name"),
                timeZone: values.text("timeZone"),
                unknownTokens: values.text("unknownTokens") as "Refuse",
                concurrentTransactions: values.text("concurrentTransactions") as "Refuse",
                localLists: values.text("localLists") as "Manual",
                heartbeatIntervalSeconds: values.number("heartbeatIntervalSeconds") ?? 0,
                closeSilentSessionsAfterHours: values.number("closeSilentSessionsAfterHours") ?? 0,
                standbyPowerW: values.number("standbyPowerW") ?? 0,
                requireSecondFactor: values.checked("requireSecondFactor")
              }
            })
            await queries.invalidateQueries({ queryKey: ["organisations.get"] })
            await queries.invalidateQueries({ queryKey: ["me"] })
            setSaid(t("action.saved"))
          }}
        >
          <TextField name="name" label={t("field.name")} defaultValue={data.name} required />
          <Select
            name="timeZone"
            label={t("field.timeZone")}
            defaultValue={data.timeZone}
            options={zoneOptions(data.timeZone)}
          />
          <Select
            name="unknownTokens"
            label={t("organisation.unknownTokens")}
            defaultValue={data.unknownTokens}
            options={[
              ["Refuse", t("organisation.refuse")],
              ["Accept", t("organisation.accept")]
            ]}
          />
          <Select
            name="concurrentTransactions"
            label={t("organisation.concurrent")}
            defaultValue={data.concurrentTransactions}
            options={[
              ["Refuse", t("organisation.refuse")],
              ["Allow", t("organisation.accept")]
            ]}
          />
          <Select
            name="localLists"
            label={t("organisation.localLists")}
            defaultValue={data.localLists}
            options={[
              ["Manual", t("organisation.manual")],
              ["Managed", t("organisation.managed")]
            ]}
          />
          <TextField
            name="heartbeatIntervalSeconds"
            label={t("organisation.heartbeat")}
            type="number"
            defaultValue={data.heartbeatIntervalSeconds}
          />
          <TextField
            name="closeSilentSessionsAfterHours"
            label={t("organisation.closeSilent")}
            type="number"
            defaultValue={data.closeSilentSessionsAfterHours}
          />
          <TextField
            name="standbyPowerW"
            label={t("organisation.standby")}
            hint={t("organisation.standbyHint")}
            type="number"
            defaultValue={data.standbyPowerW}
          />
          <CheckBox
            name="requireSecondFactor"
            label={t("organisation.secondFactor")}
            defaultChecked={data.requireSecondFactor}
          />
          {said === "" ? null : <p role="status">{said}</p>}
        </Form>
      </fieldset>
    </section>
  )
}
