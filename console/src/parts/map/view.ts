/** Where places are on the map: Web Mercator, as street tiles are drawn too, and the part of the world that shows all places. Positions are parts of the world's width. */

/** The cut of the square world. */
const mostLatitude = 85.0511

/** Metres around the equator. */
const around = 40_075_017

export interface Point {
  readonly x: number
  readonly y: number
}

/** 0, 0 is at the upper left of the world, 1, 1 at the lower right. */
export const project = (longitude: number, latitude: number): Point => {
  const phi = (Math.max(-mostLatitude, Math.min(mostLatitude, latitude)) * Math.PI) / 180
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI) }
}

/** Metres on the ground for the whole width of the world, at this height of it. */
const metresAcross = (y: number): number => around / Math.cosh((1 - 2 * y) * Math.PI)

export interface Size {
  readonly width: number
  readonly height: number
}

export interface View extends Size {
  readonly left: number
  readonly top: number
  /** Pixels for the width of the world. */
  readonly scale: number
  readonly pixelsPerMetre: number
}

/** Pixels around the outermost places, for their names. */
const margin = 70

/** A single site is drawn as if one saw two kilometres around it. */
const leastMetres = 2_200

/**
 * Places on both sides of the date line belong together: the world is cut in the widest gap between them, and those on its left are moved one world to
 * the right.
 */
const together = (points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  const sorted = points.map(({ x }) => x).sort((a, b) => a - b)
  let [cut, widest] = [0, 1 + sorted[0]! - sorted.at(-1)!]
  for (let n = 1; n < sorted.length; n++) {
    if (sorted[n]! - sorted[n - 1]! > widest) [cut, widest] = [sorted[n]!, sorted[n]! - sorted[n - 1]!]
  }
  return points.map(({ x, y }) => ({ x: x < cut ? x + 1 : x, y }))
}

/** The part of the world that has all places in it, and where on it they are, in pixels. There is one place at least. */
export const fit = (places: ReadonlyArray<Point>, { height, width }: Size): readonly [View, ReadonlyArray<Point>] => {
  const points = together(places)
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const across = metresAcross((north + south) / 2)
  const [freeX, freeY] = [Math.max(width - 2 * margin, width / 2), Math.max(height - 2 * margin, height / 2)]
  const least = leastMetres / across
  const scale = Math.min(freeX / Math.max(east - west, least), freeY / Math.max(south - north, least))
  const left = (west + east - width / scale) / 2
  const top = (north + south - height / scale) / 2
  const view = { width, height, left, top, scale, pixelsPerMetre: scale / across }
  return [view, points.map(({ x, y }) => ({ x: (x - left) * scale, y: (y - top) * scale }))]
}

/** Below this width, outlines of countries show no more than a straight line. */
export const isWide = ({ pixelsPerMetre, width }: View): boolean => width / pixelsPerMetre > 100_000

/** Round lengths, of which the longest that fits is drawn. */
const lengths = [1, 2.5, 5].flatMap((one) => [100, 1_000, 10_000, 100_000, 1_000_000].map((ten) => one * ten))
const scales = lengths.sort((a, b) => a - b)

/** Metres that the scale bar shows. */
export const scaleOf = ({ pixelsPerMetre }: View): number =>
  scales.findLast((one) => one * pixelsPerMetre <= 160) ?? scales[0]!

export interface Tile {
  readonly key: string
  readonly url: string
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** What providers have at most. */
const mostZoom = 19

/** Pixels that a tile is drawn for. */
const tilePixels = 256

/** The tiles that cover a view, at the zoom that is nearest to their own size. */
export const tilesOf = ({ height, left, scale, top, width }: View, template: string): ReadonlyArray<Tile> => {
  const zoom = Math.max(0, Math.min(mostZoom, Math.round(Math.log2(scale / tilePixels))))
  const all = 2 ** zoom
  const size = scale / all
  // Edges of whole pixels leave no seams.
  const edge = (index: number, from: number): number => Math.round(index * size - from * scale)
  const tiles: Array<Tile> = []
  const lastRow = Math.min(all - 1, Math.floor((top + height / scale) * all))
  for (let row = Math.max(0, Math.floor(top * all)); row <= lastRow; row++) {
    for (let column = Math.floor(left * all); column <= Math.floor((left + width / scale) * all); column++) {
      const [x, y] = [edge(column, left), edge(row, top)]
      const inWorld = ((column % all) + all) % all
      tiles.push({
        key: `${zoom}/${column}/${row}`,
        url: template.replace("{z}", `${zoom}`).replace("{x}", `${inWorld}`).replace("{y}", `${row}`),
        left: x,
        top: y,
        width: edge(column + 1, left) - x,
        height: edge(row + 1, top) - y
      })
    }
  }
  return tiles
}

export interface Label {
  readonly side: "right" | "left"
  readonly isShown: boolean
}

/**
 * Where names are written: to the right of their place, or else to its left, where they cover no other place and no name before them, the first of the list
 * first. A name without room shows when its place is pointed at or has the focus.
 */
export const labelsOf = (
  places: ReadonlyArray<Point & { readonly letters: number }>,
  width: number
): ReadonlyArray<Label> => {
  const [perLetter, dot, height] = [7.5, 14, 24]
  const taken: Array<readonly [left: number, right: number, y: number]> = []
  return places.map(({ letters, x, y }, index) => {
    const long = 16 + letters * perLetter
    const isFree = (left: number, right: number): boolean =>
      left >= 0 &&
      right <= width &&
      !taken.some((one) => one[0] < right && one[1] > left && Math.abs(one[2] - y) < height) &&
      !places.some(
        (other, at) =>
          at !== index && other.x + dot > left && other.x - dot < right && Math.abs(other.y - y) < height / 2 + dot
      )
    for (const side of ["right", "left"] as const) {
      const left = side === "right" ? x + dot : x - dot - long
      if (!isFree(left, left + long)) continue
      taken.push([left, left + long, y])
      return { side, isShown: true }
    }
    return { side: x > width / 2 ? "left" : "right", isShown: false }
  })
}
