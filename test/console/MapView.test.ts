/** The map's arithmetic: which part of the world a view shows, the tiles that cover it, and outlines that are clipped to it. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { outlinesOf, pathOf, type Topology } from "../../console/src/parts/map/outlines.ts"
import { apart, fit, isWide, labelsOf, project, scaleOf, tilesOf } from "../../console/src/parts/map/view.ts"

const size = { width: 1000, height: 640 }
const at = (latitude: number, longitude: number) => project(longitude, latitude)

describe("a view", () => {
  it("centres a single site, with a scale bar of the right length", () => {
    const [view, points] = fit([at(59.33, 18.07)], size)
    expect([points[0]!.x, points[0]!.y].map(Math.round)).toEqual([500, 320])
    expect([scaleOf(view), isWide(view)]).toEqual([500, false])
    // 500 m to the east at this latitude.
    const [, moved] = fit([at(59.33, 18.07)], size)
    const east = project(18.07 + 500 / (111_320 * Math.cos((59.33 * Math.PI) / 180)), 59.33)
    expect((east.x - view.left) * view.scale - moved[0]!.x).toBeCloseTo(500 * view.pixelsPerMetre, 0)
  })

  it("fits all sites within its margins, the northernmost and the southernmost on them", () => {
    const [, points] = fit([at(55.6, 13), at(65.58, 22.15), at(59.33, 18.07)], size)
    expect(Math.max(...points.map(({ y }) => y))).toBeCloseTo(570)
    expect(Math.min(...points.map(({ y }) => y))).toBeCloseTo(70)
    expect(points.every(({ x }) => x >= 70 && x <= 930)).toBe(true)
  })

  it("keeps sites on both sides of the date line together", () => {
    const [view, points] = fit([at(-17.7, 178), at(-13.8, -172)], size)
    expect(points[0]!.x).toBeLessThan(points[1]!.x)
    expect(size.width / view.scale).toBeLessThan(0.1)
  })

  it("counts as wide if it is more than a hundred kilometres across", () => {
    expect(isWide(fit([at(52.37, 4.9), at(52.09, 5.12)], size)[0])).toBe(false)
    expect(isWide(fit([at(52.37, 4.9), at(51.44, 5.48)], size)[0])).toBe(true)
  })
})

describe("tiles", () => {
  it("have the usual numbers, and cover the view without gaps or overlaps", () => {
    const [view] = fit([at(59.33, 18.07)], size)
    const tiles = tilesOf(view, "https://tiles.example/{z}/{x}/{y}.png")
    // The middle of Stockholm, as slippy maps number it.
    const middle = tiles.find(
      ({ height, left, top, width }) => left <= 500 && left + width > 500 && top <= 320 && top + height > 320
    )
    expect(middle?.url).toMatch(/^https:\/\/tiles\.example\/14\/9014\/4\d{3}\.png$/)
    const n = 2 ** 14
    const phi = (59.33 * Math.PI) / 180
    const row = Math.floor(((1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2) * n)
    expect(middle?.url).toBe(`https://tiles.example/14/${Math.floor(((18.07 + 180) / 360) * n)}/${row}.png`)
    expect(Math.min(...tiles.map(({ left }) => left))).toBeLessThanOrEqual(0)
    expect(Math.max(...tiles.map(({ left, width }) => left + width))).toBeGreaterThanOrEqual(1000)
    const area = tiles.reduce((sum, { height, width }) => sum + height * width, 0)
    const [left, right] = [
      Math.min(...tiles.map((one) => one.left)),
      Math.max(...tiles.map((one) => one.left + one.width))
    ]
    const [top, bottom] = [
      Math.min(...tiles.map((one) => one.top)),
      Math.max(...tiles.map((one) => one.top + one.height))
    ]
    expect(area).toBe((right - left) * (bottom - top))
  })

  it("continue around the world, but not above or below it", () => {
    const [view] = fit([at(-17.7, 178), at(-13.8, -172)], size)
    const urls = tilesOf(view, "{z}/{x}/{y}").map(({ url }) => url.split("/").map(Number))
    for (const [z = 0, x = 0, y = 0] of urls) {
      expect(x >= 0 && x < 2 ** z && y >= 0 && y < 2 ** z).toBe(true)
    }
    const world = tilesOf(fit([at(85, -170), at(-85, 170)], size)[0], "{z}/{x}/{y}")
    expect(world.length).toBeLessThan(60)
  })
})

describe("outlines of countries", () => {
  const file = createRequire(import.meta.url).resolve("world-atlas/countries-50m.json")
  const outlines = outlinesOf(JSON.parse(readFileSync(file, "utf8")) as Topology)

  it("are clipped to the view: none of their points is outside it", () => {
    const [view] = fit([at(55.6, 13), at(65.58, 22.15)], size)
    const path = pathOf(outlines, view)
    const points = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const)
    expect(points.length).toBeGreaterThan(1_000)
    for (const [x, y] of points) expect(x >= -8 && x <= 1008 && y >= -8 && y <= 648).toBe(true)
  })

  it("cover land and not the sea", () => {
    const [view] = fit([at(55.6, 13), at(65.58, 22.15)], size)
    /** Whether a place is inside an odd number of the path's rings. */
    const isLand = (latitude: number, longitude: number): boolean => {
      const place = at(latitude, longitude)
      const [px, py] = [(place.x - view.left) * view.scale, (place.y - view.top) * view.scale]
      let inside = false
      for (const ring of pathOf(outlines, view).split("Z")) {
        const points = [...ring.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(
          ([, x, y]) => [Number(x), Number(y)] as const
        )
        for (let n = 0, m = points.length - 1; n < points.length; m = n++) {
          const [[ax, ay], [bx, by]] = [points[n]!, points[m]!]
          if (ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax) inside = !inside
        }
      }
      return inside
    }
    expect([isLand(59.8, 15.5), isLand(62, 26), isLand(62, 9)]).toEqual([true, true, true])
    expect([isLand(62.2, 19.2), isLand(58.8, 20.2)]).toEqual([false, false])
  })

  it("cross the date line without a line across the map", () => {
    const [view] = fit([at(66, 170), at(66, -165)], size)
    const path = pathOf(outlines, view)
    const longest = path.split("Z").flatMap((ring) => {
      const points = [...ring.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const)
      return points.slice(1).flatMap(([x, y], n) => {
        const [beforeX, beforeY] = points[n]!
        // Along the edges of the view, where it is cut, lines are long.
        const isEdge = [x, y, beforeX, beforeY].some((one) => one <= -7 || one >= 647)
        return isEdge ? [] : [Math.abs(x - beforeX)]
      })
    })
    expect(path.length).toBeGreaterThan(500)
    expect(Math.max(...longest)).toBeLessThan(300)
  })
})

