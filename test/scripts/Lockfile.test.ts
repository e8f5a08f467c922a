/** `npm ci` accepts the lockfile: every optional package that a tool names has its entry. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { complete, missingFrom, platformOf } from "../../scripts/lockfile.ts"

const lockfile = (packages: Record<string, unknown>) => JSON.stringify({ name: "x", lockfileVersion: 3, packages })

describe("the lockfile", () => {
  it("has every optional package (if not: node scripts/complete-lockfile.ts)", () => {
    expect(missingFrom(readFileSync("package-lock.json", "utf8"))).toEqual([])
  })
})

describe("completing a lockfile", () => {
  const tool = {
    version: "1.2.3",
    dev: true,
    license: "MIT",
    optionalDependencies: { "@tool/linux-x64-gnu": "1.2.3", "@tool/win32-arm64-msvc": "1.2.3" }
  }
  const had = { version: "1.2.3", integrity: "sha512-x", optional: true }
  const text = lockfile({ "": { name: "x" }, "node_modules/@tool/linux-x64-gnu": had, "node_modules/tool": tool })

  it("names the missing packages and no others", () => {
    expect(missingFrom(text)).toEqual([{ name: "@tool/win32-arm64-msvc", version: "1.2.3", dev: true }])
    expect(missingFrom(complete(text))).toEqual([])
  })

  it("adds an entry that only its platform installs, and leaves the rest as it was", () => {
    const completed: unknown = JSON.parse(complete(text))
    expect(completed).toEqual({
      name: "x",
      lockfileVersion: 3,
      packages: {
        "": { name: "x" },
        "node_modules/@tool/linux-x64-gnu": had,
        "node_modules/@tool/win32-arm64-msvc": {
          version: "1.2.3",
          cpu: ["arm64"],
          dev: true,
          optional: true,
          os: ["win32"]
        },
        "node_modules/tool": tool
      }
    })
  })

  it("refuses to guess a platform", () => {
    const odd = lockfile({ "node_modules/tool": { version: "1.0.0", optionalDependencies: { fsevents2: "1.0.0" } } })
    expect(() => complete(odd)).toThrow("fsevents2 does not say its platform")
  })

  it.each([
    ["@oxlint/binding-linux-arm-musleabihf", { os: "linux", cpu: "arm" }],
    ["@effect/tsgo-darwin-arm64", { os: "darwin", cpu: "arm64" }],
    ["@deno/win32-x64", { os: "win32", cpu: "x64" }]
  ])("reads the platform of %s", (name, platform) => expect(platformOf(name)).toEqual(platform))
})
