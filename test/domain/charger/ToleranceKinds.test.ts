/** The form fields of a quirk rule: complete, within the bounds of the rules, and with the same texts as the console. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { en } from "../../../console/src/text/en.ts"
import { Tolerances } from "../../../src/domain/charger/Quirks.ts"
import { type ToleranceKind, toleranceKinds } from "../../../src/domain/charger/ToleranceKinds.ts"

const accepts = (name: string, value: unknown): boolean =>
  Schema.is(Tolerances)({ [name]: value } as Record<string, unknown>)

const valuesOf = ({ choices, maximum, minimum, type }: ToleranceKind): ReadonlyArray<unknown> =>
  type === "Yes" ? [true, false] : type === "Choice" ? choices : [minimum, maximum]

describe("what a rule can grant", () => {
  it("covers every tolerance exactly once", () => {
    expect(toleranceKinds.map(({ name }) => name).sort()).toEqual(Object.keys(Tolerances.fields).sort())
  })

  it.each(toleranceKinds.map((kind) => [kind.name, kind] as const))(
    "accepts its values and nothing outside them: %s",
    (name, kind) => {
      const values = valuesOf(kind)
      expect(values.length).toBeGreaterThan(0)
      expect(values.map((value) => [value, accepts(name, value)])).toEqual(values.map((value) => [value, true]))
      expect(accepts(name, "something else")).toBe(false)
      const outside = kind.type === "Number" ? [kind.minimum! - 1, kind.maximum! + 1] : []
      expect(outside.filter((value) => accepts(name, value))).toEqual([])
    }
  )

  it("has the same texts as the console, where the console has them", () => {
    const texts: Readonly<Record<string, string>> = en
    for (const kind of toleranceKinds) {
      for (const part of ["title", "about", "useWhen"] as const) {
        const shown = texts[`quirk.${kind.name}.${part}`]
        expect([kind.name, part, shown ?? kind[part]]).toEqual([kind.name, part, kind[part]])
      }
    }
  })
})
