/** The story in docs/guides/roaming.md is an example that runs: each block marked `run: NAME` is given to a shell, against a service just started. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { Service } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"
import { Guide } from "./Guide.ts"

const guide = new Guide("docs/guides/roaming.md")
const shown = /```text\n([\s\S]*?)```/.exec(readFileSync(guide.file, "utf8"))?.[1]?.trimEnd().split("\n") ?? []

describe("the guide on roaming", () => {
  it("shows a driver's whole session in OCPI 2.2.1, and again in 2.1.1", { timeout: 300_000 }, async () => {
    await using service = await Service.start({ env: { OUTBOUND_ALLOW_PRIVATE: "true" } })
    await guide.run("place", service)
    await using charger = guide.starting("charger", service)
    await until(charger.said, 90_000, () => charger.said().includes("It stays."))
    assert.deepStrictEqual([...(await guide.run("partner", service))], shown, "the story in the guide is out of date")
    // The same invitation is refused the second time, with an explanation.
    const refused = await guide.run("partner", service, (text) => `${text.trimEnd()} 2>&1 || true`)
    assert.match(
      refused.join(" "),
      /^This is no invitation: DE\*EXM as EMSP is already the partner \S+ Invite that partner again/
    )
    // 2.1.1 has no charging profiles.
    const profiles = /^(10 A at most|what is in force|no limit again)/
    const expected = shown.filter((line) => !profiles.test(line)).map((line) => line.replace("in 2.2.1", "in 2.1.1"))
    assert.deepStrictEqual([...(await guide.run("again", service))], expected, "the story in the guide is out of date")
  })
})
