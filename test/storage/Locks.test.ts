/** The table of advisory locks has every lock number in use, each for one purpose. */
import { globSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { locks } from "../../src/storage/kernel/Locks.ts"

const files = globSync("src/**/*.{ts,sql}").filter((file) => !file.endsWith("kernel/Locks.ts"))

describe("advisory locks", () => {
  it("have distinct numbers", () => {
    const numbers = Object.values(locks)
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it("are taken by the table's names in code, and by its numbers in the schema", () => {
    const known = new Set(Object.values(locks).map(String))
    const written = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/advisory_\w*lock\w*\(([^)]*)/g)].map(([, key = ""]) => ({
        file,
        key: key.trim()
      }))
    )
    expect(written.length).toBeGreaterThan(8)
    const strangers = written.filter(({ file, key }) =>
      file.endsWith(".sql") ? !known.has(key) : !/^(\$\{locks\.\w+\}|hashtextextended\(\$1, \$2|)$/.test(key)
    )
    expect(strangers).toEqual([])
    const numbersInCode = files.filter(
      (file) => file.endsWith(".ts") && /7_?016_?996_?7/.test(readFileSync(file, "utf8"))
    )
    expect(numbersInCode).toEqual([])
  })
})
