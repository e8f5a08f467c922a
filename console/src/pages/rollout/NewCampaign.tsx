/**
 * A new firmware campaign: which image, for which chargers, in which waves and hours. If there are many chargers, their number has to be typed first.
 */
import { useNavigate } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { call } from "../../api/client.ts"
import { fits, parseFilter } from "../../live/filter.ts"
import type { Row } from "../../live/fleet.ts"
import { changed, useLive } from "../../live/store.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { CheckBox, Form, type FormValues, Select, TextField } from "../../parts/Form.tsx"
import { usePages } from "../../parts/pages.ts"
import { t, tn } from "../../text/text.ts"
import { campaignsPath } from "./Places.tsx"

const typedFrom = 10

/** Parses waves as a person writes them: `1, 10%`. */
const wavesOf = (text: string): ReadonlyArray<number | string> =>
  text
    .split(/[,;\s]+/)
    .filter(Boolean)
    .map((one) => (/^\d+$/.test(one) ? Number(one) : one))

const bodyOf = (values: FormValues, chargers: ReadonlyArray<Row>) => {
  const { number, optional, text } = values
  const fileId = optional("fileId")
  const location = optional("location")
  const version = optional("version")
  const waves = wavesOf(text("waves"))
  const [from, to] = [optional("from"), optional("to")]
  const pauseAfterFailures = number("pauseAfterFailures")
  const perMinute = number("perMinute")
  return {
    name: text("name"),
    ...(fileId === undefined ? {} : { fileId }),
    ...(location === undefined ? {} : { location }),
    ...(version === undefined ? {} : { version }),
    chargerIds: chargers.map(({ id }) => id),
    ...(waves.length === 0 ? {} : { waves }),
    ...(from === undefined && to === undefined ? {} : { window: { from: from ?? "00:00", to: to ?? "24:00" } }),
    ...(pauseAfterFailures === undefined ? {} : { pauseAfterFailures }),
    ...(perMinute === undefined ? {} : { perMinute }),
    needsApproval: values.checked("needsApproval")
  }
}

/** Chooses one of the images that are stored here, or takes the address of another one. */
const Image = () => {
  const [chosen, setChosen] = useState<string | undefined>()
  const files = usePages("files.list", { query: { kind: "Firmware" } })
  const stored = files.rows.filter(({ state }) => state === "Stored")
  const value = chosen ?? stored[0]?.id ?? ""
  return (
    <>
      <Select
        name={value === "" ? "" : "fileId"}
        label={t("rollout.image")}
        value={value}
        onChange={({ target }) => setChosen(target.value)}
        options={[...stored.map(({ id, name }) => [id, name] as const), ["", t("rollout.elsewhere")]]}
      />
      {value === "" && !files.isLoading ? (
        <TextField
          name="location"
          label={t("rollout.location")}
          type="url"
          required
          placeholder="https://"
          hint={t("rollout.locationHint")}
        />
      ) : null}
    </>
  )
}

export const NewCampaign = ({
  chosen,
  onClose
}: {
  readonly onClose: () => void
  /** Chargers that were selected before; without it they are chosen by a filter. */
  readonly chosen?: ReadonlyArray<Row>
}) => {
  const go = useNavigate()
  const { rows } = useLive()
  const [typed, setTyped] = useState("")
  const found = useMemo(() => {
    const words = parseFilter(typed)
    return words.length === 0 ? rows : rows.filter((row) => fits(row, words))
  }, [rows, typed])
  const targets = chosen ?? found
  return (
    <Dialog title={t("rollout.newCampaign")} onClose={onClose}>
      <Form
        submit={tn("rollout.begin", targets.length)}
        fields={["name", "location", "version", "waves", "pauseAfterFailures", "perMinute"]}
        onCancel={onClose}
        onSubmit={async (values) => {
          const { id } = await call("firmware-campaigns.create", { body: bodyOf(values, targets) })
          changed("firmware-campaigns.list")
          onClose()
          void go({ to: `${campaignsPath}/${id}` as never, search: {} as never })
        }}
      >
        <TextField name="name" label={t("field.name")} required maxLength={100} autoFocus />
        <Image />
        <TextField name="version" label={t("rollout.version")} maxLength={255} hint={t("rollout.versionHint")} />
        {chosen === undefined ? (
          <TextField
            name=""
            label={t("rollout.chargers")}
            value={typed}
            placeholder={'site:harbour firmware:<6.6 "quay 1"'}
            hint={tn("rollout.fits", targets.length)}
            onChange={({ target }) => setTyped(target.value)}
          />
        ) : (
          <p>{tn("bulk.about", targets.length)}</p>
        )}
        <TextField name="waves" label={t("rollout.waves")} defaultValue="1, 10%" hint={t("rollout.wavesHint")} />
        <div className="field-pair">
          <TextField name="from" label={t("rollout.from")} type="time" />
          <TextField name="to" label={t("rollout.to")} type="time" />
        </div>
        <p className="field-hint">{t("rollout.windowHint")}</p>
        <div className="field-pair">
          <TextField name="pauseAfterFailures" label={t("rollout.pauses")} type="number" min={1} defaultValue={3} />
          <TextField name="perMinute" label={t("rollout.pace")} type="number" min={1} max={60} defaultValue={30} />
        </div>
        <CheckBox name="needsApproval" label={t("rollout.needsApproval")} />
        {targets.length > typedFrom ? (
          <TextField
            name="number"
            label={t("bulk.type", { n: targets.length })}
            required
            pattern={String(targets.length)}
          />
        ) : null}
      </Form>
    </Dialog>
  )
}
