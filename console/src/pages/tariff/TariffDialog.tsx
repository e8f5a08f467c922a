/** Creating a tariff, or its next version: elements one below the other, with an example and a week that the service's pricing engine computes. */
import { useState } from "react"
import { call } from "../../api/client.ts"
import type { Asked } from "../../api/types.ts"
import { changed } from "../../live/store.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { t, word } from "../../text/text.ts"
import type { TariffItem } from "../Tariffs.tsx"
import { Example, findingsText } from "./Example.tsx"
import { Keeping } from "./Keeping.tsx"
import { textsOf } from "./texts.ts"
import { Week } from "./Week.tsx"

type Body = Asked<"tariffs.create">["body"]
type Dimension = "ENERGY" | "TIME" | "PARKING_TIME" | "FLAT"

interface ElementDraft {
  readonly type: Dimension
  readonly price: string
  readonly vat: string
  readonly step: string
  readonly startTime: string
  readonly endTime: string
  readonly days: ReadonlyArray<string>
  readonly minMinutes: string
}

const weekdays = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const
const dimensions: ReadonlyArray<Dimension> = ["ENERGY", "TIME", "PARKING_TIME", "FLAT"]

/** The unit of each price. */
const units: Readonly<Record<Dimension, string>> = { ENERGY: "kWh", TIME: "hour", PARKING_TIME: "hour", FLAT: "once" }

const emptyElement: ElementDraft = {
  type: "ENERGY",
  price: "",
  vat: "",
  step: "1",
  startTime: "",
  endTime: "",
  days: [],
  minMinutes: ""
}

const draftsOf = (tariff: TariffItem): ReadonlyArray<ElementDraft> =>
  tariff.elements.flatMap(({ priceComponents, restrictions }) =>
    priceComponents.map(({ price, stepSize, type, vat }) => ({
      type,
      price: String(price),
      vat: vat === undefined ? "" : String(vat),
      step: String(stepSize),
      startTime: restrictions?.startTime ?? "",
      endTime: restrictions?.endTime ?? "",
      days: restrictions?.dayOfWeek ?? [],
      minMinutes: restrictions?.minDuration === undefined ? "" : String(restrictions.minDuration / 60)
    }))
  )

/** True if the form can show everything in the tariff: editing must not lose what it does not show. */
export const isSimple = ({ elements }: TariffItem): boolean =>
  elements.every(
    ({ priceComponents, restrictions }) =>
      priceComponents.length === 1 &&
      Object.keys(restrictions ?? {}).every((key) => ["startTime", "endTime", "dayOfWeek", "minDuration"].includes(key))
  )

const elementOf = (draft: ElementDraft): Body["elements"][number] => {
  const restrictions = {
    ...(draft.startTime === "" ? {} : { startTime: draft.startTime }),
    ...(draft.endTime === "" ? {} : { endTime: draft.endTime }),
    ...(draft.days.length === 0 ? {} : { dayOfWeek: draft.days as never }),
    ...(draft.minMinutes === "" ? {} : { minDuration: Math.round(Number(draft.minMinutes) * 60) })
  }
  return {
    priceComponents: [
      {
        type: draft.type,
        price: Number(draft.price),
        stepSize: Number(draft.step),
        ...(draft.vat === "" ? {} : { vat: Number(draft.vat) })
      }
    ],
    ...(Object.keys(restrictions).length === 0 ? {} : { restrictions })
  } as Body["elements"][number]
}

