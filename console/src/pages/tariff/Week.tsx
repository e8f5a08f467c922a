/**
 * The week of a tariff as the service's pricing engine computes it: a strip for each day, darker where it costs more, with letters that a legend
 * explains. It marks times that are free because no element matches, and has the same figures as a table.
 */
import { useQuery } from "@tanstack/react-query"
import { call } from "../../api/client.ts"
import type { Answer, Asked } from "../../api/types.ts"
import { exact } from "../../parts/format.ts"
import { Failed, Loading } from "../../parts/States.tsx"
import { t, word } from "../../text/text.ts"
import { componentText } from "../Tariffs.tsx"

type WeekAnswer = Answer<"tariffs.week">
type Price = WeekAnswer["bands"][number]["prices"][number]
type Period = WeekAnswer["periods"][number]

/** Monday of this week, as YYYY-MM-DD of the local calendar. */
const monday = (): string => {
  const now = new Date()
  const first = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() - ((now.getDay() + 6) % 7)))
  return first.toISOString().slice(0, 10)
}

const minutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
const share = (clock: string): number => minutes(clock) / 14.4

const letter = (band: number): string => (band < 26 ? String.fromCharCode(65 + band) : String(band + 1))

const priceText = ({ dimension, element, later, price, vat }: Price, currency: string): string =>
  [
    `${word("dimension", dimension)} ${element === null ? t("tariff.free") : componentText({ type: dimension, price }, currency)}`,
    vat === null ? "" : ` ${t("tariff.plusVat", { vat: exact(vat) })}`,
    later.length === 0 ? "" : ` (${t("tariff.later", { n: later.map((one) => one + 1).join(", ") })})`
  ].join("")

/** Shades by the price of a kWh (or the sum of the other prices), so that expensive is dark: 0 is free. */
const shadesOf = (bands: WeekAnswer["bands"]): ReadonlyArray<number> => {
  const costs = bands.map(({ prices }) => {
    const energy = prices.find(({ dimension }) => dimension === "ENERGY")
    return energy?.price ?? Math.max(0, ...prices.map(({ price }) => price))
  })
  const known = [...new Set(costs.filter((cost) => cost > 0))].sort((a, b) => a - b)
  return costs.map((cost) => (cost === 0 ? 0 : Math.ceil((3 * (known.indexOf(cost) + 1)) / known.length)))
}

export const Week = ({ tariff }: { readonly tariff: Asked<"tariffs.week">["body"]["tariff"] }) => {
  const startDate = monday()
  const { data, error, refetch } = useQuery({
    queryKey: ["tariffs.week", startDate, tariff],
    queryFn: () => call("tariffs.week", { body: { tariff, startDate } })
  })
  if (error !== null) return <Failed what={t("tariff.weekNotRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={4} />
  const shades = shadesOf(data.bands)
  const texts = data.bands.map(({ prices }) => prices.map((one) => priceText(one, tariff.currency)).join(" · "))
  const days = [...Map.groupBy(data.periods, ({ date }) => date)]
  const when = ({ endTime, startTime }: Pick<Period, "startTime" | "endTime">) => `${startTime}–${endTime}`
  return (
    <section>
      <h2>{t("tariff.week")}</h2>
      <p className="secondary">{t("tariff.weekText")}</p>
      <div className="week" aria-hidden="true">
        <span className="week-hours">
          {["00", "06", "12", "18", "24"].map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </span>
        {days.map(([date, periods]) => (
          <Strip key={date} periods={periods} shades={shades} texts={texts} />
        ))}
      </div>
      <ul className="week-legend">
        {texts.map((text, band) => (
          <li key={text}>
            <svg aria-hidden="true">
              <rect className={`week-${shades[band]}`} width="100%" height="100%" />
              <text x="50%" y="50%">
                {letter(band)}
              </text>
            </svg>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {data.gaps.map(({ days: free, dimension, endTime, startTime }) => (
        <p key={`${dimension}${startTime}${endTime}`} className="notice">
          {t("tariff.gap", {
            when: `${free.map((day) => word("weekday", day)).join(" ")} ${when({ startTime, endTime })}`,
            what: word("dimension", dimension)
          })}
        </p>
      ))}
      <details>
        <summary>{t("tariff.weekTable")}</summary>
        <table className="plain">
          <thead>
            <tr>
              <th>{t("tariff.week")}</th>
              <th>{t("tariff.price")}</th>
            </tr>
          </thead>
          <tbody>
            {data.periods.map((one) => (
              <tr key={`${one.date}${one.startTime}`}>
                <td>
                  {word("weekday", one.day)} {when(one)}
                </td>
                <td>{texts[one.band]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

const Strip = ({
  periods,
  shades,
  texts
}: {
  readonly periods: ReadonlyArray<Period>
  readonly shades: ReadonlyArray<number>
  readonly texts: ReadonlyArray<string>
}) => (
  <>
    <span>{periods[0] === undefined ? "" : word("weekday", periods[0].day)}</span>
    <svg>
      {periods.map(({ band, endTime, startTime }) => {
        const [from, wide] = [share(startTime), share(endTime) - share(startTime)]
        return (
          <g key={startTime}>
            <rect className={`week-${shades[band]}`} x={`${from}%`} width={`${wide}%`} height="100%">
              <title>{`${startTime}–${endTime} ${texts[band]}`}</title>
            </rect>
            {wide < 6 ? null : (
              <text x={`${from + wide / 2}%`} y="50%">
                {letter(band)}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  </>
)
