/** Small charts drawn as SVG: bands of states and lines over time. A table or text beside them has the same figures. */
import { useId, useState } from "react"
import type { State } from "../live/fleet.ts"
import { useShortcut } from "../app/shortcuts.ts"
import { t } from "../text/text.ts"
import { exact, hourMinute, moment } from "./format.ts"

const width = 600

export interface Band {
  readonly from: number
  readonly to: number
  readonly state: State
}

export const Bands = ({
  bands,
  from,
  label,
  to,
  word
}: {
  readonly label: string
  readonly bands: ReadonlyArray<Band>
  readonly from: number
  readonly to: number
  readonly word: (state: State) => string
}) => {
  const x = (at: number) => (width * (Math.max(from, Math.min(to, at)) - from)) / (to - from)
  return (
    <svg className="bands" viewBox={`0 0 ${width} 16`} preserveAspectRatio="none" role="img" aria-label={label}>
      <rect className="band-none" width={width} height="16" />
      {bands.map((band) => (
        <rect
          key={`${band.from}.${band.state}`}
          className={`band band-${band.state}`}
          x={x(band.from)}
          width={Math.max(0.5, x(band.to) - x(band.from))}
          height="16"
        >
          <title>{`${word(band.state)} · ${moment(band.from)} – ${moment(band.to)}`}</title>
        </rect>
      ))}
    </svg>
  )
}

export interface Point {
  readonly at: number
  readonly value: number
}

const height = 120

interface LineProps {
  readonly label: string
  readonly unit: string
  readonly points: ReadonlyArray<Point>
  readonly from: number
  readonly to: number
  readonly isStep?: boolean
  /** A second line of the same unit, dashed. */
  readonly limit?: ReadonlyArray<Point>
  /** The background: parts of the time, each with its label. */
  readonly parts?: ReadonlyArray<Part>
  /** A key shows the figures. */
  readonly hasKey?: boolean
}

export interface Part {
  readonly from: number
  readonly to: number
  readonly label: string
}

/** The point of a step line that applies at a time. */
const heldAt = (points: ReadonlyArray<Point>, at: number): Point | undefined => points.findLast((one) => one.at <= at)

/** The values of both lines by time: a limit may change between two points. */
const rowsOf = (points: ReadonlyArray<Point>, limit: ReadonlyArray<Point>) => {
  const values = new Map(points.map(({ at, value }) => [at, value]))
  const times = [...new Set([...points, ...limit].map(({ at }) => at))].sort((a, b) => a - b)
  return times.map((at) => ({ at, value: values.get(at), limit: heldAt(limit, at)?.value }))
}

const pathOf = (
  points: ReadonlyArray<Point>,
  x: (at: number) => number,
  y: (value: number) => number,
  isStep: boolean,
  to: number
): string => {
  const [first, ...rest] = points
  if (first === undefined) return ""
  const start = `M${x(first.at).toFixed(1)} ${y(first.value).toFixed(1)}`
  const next = rest.map(({ at, value }) =>
    isStep ? `H${x(at).toFixed(1)}V${y(value).toFixed(1)}` : `L${x(at).toFixed(1)} ${y(value).toFixed(1)}`
  )
  return start + next.join("") + (isStep ? `H${x(to).toFixed(1)}` : "")
}

/** A line over time; a key shows its figures as a table. */
export const Line = ({
  from,
  hasKey = false,
  isStep = false,
  label,
  limit = [],
  parts = [],
  points,
  to,
  unit
}: LineProps) => {
  const [isTable, setTable] = useState(false)
  const id = useId()
  useShortcut("t", t("chart.key"), () => setTable(!isTable), hasKey)
  const most = Math.max(1e-9, ...points.map(({ value }) => value), ...limit.map(({ value }) => value))
  const x = (at: number) => (width * (at - from)) / Math.max(1, to - from)
  const y = (value: number) => height - 4 - ((height - 16) * value) / most
  const line = pathOf(points, x, y, isStep, to)
  return (
    <figure className="chart">
      <figcaption id={id}>
        {label}
        <button type="button" className="button small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {t("chart.table")}
        </button>
      </figcaption>
      {isTable ? (
        <div className="chart-table" tabIndex={0} role="region" aria-labelledby={id}>
          <table>
            {limit.length === 0 ? null : (
              <thead>
                <tr>
                  <th>{t("chart.time")}</th>
                  <th className="num">{label}</th>
                  <th className="num">{t("chart.limit")}</th>
                </tr>
              </thead>
            )}
            <tbody>
              {rowsOf(points, limit).map((row) => (
                <tr key={row.at}>
                  <td>{moment(row.at)}</td>
                  <td className="num">{row.value === undefined ? "–" : `${exact(row.value)} ${unit}`}</td>
                  {limit.length === 0 ? null : (
                    <td className="num">{row.limit === undefined ? "–" : `${exact(row.limit)} ${unit}`}</td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-labelledby={id}>
          {parts.map((part, index) => (
            <rect
              key={part.from}
              className={index % 2 === 0 ? "chart-part" : "chart-part other"}
              x={Math.max(0, x(part.from))}
              width={Math.max(0.5, Math.min(width, x(part.to)) - Math.max(0, x(part.from)))}
              height={height - 4}
            >
              <title>{part.label}</title>
            </rect>
          ))}
          <path className="chart-base" d={`M0 ${height - 4}H${width}`} />
          {line === "" ? null : (
            <path className="chart-area" d={`${line}V${height - 4}H${x(points[0]!.at).toFixed(1)}Z`} />
          )}
          <path className="chart-line" d={line} />
          {limit.length === 0 ? null : <path className="chart-limit" d={pathOf(limit, x, y, true, to)} />}
        </svg>
      )}
      <div className="chart-scale" aria-hidden="true">
        <span>{hourMinute(from)}</span>
        <span>
          {t("chart.most", { value: exact(Math.round(most * 100) / 100) })} {unit}
        </span>
        <span>{hourMinute(to)}</span>
      </div>
    </figure>
  )
}

export const StepLine = (props: Omit<LineProps, "isStep">) => <Line {...props} isStep />
