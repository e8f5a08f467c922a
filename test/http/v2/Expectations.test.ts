/** The configuration template and the quirk rules over REST, against fakes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { fakeApp, withCharger } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>>

beforeEach(async () => {
  app = await fakeApp()
  await withCharger(app.ask, app.key, "CP-1")
})
afterEach(() => app.close())

const ask = (method: string, path: string, body?: unknown) => app.ask(method, `/cpo/v2/${path}`, { key: app.key, body })

/** Sets what the charger has reported about itself. */
const reported = (...configuration: ReadonlyArray<{ key: string; value: string; readonly: boolean }>) => {
  const charger = app.world.chargers.get("CP-1")!
  app.world.chargers.set("CP-1", { ...charger, manufacturer: "V", model: "M", configuration })
}

describe("the configuration template", () => {
  it("is empty until it is set", async () => {
    expect((await ask("GET", "configuration-template")).json).toEqual({ keys: [], updatedAt: null })
    const keys = [{ key: "HeartbeatInterval", value: "300" }]
    const put = await ask("PUT", "configuration-template", { keys })
    expect([put.status, put.json.keys]).toEqual([200, keys])
    expect((await ask("GET", "configuration-template")).json).toEqual(put.json)
  })

  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a password", { keys: [{ key: "authorizationkey", value: "x" }] }, "/keys/0/key"],
    ["a profile", { keys: [{ key: "SecurityProfile ", value: "1" }] }, "/keys/0/key"],
    [
      "a key twice",
      {
        keys: [
          { key: "A", value: "1" },
          { key: "a", value: "2" }
        ]
      },
      "/keys"
    ],
    ["a value too long", { keys: [{ key: "A", value: "x".repeat(501) }] }, "/keys/0/value"],
    ["a key without a name", { keys: [{ key: "", value: "" }] }, "/keys/0/key"],
    ["too many keys", { keys: Array.from({ length: 201 }, (_, i) => ({ key: `K${i}`, value: "" })) }, "/keys"],
    ["no keys", {}, "/keys"]
  ]
  for (const [name, body, pointer] of wrong) {
    it(`is refused with ${name}`, async () => {
      const answer = await ask("PUT", "configuration-template", body)
      expect([answer.status, answer.json.errors[0].pointer]).toEqual([400, pointer])
      expect((await ask("GET", "configuration-template")).json.keys).toEqual([])
    })
  }

  it("shows how a charger differs from it", async () => {
    reported(
      { key: "HeartbeatInterval", value: "60", readonly: false },
      { key: "NumberOfConnectors", value: "2", readonly: true }
    )
    const keys = [
      { key: "heartbeatinterval", value: "300" },
      { key: "VendorKey", value: "x" }
    ]
    await ask("PUT", "configuration-template", { keys })
    const { json } = await ask("GET", "chargers/CP-1/configuration")
    const plain = { secret: false, unknown: false }
    expect(json.items).toEqual([
      {
        key: "HeartbeatInterval",
        value: "60",
        readonly: false,
        expected: "300",
        drift: true,
        missing: false,
        ...plain
      },
      { key: "NumberOfConnectors", value: "2", readonly: true, expected: null, drift: false, missing: false, ...plain },
      { key: "VendorKey", value: null, readonly: false, expected: "x", drift: true, missing: true, ...plain }
    ])
  })

  it("shows nothing as missing for a charger that has not reported its configuration", async () => {
    await ask("PUT", "configuration-template", { keys: [{ key: "A", value: "1" }] })
    expect((await ask("GET", "chargers/CP-1/configuration")).json.items).toEqual([])
  })

  it("lists the chargers that differ in keys that can be written", async () => {
    const drifts = async () => (await ask("GET", "configuration-drifts")).json
    reported(
      { key: "HeartbeatInterval", value: "60", readonly: false },
      { key: "NumberOfConnectors", value: "2", readonly: true }
    )
    const keys = [
      { key: "NumberOfConnectors", value: "9" },
      { key: "VendorKey", value: "x" }
    ]
    await ask("PUT", "configuration-template", { keys })
    expect(await drifts()).toEqual({ items: [], nextCursor: null })
    await ask("PUT", "configuration-template", { keys: [...keys, { key: "HeartbeatInterval", value: "300" }] })
    expect((await drifts()).items).toMatchObject([{ chargerId: "CP-1", vendor: "V", model: "M", keys: 1 }])
    const key = (await ask("POST", "api-keys", { name: "Cards", permissions: ["tokens:read"] })).json.key
    expect((await app.ask("GET", "/cpo/v2/configuration-drifts", { key })).status).toBe(403)
  })

  it("is applied to a charger as commands for the keys that differ", async () => {
    reported(
      { key: "HeartbeatInterval", value: "60", readonly: false },
      { key: "LocalPreAuthorize", value: "TRUE", readonly: false },
      { key: "NumberOfConnectors", value: "2", readonly: true }
    )
    const keys = [
      { key: "HeartbeatInterval", value: "300" },
      { key: "LocalPreAuthorize", value: "true" },
      { key: "NumberOfConnectors", value: "9" },
      { key: "Missing", value: "1" }
    ]
    await ask("PUT", "configuration-template", { keys })
    const applied = await ask("POST", "chargers/CP-1/configuration/apply", { expiresIn: 60 })
    expect(applied.status).toBe(202)
    expect(applied.json.items).toMatchObject([
      { type: "ChangeConfiguration", chargerId: "CP-1", parameters: { key: "HeartbeatInterval", value: "300" } }
    ])
    expect((await ask("GET", `commands/${applied.json.items[0].id}`)).status).toBe(200)
    expect((await ask("POST", "chargers/CP-2/configuration/apply", {})).status).toBe(404)
  })

  it("can be applied without a body, and refuses an invalid body", async () => {
    reported({ key: "HeartbeatInterval", value: "60", readonly: false })
    await ask("PUT", "configuration-template", { keys: [{ key: "HeartbeatInterval", value: "300" }] })
    const applied = await ask("POST", "chargers/CP-1/configuration/apply")
    expect([applied.status, applied.json.items.length]).toEqual([202, 1])
    const wrong = await ask("POST", "chargers/CP-1/configuration/apply", { expiresIn: "soon" })
    expect([wrong.status, wrong.json.errors?.[0].pointer]).toEqual([400, "/expiresIn"])
  })
})

