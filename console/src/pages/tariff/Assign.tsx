/** Assigns a tariff to the organisation, a site, a charger or one connector. */
import { useQuery } from "@tanstack/react-query"
import { call } from "../../api/client.ts"
import { allSites } from "../../live/sites.ts"
import { changed, useLive } from "../../live/store.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Form, Select } from "../../parts/Form.tsx"
import { t } from "../../text/text.ts"

/** The most chargers that are offered in the browser's list. */
const offered = 2000

/** Parses `connector:1/1:ID`: an id may contain colons, the numbers contain none. */
const bodyOf = (place: string) => {
  const [kind = "", rest = ""] = place.split(/:(.*)/s)
  if (kind === "site") return { siteId: rest }
  if (kind === "charger") return { chargerId: rest }
  if (kind !== "connector") return { default: true as const }
  const [numbers = "", chargerId = ""] = rest.split(/:(.*)/s)
  const [evseId = 1, connectorId = 1] = numbers.split("/").map(Number)
  return { connector: { chargerId, evseId, connectorId } }
}

export const Assign = ({ onClose, tariffId }: { readonly tariffId: string; readonly onClose: () => void }) => {
  const { rows } = useLive()
  const { data: sites } = useQuery(allSites)
  return (
    <Dialog title={t("tariff.assignIt")} onClose={onClose}>
      <Form
        submit={t("tariff.assignIt")}
        onCancel={onClose}
        onSubmit={async (values) => {
          await call("tariffs.assign", { params: { tariffId }, body: bodyOf(values.text("place")) })
          changed("tariffs.assignments", "tariffs.listAssignments", "tariffs.ofCharger")
          onClose()
        }}
      >
        <Select
          name="place"
          label={t("tariff.appliesTo")}
          hint={t("tariff.assignHint")}
          options={[
            ["default", t("tariff.everywhere")],
            ...(sites ?? []).map(({ id, name }) => [`site:${id}`, `${t("site.one")}: ${name}`] as const),
            ...rows
              .slice(0, offered)
              .flatMap(({ connectors, id, name }) => [
                [`charger:${id}`, `${t("charger.one")}: ${name}`] as const,
                ...connectors.map(
                  ({ connectorId, evseId }) =>
                    [
                      `connector:${evseId}/${connectorId}:${id}`,
                      `${t("charger.one")}: ${name} · ${t("connector.one", { id: connectorId === 1 ? evseId : `${evseId}/${connectorId}` })}`
                    ] as const
                )
              ])
          ]}
        />
      </Form>
    </Dialog>
  )
}
