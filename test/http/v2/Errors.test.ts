/** The tables from failures to HTTP are complete, and their codes are unique. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "../../../src/domain/Errors.ts"
import * as v1 from "../../../src/http/v1/Errors.ts"
import * as v2 from "../../../src/http/v2/requests/Errors.ts"
import { domainProblem } from "../../../src/http/v2/requests/Problem.ts"

const tags = Object.keys(Errors).toSorted()

/** One of each domain error, with details that must not leak. */
const each: ReadonlyArray<InstanceType<(typeof Errors)[keyof typeof Errors]>> = [
  new Errors.StorageUnavailable({ message: "ECONNREFUSED db.internal:5432", reason: "down" }),
  new Errors.StorageUnavailable({ message: "ECONNREFUSED db.internal:5432", reason: "unknown" }),
  new Errors.FactRefused({ message: "22P05 in table db.internal" }),
  new Errors.NotFound({ kind: "site", id: "x" }),
  new Errors.Conflict({ code: "some_code", message: "Some words." }),
  new Errors.InvalidInput({ pointer: "/a", detail: "Some detail" }),
  new Errors.PermissionDenied({ requiredPermissions: ["sites:read"] }),
  new Errors.FactorStale(),
  new Errors.ChargerOffline({ chargerId: "CP" }),
  new Errors.TooMany({ code: "some_rate", message: "Some words.", retryAfterSeconds: 60 })
]

describe("tables of errors", () => {
  it("have exactly one row for every domain error", () => {
    assert.deepStrictEqual(Object.keys(v2.domainRows).toSorted(), tags)
    assert.deepStrictEqual(Object.keys(v1.domainRows).toSorted(), tags)
    assert.deepStrictEqual([...new Set(each.map((error) => error._tag))].toSorted(), tags)
  })

  it("give every failure of v2 its own code", () => {
    const codes = [...Object.values(v2.domainRows), ...Object.values(v2.faceRows)].map((row) => row.code)
    assert.strictEqual(new Set(codes).size, codes.length)
  })

  it("never answer 422, and 5xx only for failures of the service itself", () => {
    for (const row of [...Object.values(v2.domainRows), ...Object.values(v2.faceRows)]) {
      assert.isTrue([400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 429, 500, 503].includes(row.status), row.code)
    }
    const own = Object.entries(v2.domainRows).filter(([, row]) => row.status >= 500)
    assert.deepStrictEqual(
      own.map(([tag]) => tag),
      ["StorageUnavailable"]
    )
  })

  it("leak no internal details into an answer", () => {
    for (const error of each) {
      const said = JSON.stringify([domainProblem(error), v1.domainBody(error)])
      assert.isFalse(said.includes("db.internal"), said)
    }
  })

  it("keep the code of a conflict, the place of bad input and the names of missing permissions", () => {
    assert.strictEqual(domainProblem(each[4]!).code, "some_code")
    assert.deepStrictEqual(domainProblem(each[5]!).errors, [{ pointer: "/a", detail: "Some detail" }])
    assert.deepStrictEqual(domainProblem(each[6]!).requiredPermissions, ["sites:read"])
  })
})
