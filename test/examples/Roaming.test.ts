/** The story in docs/guides/roaming.md is an example that runs: each block marked `run: NAME` is given to a shell, against a service just started. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { Service } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"
import { Guide } from "./Guide.ts"

const guide = new Guide("docs/guides/roaming.md")
const shown = /```text\n([\s\S]*?)```/.exec(readFileSync(guide.file, "utf8"))?.[1]?.trimEnd().split("\n") ?? []

describe("the guide on roaming", () => {
  for (const version of ["2.2.1", "2.1.1"]) {
    it(`tells a driver's whole story in OCPI ${version}`, { timeout: 180_000 }, async () => {
      await using service = await Service.start({ env: { OUTBOUND_ALLOW_PRIVATE: "true" } })
      await guide.run("place", service)
      await using charger = guide.starting("charger", service)
      await until(charger.said, 30_000, () => charger.said().includes("It stays."))
      const said = await guide.run("partner", service, (text) => text.replace("emsp.mjs 2.2.1", `emsp.mjs ${version}`))
      // 2.1.1 has no charging profiles.
      const profiles = /^(10 A at most|what is in force|no limit again)/
      const expected = shown
        .filter((line) => version === "2.2.1" || !profiles.test(line))
        .map((line) => line.replace("in 2.2.1", `in ${version}`))
      assert.deepStrictEqual([...said], expected, "the story in the guide is out of date")
    })
  }
})