describe("the quirk rules", () => {
  const rule = { name: "slow", vendor: "v*", tolerances: { callTimeoutSeconds: 90 }, evidence: "seen" }

  it("include the built-in rules, and show which chargers a rule matches", async () => {
    reported()
    const put = await ask("PUT", "quirks", { rules: [rule, { ...rule, name: "other", vendor: "W" }] })
    expect(put.status).toBe(200)
    expect(put.json.rules).toEqual([
      { ...rule, chargers: 1, chargerIds: ["CP-1"] },
      { ...rule, name: "other", vendor: "W", chargers: 0, chargerIds: [] }
    ])
    expect(put.json.builtIn.map((one: { name: string }) => one.name)).toContain("wallbox-boot-first")
    expect((await ask("GET", "quirks")).json).toEqual(put.json)
    expect((await ask("PUT", "quirks", put.json)).json).toEqual(put.json)
  })

  it("explain what a rule can grant, and with which values", async () => {
    const { kinds } = (await ask("GET", "quirks")).json
    const named = (name: string) => kinds.find((kind: { name: string }) => kind.name === name)
    expect(named("callTimeoutSeconds")).toMatchObject({ type: "Number", unit: "s", minimum: 5, maximum: 600 })
    expect(named("registerUnit")).toMatchObject({ type: "Choice", minimum: null, choices: ["kWh"] })
    expect(named("statusAfterConnect")).toMatchObject({
      title: "Does not report statuses by itself",
      type: "Yes",
      unit: null,
      choices: []
    })
    for (const { about, title, useWhen } of kinds) expect([about, title, useWhen].every(Boolean)).toBe(true)
  })

  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["without a charger to match", { name: "all", tolerances: { callTimeoutSeconds: 90 } }, "/rules/0/vendor"],
    ["that grants nothing", { ...rule, tolerances: {} }, "/rules/0/tolerances"],
    ["that grants nothing known", { ...rule, tolerances: { patience: 90 } }, "/rules/0/tolerances/patience"],
    [
      "that grants a timeout of an hour",
      { ...rule, tolerances: { callTimeoutSeconds: 3600 } },
      "/rules/0/tolerances/callTimeoutSeconds"
    ],
    [
      "with a meter register that rolls over within a session",
      { ...rule, tolerances: { registerRollsOverAtWh: 99_999 } },
      "/rules/0/tolerances/registerRollsOverAtWh"
    ],
    ["with another unit", { ...rule, tolerances: { registerUnit: "MWh" } }, "/rules/0/tolerances/registerUnit"],
    ["without a name", { ...rule, name: " " }, "/rules/0/name"]
  ]
  for (const [name, body, pointer] of wrong) {
    it(`refuse a rule ${name}`, async () => {
      const answer = await ask("PUT", "quirks", { rules: [body] })
      expect([answer.status, answer.json.errors[0].pointer]).toEqual([400, pointer])
    })
  }

  it("accept tolerances for reading meter registers", async () => {
    const tolerances = { registerUnit: "kWh", registerRollsOverAtWh: 100_000_000, registerCountsSession: true }
    const put = await ask("PUT", "quirks", { rules: [{ ...rule, tolerances }] })
    expect([put.status, put.json.rules[0].tolerances]).toEqual([200, tolerances])
  })

  it("refuse two rules with the same name", async () =>
    expect((await ask("PUT", "quirks", { rules: [rule, rule] })).status).toBe(400))
})
