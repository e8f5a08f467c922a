/** The table of checks: what each command of package.json runs, and that --all omits none. */
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { choose, steps } from "../../scripts/steps.ts"

const names = (choice: { readonly all: boolean; readonly tests: boolean }) => choose(choice).map(({ name }) => name)

describe("the steps of a check", () => {
  it("are the fast ones by default", () => {
    expect(names({ all: false, tests: true })).toEqual([
      "format",
      "lint",
      "types",
      "console types",
      "effect",
      "architecture",
      "unit"
    ])
  })

  it("are all of them with --all", () => {
    expect(names({ all: true, tests: true })).toEqual(steps.map(({ name }) => name))
  })

  it("omit the tests except the architecture test with --no-tests", () => {
    expect(names({ all: false, tests: false })).toEqual([
      "format",
      "lint",
      "types",
      "console types",
      "effect",
      "architecture"
    ])
  })

  it("each have a unique name, a remedy and a time limit", () => {
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length)
    for (const step of steps) {
      expect(step.fix, step.name).toMatch(/.{20,}[.…]$/)
      expect(step.limit_s, step.name).toBeGreaterThan(0)
    }
  })
})

describe("package.json", () => {
  const { dependencies, devDependencies, optionalDependencies, scripts } = Schema.decodeUnknownSync(
    Schema.fromJsonString(
      Schema.Struct({
        scripts: Schema.Record(Schema.String, Schema.String),
        dependencies: Schema.Record(Schema.String, Schema.String),
        devDependencies: Schema.Record(Schema.String, Schema.String),
        optionalDependencies: Schema.Record(Schema.String, Schema.String)
      })
    )
  )(readFileSync("package.json", "utf8"))

  it("pins every dependency exactly", () => {
    const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)
    )
    expect(loose).toEqual([])
  })

  it("has the commands that CONTRIBUTING.md names", () => {
    const named = [
      ...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/npm (?:run )?(test|start|check|bench|format)(:\w+)?/g)
    ]
    expect(named.length).toBeGreaterThan(5)
    for (const [, command = "", rest = ""] of named) expect(Object.keys(scripts)).toContain(command + rest)
  })

  it("has all tests that CONTRIBUTING.md names", () => {
    const named = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/(?<=`| )test\/[\w./-]+[\w/]/g)].map(
      ([path]) => path
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})