export const TariffDialog = ({ onClose, tariff }: { readonly tariff?: TariffItem; readonly onClose: () => void }) => {
  const [shown] = useState(tariff?.tariffAltText ?? [])
  const [name, setName] = useState(shown[0]?.text ?? "")
  const [currency, setCurrency] = useState(tariff?.currency ?? "EUR")
  const [elements, setElements] = useState<ReadonlyArray<ElementDraft>>(
    tariff === undefined ? [emptyElement] : draftsOf(tariff)
  )
  const [tried, setTried] = useState<Body | undefined>()
  const [problem, setProblem] = useState("")
  const [isBusy, setBusy] = useState(false)
  const change = (index: number, to: Partial<ElementDraft>) =>
    setElements(elements.map((one, at) => (at === index ? { ...one, ...to } : one)))
  const texts = textsOf(shown, name)
  const body = (): Body =>
    ({
      currency: currency.toUpperCase(),
      elements: elements.map(elementOf),
      ...(texts === undefined ? {} : { tariffAltText: texts })
    }) as Body
  const attempt = async (work: () => Promise<void>) => {
    // A second click before the first one is answered would create two tariffs.
    if (isBusy) return
    setBusy(true)
    setProblem("")
    try {
      await work()
    } catch (error) {
      setProblem(findingsText(error))
    } finally {
      setBusy(false)
    }
  }
  const save = () =>
    attempt(async () => {
      if (tariff === undefined) await call("tariffs.create", { body: body() })
      else await call("tariffs.update", { params: { tariffId: tariff.id }, body: body() })
      changed("tariffs.list", "tariffs.get")
      onClose()
    })
  return (
    <Dialog
      title={tariff === undefined ? t("tariff.add") : t("tariff.next", { n: tariff.version + 1 })}
      onClose={onClose}
      wide
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div className="field-pair">
          <label className="field-row">
            <span>{t("field.name")}</span>
            <input value={name} onChange={({ target }) => setName(target.value)} maxLength={200} autoFocus />
          </label>
          <label className="field-row">
            <span>{t("tariff.currency")}</span>
            <input
              value={currency}
              required
              pattern="[A-Za-z]{3}"
              maxLength={3}
              onChange={({ target }) => setCurrency(target.value)}
            />
          </label>
        </div>
        <p className="secondary">{t("tariff.order")}</p>
        {elements.map((element, index) => (
          <fieldset key={index} className="element">
            <legend>{t("tariff.element", { n: index + 1 })}</legend>
            <div className="element-fields">
              <label>
                <span>{t("tariff.what")}</span>
                <select
                  value={element.type}
                  onChange={({ target }) => change(index, { type: target.value as Dimension })}
                >
                  {dimensions.map((one) => (
                    <option key={one} value={one}>
                      {word("dimension", one)}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                <span>{`${t("tariff.price")} (${currency.toUpperCase()}/${word("unit", units[element.type])})`}</span>
                <input
                  type="number"
                  step="any"
                  min="0"
                  required
                  value={element.price}
                  onChange={({ target }) => change(index, { price: target.value })}
                />
              </label>
              <label>
                <span>{t("tariff.vat")}</span>
                <input
                  type="number"
                  step="any"
                  min="0"
                  value={element.vat}
                  onChange={({ target }) => change(index, { vat: target.value })}
                />
              </label>
              <label>
                <span>{t("tariff.step")}</span>
                <input
                  type="number"
                  min="1"
                  required
                  value={element.step}
                  onChange={({ target }) => change(index, { step: target.value })}
                />
              </label>
              <label>
                <span>{t("filter.from")}</span>
                <input
                  type="time"
                  value={element.startTime}
                  onChange={({ target }) => change(index, { startTime: target.value })}
                />
              </label>
              <label>
                <span>{t("filter.to")}</span>
                <input
                  type="time"
                  value={element.endTime}
                  onChange={({ target }) => change(index, { endTime: target.value })}
                />
              </label>
              <label>
                <span>{t("tariff.after")}</span>
                <input
                  type="number"
                  min="0"
                  value={element.minMinutes}
                  onChange={({ target }) => change(index, { minMinutes: target.value })}
                />
              </label>
            </div>
            <div className="days">
              {weekdays.map((one) => (
                <label key={one} className="check">
                  <input
                    type="checkbox"
                    checked={element.days.includes(one)}
                    onChange={({ target }) =>
                      change(index, {
                        days: target.checked ? [...element.days, one] : element.days.filter((day) => day !== one)
                      })
                    }
                  />
                  <span>{word("weekday", one)}</span>
                </label>
              ))}
              <button
                type="button"
                className="button small"
                aria-disabled={elements.length === 1}
                onClick={() => elements.length > 1 && setElements(elements.filter((_, at) => at !== index))}
              >
                {t("action.remove")}
              </button>
            </div>
          </fieldset>
        ))}
        <div className="acts">
          <button type="button" className="button" onClick={() => setElements([...elements, emptyElement])}>
            {t("tariff.addElement")}
          </button>
        </div>
        <Example body={body} onTried={setTried} />
        {tried === undefined ? null : <Week tariff={tried} />}
        {tariff === undefined ? null : <Keeping tariffId={tariff.id} version={tariff.version} />}
        {problem === "" ? null : (
          <p className="failed" role="alert">
            {problem}
          </p>
        )}
        <div className="form-acts">
          <button type="button" className="button" onClick={onClose}>
            {t("action.cancel")}
          </button>
          <button type="submit" className="button main" aria-disabled={isBusy}>
            {tariff === undefined ? t("tariff.add") : t("tariff.saveVersion")}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
