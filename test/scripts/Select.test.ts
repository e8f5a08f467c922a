/** The parts of the tests that CI runs separately: each contains its files, by their imports and by their folder. */
import { describe, expect, it } from "vitest"
import { filesOf, selection } from "../../scripts/testing/select.ts"
import { faults, long } from "../../scripts/testing/sets.ts"

const all = filesOf(["test/**/*.test.ts"])
const selected = (name: string) => all.filter(selection(name))

describe("a selection of test files", () => {
  it("contains for `database` the files that read its address, also through their imports", () => {
    const files = selected("database")
    const storage = all.filter((file) => file.startsWith("test/storage/"))
    expect(files).toEqual(expect.arrayContaining(all.filter((file) => file.startsWith("test/postgres-only/"))))
    expect(files.filter((file) => storage.includes(file)).length).toBeGreaterThan(storage.length / 2)
    expect(files).not.toContain("test/scripts/Select.test.ts")
    expect(files.length).toBeLessThan(all.length / 2)
  })

  it("contains for `long` every long suite", () => {
    expect(selected("long")).toEqual(expect.arrayContaining([...filesOf(long)]))
    expect(selected("long")).not.toContain("test/scripts/Select.test.ts")
  })

  it("separates the files that need nothing from those that need a database, a listener or a process", () => {
    const [unit, integration] = [selected("unit"), selected("integration")]
    expect(unit.filter((file) => integration.includes(file))).toEqual([])
    expect(unit).toContain("test/scripts/Select.test.ts")
    expect(unit).toContain("test/domain/tariff/Price.property.test.ts")
    expect(integration).toContain("test/storage/Sites.test.ts")
    expect(selected("property").every((file) => file.endsWith(".property.test.ts"))).toBe(true)
  })

  it("contains for `runtime` what uses sockets, files and processes, but neither the storage's SQL nor the browser", () => {
    const files = selected("runtime")
    expect(files).toContain("test/ocpp/server/Frames.integration.test.ts")
    expect(files).toContain("test/storage/pglite/Image.test.ts")
    expect(files.filter((file) => /^test\/(?:domain|console)\//.test(file))).toEqual([])
    expect(files.filter((file) => /^test\/storage\/(?!pglite\/)/.test(file))).toEqual([])
    expect(files.length).toBeGreaterThan(selected("integration").length / 3)
  })

  it("is refused for an unknown name", () => {
    expect(() => selection("everything")).toThrow(
      "TEST_SELECT is unit or integration or runtime or property or database or long, not everything"
    )
  })
})

describe("the sets of test files", () => {
  it("each match files", () => {
    for (const pattern of [...long, ...faults]) expect(filesOf([pattern]), pattern).not.toEqual([])
  })
})