it("writes names to the right if there is room, else to the left, below or above, in the order of the list", () => {
  const places = [
    { x: 300, y: 100, letters: 8, more: 0 },
    { x: 312, y: 104, letters: 8, more: 0 },
    { x: 600, y: 100, letters: 8, more: 0 },
    { x: 100, y: 300, letters: 8, more: 0 },
    { x: 970, y: 300, letters: 8, more: 0 },
    { x: 306, y: 98, letters: 8, more: 0 }
  ]
  const labels = labelsOf(places, size)
  expect(labels.map(({ side }) => side)).toEqual(["left", "right", "right", "right", "left", "above"])
  expect(labels.map(({ isShown }) => isShown)).toEqual([true, true, true, true, true, true])
  const narrow = { width: 120, height: 100 }
  expect(labelsOf([{ x: 60, y: 50, letters: 10, more: 0 }], narrow)).toEqual([
    { side: "below", isShown: true, isWhole: true }
  ])
  // The text after a name is left out before the name is.
  expect(labelsOf([{ x: 60, y: 50, letters: 10, more: 9 }], narrow)).toEqual([
    { side: "below", isShown: true, isWhole: false }
  ])
  // No name is written outside the map.
  expect(labelsOf([{ x: 20, y: 8, letters: 40, more: 9 }], { width: 200, height: 100 })).toEqual([
    { side: "right", isShown: false, isWhole: true }
  ])
})

describe("marks", () => {
  const distances = (points: ReadonlyArray<{ readonly x: number; readonly y: number }>) =>
    points.flatMap((one, n) => points.slice(n + 1).map((other) => Math.hypot(one.x - other.x, one.y - other.y)))

  it("stay where they are as long as none covers another", () => {
    const places = [
      { x: 300, y: 100 },
      { x: 327, y: 100 },
      { x: 300, y: 500 }
    ]
    expect(apart(places)).toEqual(places)
  })

  it("are moved apart slightly if they overlap, also from the same place", () => {
    const places = [
      { x: 300, y: 100 },
      { x: 309, y: 101 },
      { x: 281, y: 108 },
      { x: 600, y: 300 },
      { x: 600, y: 300 }
    ]
    const moved = apart(places)
    expect(Math.min(...distances(moved))).toBeGreaterThanOrEqual(24)
    for (const [index, { x, y }] of moved.entries()) {
      expect(Math.hypot(x - places[index]!.x, y - places[index]!.y)).toBeLessThanOrEqual(20.01)
    }
  })

  it("stay within 20 pixels of their place when a thousand overlap, computed within two seconds", () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ x: 500 + (n % 10), y: 300 + (n % 7) }))
    const began = performance.now()
    const moved = apart(many)
    expect(performance.now() - began).toBeLessThan(2_000)
    for (const [index, { x, y }] of moved.entries()) {
      expect(Math.hypot(x - many[index]!.x, y - many[index]!.y)).toBeLessThanOrEqual(20.01)
    }
  })
})
