/** The expected configuration of every charger. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { may, missingFor, useMe } from "../../app/me.ts"
import { changed, queries } from "../../live/store.ts"
import { Form, TextArea } from "../../parts/Form.tsx"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { t } from "../../text/text.ts"

export const Template = () => {
  const me = useMe()
  const missing = missingFor(me, "expectations.template")
  const [said, setSaid] = useState("")
  const template = useQuery({
    queryKey: ["expectations.template"],
    enabled: missing.length === 0,
    queryFn: () => call("expectations.template", {})
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (template.error !== null) return <Failed what={t("template.notRead")} error={template.error} />
  if (template.data === undefined) return <Loading />
  return (
    <>
      <section className="card narrow">
        <h2>{t("template.title")}</h2>
        <p className="secondary">{t("template.about")}</p>
        <fieldset className="bare" disabled={!may(me, "expectations.setTemplate")}>
          <Form
            key={template.data.updatedAt}
            submit={t("action.save")}
            onSubmit={async (values) => {
              const keys = values
                .text("keys")
                .split("\n")
                .map((line) => line.split(/=(.*)/s).map((part) => part.trim()))
                .filter(([key]) => key !== undefined && key !== "")
                .map(([key = "", value = ""]) => ({ key, value }))
              await call("expectations.setTemplate", { body: { keys } })
              await queries.invalidateQueries({ queryKey: ["expectations.template"] })
              changed("chargers.configuration")
              setSaid(t("action.saved"))
            }}
          >
            <TextArea
              name="keys"
              label={t("template.keys")}
              hint={t("template.hint")}
              rows={10}
              spellCheck={false}
              className="mono"
              defaultValue={template.data.keys.map(({ key, value }) => `${key}=${value}`).join("\n")}
            />
            {said === "" ? null : <p role="status">{said}</p>}
          </Form>
        </fieldset>
      </section>
    </>
  )
}
