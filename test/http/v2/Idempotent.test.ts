/** A repeated POST with the same `Idempotency-Key` does its work once and always gets the same answer. */
import { Deferred, Effect } from "effect"
import { beforeEach, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeEach(async () => {
  app = await fakeApp()
})

const post = (path: string, body: Json, key = "first", caller = app.key) =>
  app.ask("POST", `/cpo/v2/${path}`, { key: caller, body, headers: { "idempotency-key": key } })

it("answers a repeated request with the same status, headers and body, and creates nothing more", async () => {
  const first = await post("sites", { name: "Once" })
  const second = await post("sites", { name: "Once" })
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.text).toBe(first.text)
  expect([...second.headers]).toEqual([...first.headers])
  expect(second.headers.get("location")).toBe(`https://cpo.example/cpo/v2/sites/${first.json.id}`)
  expect(app.world.sites.size).toBe(1)
})

it("repeats 201 and secrets as first shown, and stores them sealed", async () => {
  await post("sites", { name: "A site" }, "site")
  const made = [
    ["api-keys", { name: "A key" }, "key"],
    ["chargers", { name: "A", chargerId: "CP", generatePassword: true }, "password"],
    ["organisations", { name: "B", countryCode: "FI", partyId: "BBB" }, "apiKey"]
  ] as const
  for (const [path, body, secret] of made) {
    const first = await post(path, body, path)
    const second = await post(path, body, path)
    expect([second.status, second.text]).toEqual([first.status, first.text])
    const shown: string = first.json[secret]
    expect(shown.length).toBeGreaterThan(15)
    const kept = [...app.world.answers.values()].map(({ answer }) => answer?.body ?? "")
    expect(kept.filter((text) => text.includes(shown) || text.includes("{"))).toEqual([])
  }
})

it("repeats a refusal too", async () => {
  const first = await post("chargers", { name: "A", chargerId: "CP" })
  await post("sites", { name: "A site" }, "site")
  const second = await post("chargers", { name: "A", chargerId: "CP" })
  expect([first.status, first.json.code]).toEqual([409, "site_required"])
  expect([second.status, second.text]).toEqual([first.status, first.text])
})

it("refuses the same key for another body or another path", async () => {
  await post("sites", { name: "Once" })
  for (const answer of [await post("sites", { name: "Twice" }), await post("tokens", { name: "Once" })]) {
    expect([answer.status, answer.json.code]).toEqual([409, "idempotency_key_reused"])
    expect(answer.headers.get("content-type")).toBe("application/problem+json")
  }
  expect(app.world.sites.size).toBe(1)
})

it("answers 409 with Retry-After while the first request is running", async () => {
  const gate = Deferred.makeUnsafe<void>()
  const reached = Deferred.makeUnsafe<void>()
  app.world.gate = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
  const first = post("sites", { name: "Slow" })
  await Effect.runPromise(Deferred.await(reached))
  const second = await post("sites", { name: "Slow" })
  expect([second.status, second.json.code, second.headers.get("retry-after")]).toEqual([409, "in_progress", "1"])
  Effect.runSync(Deferred.succeed(gate, undefined))
  expect((await first).status).toBe(200)
  expect((await post("sites", { name: "Slow" })).status).toBe(200)
  expect(app.world.sites.size).toBe(1)
})

it("finishes the work after the caller disconnected, and answers it to the next try", async () => {
  const gate = Deferred.makeUnsafe<void>()
  const reached = Deferred.makeUnsafe<void>()
  app.world.gate = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
  const hungUp = new AbortController()
  const headers = { "idempotency-key": "first" }
  const first = app
    .ask("POST", "/cpo/v2/sites", { key: app.key, body: { name: "Lost" }, headers, signal: hungUp.signal })
    .catch(() => undefined)
  await Effect.runPromise(Deferred.await(reached))
  hungUp.abort()
  Effect.runSync(Deferred.succeed(gate, undefined))
  await first
  expect(app.world.sites.size).toBe(1)
  expect((await post("sites", { name: "Lost" })).status).toBe(200)
  expect(app.world.sites.size).toBe(1)
})

it("stores no failure of the service, so that a retry does the work", async () => {
  for (const fail of ["unavailable", "defect"] as const) {
    const write = app.world.gate
    // Storage fails during the work, after the key was claimed.
    app.world.gate = Effect.suspend(() => {
      if (fail === "unavailable") app.world.unavailable = "down"
      else app.world.defect = new Error("boom")
      return Effect.void
    })
    const failed = await post("sites", { name: fail }, fail)
    app.world.gate = write
    app.world.unavailable = undefined
    app.world.defect = undefined
    expect(failed.status).toBe(fail === "unavailable" ? 503 : 500)
    expect((await post("sites", { name: fail }, fail)).status).toBe(200)
  }
})

it("belongs to one API key, so that another key makes its own request", async () => {
  const other = await app.organise()
  await post("sites", { name: "Mine" }, "same")
  expect((await post("sites", { name: "Theirs" }, "same", other.key)).status).toBe(200)
  expect(app.world.sites.size).toBe(2)
})

it("accepts up to 255 printable characters", async () => {
  for (const key of ["x".repeat(256), "ä"]) {
    const answer = await post("sites", { name: "A" }, key)
    expect([answer.status, answer.json.errors?.[0]?.pointer]).toEqual([400, "/idempotency-key"])
  }
  expect((await post("sites", { name: "A" }, "x".repeat(255))).status).toBe(200)
})

it("is ignored by PATCH", async () => {
  const headers = { "idempotency-key": "first" }
  const made = await post("sites", { name: "A" }, "other")
  const path = `/cpo/v2/sites/${made.json.id}`
  for (const name of ["B", "C"]) {
    const answer = await app.ask("PATCH", path, { key: app.key, body: { name }, headers })
    expect([answer.status, answer.json.name]).toEqual([200, name])
  }
})
