/** Sites as a plan: dots at their places, with names and a scale. It asks no one else for anything. */
import { Link } from "@tanstack/react-router"
import type { SiteSum } from "../pages/Sites.tsx"
import { t } from "../text/text.ts"
import { kw } from "./format.ts"
import { Empty } from "./States.tsx"

interface Placed {
  readonly id: string
  readonly name: string
  readonly latitude: number | null
  readonly longitude: number | null
}

const [width, height, margin] = [1000, 640, 70]
const metresPerDegree = 111_320

/** Round lengths, of which the longest that fits is drawn. */
const scales = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000]

export const SiteMap = ({
  sites,
  sums
}: {
  readonly sites: ReadonlyArray<Placed>
  readonly sums: ReadonlyMap<string, SiteSum>
}) => {
  const placed = sites.flatMap(({ id, latitude, longitude, name }) =>
    latitude === null || longitude === null ? [] : [{ id, name, latitude, longitude }]
  )
  if (placed.length === 0) return <Empty title={t("site.noPlaces")} text={t("site.noPlacesText")} />
  const middle = placed.reduce((sum, { latitude }) => sum + latitude, 0) / placed.length
  const stretch = Math.cos((middle * Math.PI) / 180)
  const xs = placed.map(({ longitude }) => longitude * stretch)
  const ys = placed.map(({ latitude }) => -latitude)
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const spanX = Math.max(...xs) - left
  const spanY = Math.max(...ys) - top
  // A single site is drawn as if one saw two kilometres around it.
  const least = 0.02
  const factor = Math.min((width - 2 * margin) / Math.max(spanX, least), (height - 2 * margin) / Math.max(spanY, least))
  const offsetX = (width - spanX * factor) / 2
  const offsetY = (height - spanY * factor) / 2
  const pixelsPerMetre = factor / metresPerDegree
  const scale = scales.findLast((one) => one * pixelsPerMetre <= 200) ?? scales[0]!
  return (
    <div className="map" role="group" aria-label={t("site.map")}>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {Array.from({ length: 9 }, (_, index) => (
          <path
            key={index}
            className="map-grid"
            d={`M${((index + 1) * width) / 10} 0V${height}M0 ${((index + 1) * height) / 10}H${width}`}
          />
        ))}
        <path className="map-scale" d={`M${margin} ${height - 24}v8h${scale * pixelsPerMetre}v-8`} />
        <text className="map-text" x={margin} y={height - 32}>
          {scale < 1000 ? `${scale} m` : `${scale / 1000} km`}
        </text>
      </svg>
      {placed.map(({ id, name }, index) => {
        const sum = sums.get(id)
        const x = offsetX + (xs[index]! - left) * factor
        const y = offsetY + (ys[index]! - top) * factor
        return (
          <Link
            key={id}
            to={`/sites/${id}` as never}
            search={((old: unknown) => old) as never}
            className={`map-site${(sum?.trouble ?? 0) > 0 ? " is-bad" : (sum?.charging ?? 0) > 0 ? " is-charging" : ""}`}
            style={{ left: `${(100 * x) / width}%`, top: `${(100 * y) / height}%` }}
          >
            <i aria-hidden="true">{sum?.total ?? 0}</i>
            <span>
              <bdi>{name}</bdi>
              {sum === undefined || sum.powerW === 0 ? null : <small> {kw(sum.powerW)} kW</small>}
            </span>
          </Link>
        )
      })}
    </div>
  )
}
