/**
 * Sites on a map, with names and a scale. A wide view has the outlines of countries below them, which are a file of the console's own. Streets are
 * shown only if the service has the address of a tile server configured. Otherwise the map contacts no other server.
 */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { useMe } from "../app/me.ts"
import type { SiteSum } from "../pages/Sites.tsx"
import { t } from "../text/text.ts"
import { count, kw } from "./format.ts"
import { loadOutlines } from "./map/loadOutlines.ts"
import { type Outlines, pathOf } from "./map/outlines.ts"
import {
  apart,
  fit,
  isWide,
  labelsOf,
  mostLetters,
  project,
  scaleOf,
  type Size,
  tilesOf,
  type View
} from "./map/view.ts"
import { Empty } from "./States.tsx"

interface Placed {
  readonly id: string
  readonly name: string
  readonly latitude: number | null
  readonly longitude: number | null
}

/** The size of an element in pixels, kept up to date, and the `ref` that measures it. */
const useSize = (): readonly [(element: HTMLElement | null) => (() => void) | undefined, Size] => {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const watched = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height })
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  return [watched, size]
}

/** The path is computed once per view; changed figures reuse it. */
const Countries = ({ outlines, view }: { readonly outlines: Outlines; readonly view: View }) => {
  const path = useMemo(() => pathOf(outlines, view), [outlines, view])
  return <path className="map-land" d={path} />
}

const lines = ({ height, width }: Size): string =>
  Array.from(
    { length: 9 },
    (_, n) => `M${((n + 1) * width) / 10} 0V${height}M0 ${((n + 1) * height) / 10}H${width}`
  ).join("")

const Streets = ({ template, view }: { readonly template: string; readonly view: View }) => {
  const tiles = useMemo(() => tilesOf(view, template), [template, view])
  return (
    <div className="map-tiles" aria-hidden="true">
      {tiles.map(({ height, key, left, top, url, width }) => (
        // Providers want to know which site requests tiles: they get its origin, without the path.
        <img key={key} src={url} alt="" referrerPolicy="strict-origin" style={{ left, top, width, height }} />
      ))}
    </div>
  )
}

/** Sites in trouble are labelled first, then the largest ones. */
const weight = (sum: SiteSum | undefined): number =>
  sum === undefined ? 0 : (sum.trouble > 0 ? 1_000_000 : 0) + sum.total

export const SiteMap = ({
  sites,
  sums
}: {
  readonly sites: ReadonlyArray<Placed>
  readonly sums: ReadonlyMap<string, SiteSum>
}) => {
  const { mapTiles } = useMe()
  const [ref, { height, width }] = useSize()
  const placed = useMemo(
    () =>
      sites.flatMap(({ id, latitude, longitude, name }) =>
        latitude === null || longitude === null ? [] : [{ id, name, at: project(longitude, latitude) }]
      ),
    [sites]
  )
  const isDrawn = placed.length > 0 && width > 0
  const fitted = useMemo(
    () =>
      isDrawn
        ? fit(
            placed.map(({ at }) => at),
            { width, height }
          )
        : undefined,
    [placed, isDrawn, width, height]
  )
  const view = fitted?.[0]
  const marks = useMemo(() => (fitted === undefined ? [] : apart(fitted[1])), [fitted])
  const hasOutlines = mapTiles === null && view !== undefined && isWide(view)
  const outlines = useQuery({
    queryKey: ["outlines"],
    queryFn: loadOutlines,
    enabled: hasOutlines,
    gcTime: Infinity,
    staleTime: "static"
  })
  if (placed.length === 0) return <Empty title={t("site.noPlaces")} text={t("site.noPlacesText")} />
  const metres = view === undefined ? 0 : scaleOf(view)
  const bar = metres * (view?.pixelsPerMetre ?? 0)
  const dots = marks
    .map((point, index) => ({ ...point, ...placed[index]!, sum: sums.get(placed[index]!.id) }))
    .sort((a, b) => weight(b.sum) - weight(a.sum))
  const labels = labelsOf(
    dots.map(({ name, sum, x, y }) => ({
      x,
      y,
      letters: Math.min(mostLetters, name.length),
      more: sum === undefined || sum.powerW === 0 ? 0 : 9
    })),
    { width, height }
  )
  return (
    <div className={`map${mapTiles === null ? "" : " has-tiles"}`} ref={ref} role="group" aria-label={t("site.map")}>
      {view === undefined || mapTiles === null ? null : <Streets template={mapTiles.template} view={view} />}
      {view === undefined ? null : (
        <svg className={hasOutlines && outlines.data !== undefined ? "map-sea" : undefined} aria-hidden="true">
          {hasOutlines && outlines.data !== undefined ? <Countries outlines={outlines.data} view={view} /> : null}
          {mapTiles === null ? <path className="map-grid" d={lines(view)} /> : null}
        </svg>
      )}
      {dots.map(({ id, name, sum, x, y }, index) => (
        <Link
          key={id}
          to={`/sites/${id}` as never}
          search={((old: unknown) => old) as never}
          className={`map-site${(sum?.trouble ?? 0) > 0 ? " is-bad" : (sum?.charging ?? 0) > 0 ? " is-charging" : ""} is-${labels[index]?.side ?? "right"}${labels[index]?.isShown === true ? "" : " is-short"}${labels[index]?.isWhole === false ? " is-plain" : ""}`}
          style={{ left: x, top: y }}
        >
          <i aria-hidden="true">{sum?.total ?? 0}</i>
          <span>
            <bdi>{name}</bdi>
            {sum === undefined || sum.powerW === 0 ? null : <small> {kw(sum.powerW)} kW</small>}
          </span>
        </Link>
      ))}
      {view === undefined ? null : (
        <p className="map-scale">
          {metres < 1000 ? `${count(metres)} m` : `${count(metres / 1000)} km`}
          <i style={{ width: bar }} />
        </p>
      )}
      {hasOutlines && outlines.isError ? <p className="map-note">{t("site.noOutlines")}</p> : null}
      {mapTiles === null ? null : (
        <p className="map-note">
          {mapTiles.attribution ?? t("site.tilesOf", { host: new URL(mapTiles.template).host })}
        </p>
      )}
    </div>
  )
}
