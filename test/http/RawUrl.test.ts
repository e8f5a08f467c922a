/** Every spelling of a path is normalised to one form before routing. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { normalisePath, pathOf } from "../../src/http/RawUrl.ts"

const cases: ReadonlyArray<readonly [string, string]> = [
  ["/", "/"],
  ["", "/"],
  ["//", "/"],
  ["/cpo//v2///sites", "/cpo/v2/sites"],
  ["/cpo/v2/sites/", "/cpo/v2/sites"],
  ["/cpo/v2/sites//", "/cpo/v2/sites"],
  ["/cpo//v2/sites/?cursor=a//b/", "/cpo/v2/sites?cursor=a//b/"],
  ["/?a=1", "/?a=1"],
  ["//?a=//", "/?a=//"],
  ["?a=1", "/?a=1"],
  ["/ocpp/CP%2F1", "/ocpp/CP%2F1"],
  ["/ocpp/a%20b/", "/ocpp/a%20b"],
  ["/v2/chargers/%zz", "/v2/chargers/%25zz"],
  ["/v2/chargers/100%", "/v2/chargers/100%25"],
  ["/v2/chargers/%ff", "/v2/chargers/%25ff"],
  ["/v2/chargers/a?q=%zz", "/v2/chargers/a?q=%zz"]
]

describe("RawUrl", () => {
  for (const [given, wanted] of cases) {
    it(`normalises ${JSON.stringify(given)} to ${wanted}`, () => {
      assert.strictEqual(normalisePath(given), wanted)
    })
  }

  it.prop("changes nothing the second time and always leaves a path that can be decoded", [Schema.String], ([text]) => {
    const once = normalisePath(`/${text}`)
    assert.strictEqual(normalisePath(once), once)
    const path = pathOf(once)
    assert.isTrue(path.startsWith("/") && !path.includes("//") && (path === "/" || !path.endsWith("/")))
    if (!/\p{Cs}/u.test(text)) assert.doesNotThrow(() => decodeURIComponent(path))
  })

  it("reduces a URL with keys in its query to its path", () => {
    assert.strictEqual(pathOf("/api/statistics?code=secret&clientId=x"), "/api/statistics")
    assert.strictEqual(pathOf("/api/statistics#code"), "/api/statistics")
  })
})
