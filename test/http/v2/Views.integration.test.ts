/** Saved views over the real storage: personal and shared, limited in number, and never a link to another site. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { forEachDriver } from "../../support/databases.ts"
import { founded, joined, ports } from "../../support/people.ts"
import type { Answer, Json } from "../../support/restApp.ts"

const said = ({ json, status }: Answer): ReadonlyArray<unknown> => [status, json?.code]
const names = ({ json }: Answer) => json.items.map(({ name, own }: Json) => [name, own])

forEachDriver("Views", ports, (it) => {
  it.effect("belong to a person, can be shared with the organisation, and are removed by their owner only", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const stranger = yield* founded
      yield* Effect.promise(async () => {
        const { ask, key, owner } = own
        const { browser: bo } = await joined(own, "Viewer")
        const keep = (name: string, shared: boolean) =>
          owner.post("/me/views", { name, path: "/chargers?is=offline", shared })
        const mine = await keep("Mine", false)
        assert.deepInclude(mine.json, { name: "Mine", path: "/chargers?is=offline", shared: false, own: true })
        assert.deepStrictEqual(said(await keep("Mine", true)), [409, "view_exists"])
        const shared = await keep("All of us", true)
        assert.deepStrictEqual(names(await owner.ask("GET", "/me/views")), [
          ["All of us", true],
          ["Mine", true]
        ])
        assert.deepStrictEqual(names(await bo.ask("GET", "/me/views")), [["All of us", false]])
        assert.deepStrictEqual(names(await stranger.owner.ask("GET", "/me/views")), [])
        const address = `/me/views/${shared.json.id}`
        assert.strictEqual((await bo.ask("DELETE", address)).status, 404)
        assert.strictEqual((await stranger.owner.ask("DELETE", address)).status, 404)
        // A key of the operator sees the same views as the operator.
        const byKey = await ask("GET", "/cpo/v2/me/views", { key })
        assert.strictEqual(byKey.json.items.length, 2)
        assert.strictEqual((await owner.ask("DELETE", address)).status, 204)
        assert.deepStrictEqual(names(await bo.ask("GET", "/me/views")), [])
      })
    })
  )

  it.effect("must be paths of this service, and at most fifty per person", () =>
    Effect.gen(function* () {
      const { owner } = yield* founded
      yield* Effect.promise(async () => {
        const keep = (path: string, name = "View") => owner.post("/me/views", { name, path })
        for (const path of [
          "//evil.example/",
          "https://evil.example/",
          "/\\evil.example",
          "chargers",
          "/a#secret",
          "/a b",
          ""
        ]) {
          assert.deepStrictEqual(said(await keep(path)), [400, "invalid_input"], path)
        }
        for (let i = 0; i < 50; i++) assert.strictEqual((await keep("/sessions", `View ${i}`)).status, 201)
        assert.deepStrictEqual(said(await keep("/sessions", "One more")), [409, "too_many_views"])
      })
    })
  )
})
