/**
 * Where places are on the map: Web Mercator, which street tiles use too, and the part of the world that shows all places. Positions are fractions of
 * the world's width.
 */

/** The latitude at which Web Mercator cuts the world to a square. */
const mostLatitude = 85.0511

/** Length of the equator in metres. */
const around = 40_075_017

export interface Point {
  readonly x: number
  readonly y: number
}

/** (0, 0) is the upper left corner of the world, (1, 1) the lower right. */
export const project = (longitude: number, latitude: number): Point => {
  const phi = (Math.max(-mostLatitude, Math.min(mostLatitude, latitude)) * Math.PI) / 180
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI) }
}

/** Ground distance in metres of the whole width of the world, at this vertical position. */
const metresAcross = (y: number): number => around / Math.cosh((1 - 2 * y) * Math.PI)

export interface Size {
  readonly width: number
  readonly height: number
}

export interface View extends Size {
  readonly left: number
  readonly top: number
  /** Width of the whole world in pixels. */
  readonly scale: number
  readonly pixelsPerMetre: number
}

/** Pixels around the outermost places, which leave room for their names. */
const margin = 70

/** A single site is shown with about two kilometres around it. */
const leastMetres = 2_200

/**
 * Places on both sides of the date line are kept together: the world is cut at the widest gap between places, and the places to the left of the cut
 * are moved one world to the right.
 */
const together = (points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  const sorted = points.map(({ x }) => x).sort((a, b) => a - b)
  let [cut, widest] = [0, 1 + sorted[0]! - sorted.at(-1)!]
  for (let n = 1; n < sorted.length; n++) {
    if (sorted[n]! - sorted[n - 1]! > widest) [cut, widest] = [sorted[n]!, sorted[n]! - sorted[n - 1]!]
  }
  return points.map(({ x, y }) => ({ x: x < cut ? x + 1 : x, y }))
}

/** The part of the world that contains all places, and the pixel positions of the places in it. There must be at least one place. */
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

/** True if the view is wide enough for outlines of countries, in metres: below this they would be no more than a straight line. */
export const isWide = ({ pixelsPerMetre, width }: View): boolean => width / pixelsPerMetre > 100_000

/** Round lengths; the scale bar has the longest one that fits. */
const lengths = [1, 2.5, 5].flatMap((one) => [100, 1_000, 10_000, 100_000, 1_000_000].map((ten) => one * ten))
const scales = lengths.sort((a, b) => a - b)

/** The length of the scale bar in metres. */
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

/** The highest zoom that tile providers have. */
const mostZoom = 19

/** The pixels of a tile at its own size. */
const tilePixels = 256

/** The tiles that cover a view, at the zoom nearest to their own size. */
export const tilesOf = ({ height, left, scale, top, width }: View, template: string): ReadonlyArray<Tile> => {
  const zoom = Math.max(0, Math.min(mostZoom, Math.round(Math.log2(scale / tilePixels))))
  const all = 2 ** zoom
  const size = scale / all
  // Whole-pixel edges leave no gaps between tiles.
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

/** Minimum distance in pixels between the centres of two marks that do not overlap. */
const apartBy = 26

/** How far a mark may be moved, in pixels: enough for two marks at one place, but not so far that it seems to be somewhere else. */
const mostOff = 20

/** Rounds of pushing marks apart: each push may bring a mark nearer to a third one. */
const pushes = 24

/** The most pairs of neighbours that are handled. With more of them, so many marks are at one place that small moves do not help. */
const mostPairs = 5_000

/** Pairs that are close enough to overlap after a few pushes. */
const neighbours = (places: ReadonlyArray<Point>): ReadonlyArray<readonly [number, number]> => {
  const order = places.map((_, index) => index).sort((a, b) => places[a]!.x - places[b]!.x)
  const most = apartBy + 2 * mostOff
  const pairs: Array<readonly [number, number]> = []
  for (const [n, a] of order.entries()) {
    for (let m = n + 1; m < order.length && pairs.length <= mostPairs; m++) {
      const b = order[m]!
      if (places[b]!.x - places[a]!.x > most) break
      if (Math.abs(places[b]!.y - places[a]!.y) <= most) pairs.push([a, b])
    }
  }
  return pairs
}

/** Moves marks apart a little where they would overlap. */
export const apart = (places: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  const pairs = neighbours(places)
  if (pairs.length > mostPairs) return places
  const moved = places.map(({ x, y }) => ({ x, y }))
  const move = (index: number, byX: number, byY: number): void => {
    const [{ x, y }, mark] = [places[index]!, moved[index]!]
    const [offX, offY] = [mark.x + byX - x, mark.y + byY - y]
    const part = mostOff / Math.max(mostOff, Math.hypot(offX, offY))
    mark.x = x + offX * part
    mark.y = y + offY * part
  }
  for (let round = 0; round < pushes; round++) {
    let isDone = true
    for (const [a, b] of pairs) {
      const [one, other] = [moved[a]!, moved[b]!]
      const distance = Math.hypot(other.x - one.x, other.y - one.y)
      if (distance >= apartBy) continue
      isDone = false
      // Two marks at the very same place move to the left and to the right.
      const [dx, dy] = distance < 0.01 ? [1, 0] : [(other.x - one.x) / distance, (other.y - one.y) / distance]
      const by = (apartBy - distance) / 2 + 0.1
      move(a, -dx * by, -dy * by)
      move(b, dx * by, dy * by)
    }
    if (isDone) break
  }
  return moved
}

export interface Label {
  readonly side: "right" | "left" | "below" | "above"
  readonly isShown: boolean
  /** The name is shown together with the text after it. */
  readonly isWhole: boolean
}

/** The most letters of a name on the map; the rest becomes an ellipsis. */
export const mostLetters = 26

/**
 * Where names are written: to the right of their place, otherwise to its left, below or above it, so that they cover no other place and no earlier
 * name. Names that come first in the list are placed first. The text after a name is left out if there is no room for it. A name without room is
 * shown when its place is hovered or focused.
 */
export const labelsOf = (
  places: ReadonlyArray<Point & { readonly letters: number; readonly more: number }>,
  { height, width }: Size
): ReadonlyArray<Label> => {
  const [perLetter, dot, line] = [7.5, 14, 24]
  const taken: Array<readonly [left: number, right: number, y: number]> = []
  return places.map(({ letters, more, x, y }, index) => {
    const isFree = (left: number, right: number, at: number): boolean =>
      left >= 0 &&
      right <= width &&
      at >= line / 2 &&
      at <= height - line / 2 &&
      !taken.some((one) => one[0] < right && one[1] > left && Math.abs(one[2] - at) < line) &&
      !places.some(
        (other, n) =>
          n !== index && other.x + dot > left && other.x - dot < right && Math.abs(other.y - at) < line / 2 + dot
      )
    for (const isWhole of more > 0 ? [true, false] : [true]) {
      const long = 16 + (letters + (isWhole ? more : 0)) * perLetter
      const ways = [
        ["right", x + dot, y],
        ["left", x - dot - long, y],
        ["below", x - long / 2, y + line],
        ["above", x - long / 2, y - line]
      ] as const
      const way = ways.find(([, left, at]) => isFree(left, left + long, at))
      if (way === undefined) continue
      taken.push([way[1], way[1] + long, way[2]])
      return { side: way[0], isShown: true, isWhole }
    }
    return { side: x > width / 2 ? "left" : "right", isShown: false, isWhole: true }
  })
}
