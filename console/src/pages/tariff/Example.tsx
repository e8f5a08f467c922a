/** Prices an example session that the operator describes with the service's pricing engine, and shows the result line by line. */
import { useState } from "react"
import { call, Problem } from "../../api/client.ts"
import type { Answer, Asked } from "../../api/types.ts"
import { money } from "../../parts/format.ts"
import { PriceLines } from "../../parts/PriceLines.tsx"
import { problemText } from "../../parts/States.tsx"
import { t } from "../../text/text.ts"

type Body = Asked<"tariffs.preview">["body"]

/** All problems that the service found in the input, each with its place. */
export const findingsText = (error: unknown): string => {
  const found = error instanceof Problem ? error.errors.map(({ detail, pointer }) => `${pointer} ${detail}`) : []
  return found.length > 0 ? found.join("; ") : problemText(error)
}

/** Seven o'clock this evening, in the format of a field for local times. */
const evening = (): string => {
  const now = new Date()
  const two = (n: number) => String(n).padStart(2, "0")
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}T19:00`
}

interface Described {
  readonly start: string
  readonly charging: string
  readonly parked: string
  readonly kwh: string
}

/** A vehicle that charges evenly and is then parked. */
const sessionOf = ({ charging, kwh, parked, start }: Described): Body["session"] => {
  const first = new Date(start).getTime()
  const at = (minutes: number) => new Date(first + minutes * 60_000).toISOString()
  const energyWh = Math.round(Number(kwh) * 1000)
  const [full, end] = [Number(charging), Number(charging) + Number(parked)]
  return {
    startedAt: at(0),
    endedAt: at(end),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    readings: [
      { at: at(0), energyWh: 0 },
      { at: at(full / 2), energyWh: Math.round(energyWh / 2) },
      { at: at(full), energyWh },
      ...(end > full ? [{ at: at(end), energyWh }] : [])
    ]
  }
}

export const Example = ({
  body,
  onTried
}: {
  readonly body: () => Body["tariff"]
  /** Gets the tariff that was priced, if pricing succeeded. */
  readonly onTried?: (tariff: Body["tariff"]) => void
}) => {
  const [described, setDescribed] = useState<Described>({ start: evening(), charging: "120", parked: "120", kwh: "42" })
  const [preview, setPreview] = useState<Answer<"tariffs.preview"> | undefined>()
  const [problem, setProblem] = useState("")
  const [isBusy, setBusy] = useState(false)
  const tryOut = async () => {
    setBusy(true)
    setProblem("")
    try {
      const tariff = body()
      setPreview(await call("tariffs.preview", { body: { tariff, session: sessionOf(described) } }))
      onTried?.(tariff)
    } catch (error) {
      setPreview(undefined)
      setProblem(findingsText(error))
    } finally {
      setBusy(false)
    }
  }
  const isWhole = Object.values(described).every((one) => one !== "")
  const start = () => {
    if (isWhole && !isBusy) void tryOut()
  }
  const field = (name: keyof Described, label: string, type = "number") => (
    <label>
      <span>{label}</span>
      <input
        type={type}
        min={type === "number" ? "0" : undefined}
        step={type === "number" ? "any" : undefined}
        value={described[name]}
        onChange={({ target }) => setDescribed({ ...described, [name]: target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return
          // Inside a form, the event would save the tariff.
          event.preventDefault()
          start()
        }}
      />
    </label>
  )
  return (
    <section className="element" aria-label={t("tariff.example")}>
      <h2>{t("tariff.example")}</h2>
      <div className="element-fields">
        {field("start", t("tariff.exampleStart"), "datetime-local")}
        {field("kwh", t("tariff.exampleEnergy"))}
        {field("charging", t("tariff.exampleCharging"))}
        {field("parked", t("tariff.exampleParked"))}
      </div>
      <div className="acts">
        <button type="button" className="button" aria-disabled={isBusy || !isWhole} onClick={start}>
          {t("tariff.tryOut")}
        </button>
      </div>
      {problem === "" ? null : (
        <p className="failed" role="alert">
          {problem}
        </p>
      )}
      {preview === undefined ? null : <Priced preview={preview} />}
    </section>
  )
}

const Priced = ({ preview }: { readonly preview: Answer<"tariffs.preview"> }) => {
  const { currency } = preview.cost
  return (
    <div role="status">
      <p>
        {t("tariff.exampleText")} <b>{money(preview.cost.inclVat, currency)}</b>
      </p>
      <PriceLines lines={preview.lines} currency={currency} total={null} />
      {preview.warnings.map(({ detail, pointer }) => (
        <p key={pointer} className="trouble">
          {detail}
        </p>
      ))}
    </div>
  )
}
