/** Every text colour is readable on every background that it is shown on, in both themes (WCAG 2.2: 4.5, and 3 for borders and focus). */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const css = readFileSync("console/src/look/tokens.css", "utf8")
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, [light, dark]] as const
  )
)

const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const contrast = (a: string, b: string): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ["panel", "bg", "sunk", "hover", "accent-soft"]
const textColours = ["text", "text-2", "text-3", "accent-strong", "ok", "charge", "busy", "wait", "hold", "bad", "off"]
const of = (name: string, theme: 0 | 1) => tokens.get(name)?.[theme] ?? ""

const cases = ([0, 1] as const).flatMap((theme) => [
  ...textColours.flatMap((colour) => grounds.map((ground) => [colour, ground, theme, 4.5] as const)),
  ...["line-strong", "focus"].flatMap((border) => grounds.map((ground) => [border, ground, theme, 3] as const)),
  ["accent-ink", "accent", theme, 4.5] as const,
  ["bad", "bad-soft", theme, 4.5] as const
])

it.each(cases)("%s on %s in theme %i has a contrast of at least %f", (word, ground, theme, least) => {
  expect(contrast(of(word, theme), of(ground, theme))).toBeGreaterThanOrEqual(least)
})
