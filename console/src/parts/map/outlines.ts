/**
 * The outlines of countries: projected once, and clipped to the view before they are drawn. The file is TopoJSON (Natural Earth, public domain): a
 * line that neighbours share is in it once, as integer steps from point to point.
 */
import { project, type View } from "./view.ts"

type Arcs = ReadonlyArray<number>

interface Shape {
  readonly type: string
  /** For a polygon its rings; for a multipolygon the rings of each polygon. */
  readonly arcs?: ReadonlyArray<Arcs> | ReadonlyArray<ReadonlyArray<Arcs>>
}

export interface Topology {
  readonly transform: { readonly scale: readonly [number, number]; readonly translate: readonly [number, number] }
  readonly arcs: ReadonlyArray<ReadonlyArray<readonly [number, number]>>
  readonly objects: { readonly countries: { readonly geometries: ReadonlyArray<Shape> } }
}

/** A closed line: x and y alternately, and its bounding box. */
interface Ring {
  readonly points: Float64Array
  readonly box: readonly [left: number, top: number, right: number, bottom: number]
}

export type Outlines = ReadonlyArray<Ring>

/** Beyond the edge of the map, so that a line there is never visible. */
const beyond = 2

const ringsOf = ({ arcs = [], type }: Shape): ReadonlyArray<Arcs> =>
  type === "Polygon"
    ? (arcs as ReadonlyArray<Arcs>)
    : type === "MultiPolygon"
      ? (arcs as ReadonlyArray<ReadonlyArray<Arcs>>).flat()
      : []

/** Joins arcs into one line that continues across the date line. A line around a pole is closed beyond the edge of the map. */
const ringOf = (arcs: Arcs, lines: ReadonlyArray<Float64Array>): Ring => {
  const points: Array<number> = []
  for (const arc of arcs) {
    const line = lines[arc < 0 ? ~arc : arc]!
    const count = line.length / 2
    for (let n = points.length === 0 ? 0 : 1; n < count; n++) {
      const at = 2 * (arc < 0 ? count - 1 - n : n)
      const before = points.length === 0 ? line[at]! : points[points.length - 2]!
      points.push(line[at]! - Math.round(line[at]! - before), line[at + 1]!)
    }
  }
  const [first, last] = [points[0]!, points[points.length - 2]!]
  if (Math.abs(last - first) > 0.5) {
    const y = points[1]! > 0.5 ? beyond : -beyond
    points.push(last, y, first, y)
  }
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let n = 0; n < points.length; n += 2) {
    left = Math.min(left, points[n]!)
    right = Math.max(right, points[n]!)
    top = Math.min(top, points[n + 1]!)
    bottom = Math.max(bottom, points[n + 1]!)
  }
  return { points: Float64Array.from(points), box: [left, top, right, bottom] }
}

export const outlinesOf = ({ arcs, objects, transform: { scale, translate } }: Topology): Outlines => {
  const lines = arcs.map((steps) => {
    const line = new Float64Array(2 * steps.length)
    let [x, y] = [0, 0]
    steps.forEach(([dx, dy], n) => {
      x += dx
      y += dy
      const at = project(x * scale[0] + translate[0], y * scale[1] + translate[1])
      line[2 * n] = at.x
      line[2 * n + 1] = at.y
    })
    return line
  })
  return objects.countries.geometries.flatMap(ringsOf).map((rings) => ringOf(rings, lines))
}

/** Keeps the part of a closed line on one side of an edge: `axis` 0 is x, 1 is y. */
const cut = (points: ArrayLike<number>, axis: 0 | 1, edge: number, keepsAbove: boolean): ReadonlyArray<number> => {
  const kept: Array<number> = []
  const isIn = (at: number) => (keepsAbove ? points[at + axis]! >= edge : points[at + axis]! <= edge)
  let before = points.length - 2
  for (let at = 0; at < points.length; at += 2) {
    if (isIn(at) !== isIn(before)) {
      const share = (edge - points[before + axis]!) / (points[at + axis]! - points[before + axis]!)
      const along = points[before + 1 - axis]! + share * (points[at + 1 - axis]! - points[before + 1 - axis]!)
      if (axis === 0) kept.push(edge, along)
      else kept.push(along, edge)
    }
    if (isIn(at)) kept.push(points[at]!, points[at + 1]!)
    before = at
  }
  return kept
}

/** Pixels around a view, so that the cut edges are not visible. */
const around = 8

/** The outlines within a view as the path of an SVG, in its pixels. */
export const pathOf = (outlines: Outlines, { height, left, scale, top, width }: View): string => {
  const [west, north] = [left - around / scale, top - around / scale]
  const [east, south] = [left + (width + around) / scale, top + (height + around) / scale]
  const parts: Array<string> = []
  for (const { box, points } of outlines) {
    // The world repeats to the left and to the right.
    for (let world = Math.ceil(west - box[2]); world <= Math.floor(east - box[0]); world++) {
      if (box[3] < north || box[1] > south) continue
      let ring: ArrayLike<number> = points
      if (box[0] + world < west) ring = cut(ring, 0, west - world, true)
      if (box[2] + world > east) ring = cut(ring, 0, east - world, false)
      if (box[1] < north) ring = cut(ring, 1, north, true)
      if (box[3] > south) ring = cut(ring, 1, south, false)
      let [x, y, path] = [NaN, NaN, ""]
      for (let at = 0; at < ring.length; at += 2) {
        const nextX = Math.round((ring[at]! + world - left) * scale * 2) / 2
        const nextY = Math.round((ring[at + 1]! - top) * scale * 2) / 2
        // Steps of less than half a pixel are not visible.
        if (nextX === x && nextY === y) continue
        path += `${path === "" ? "M" : "L"}${nextX} ${nextY}`
        ;[x, y] = [nextX, nextY]
      }
      if (path.includes("L")) parts.push(`${path}Z`)
    }
  }
  return parts.join("")
}
