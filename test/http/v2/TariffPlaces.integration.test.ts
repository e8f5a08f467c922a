/** Where tariffs are assigned, and which of them applies at each connector of a charger, over REST and the real storage. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { forEachDriver } from "../../support/databases.ts"
import { founded, joined, ports } from "../../support/people.ts"
import type { Json } from "../../support/restApp.ts"

const sound = { currency: "EUR", elements: [{ priceComponents: [{ type: "ENERGY", price: 0.4, stepSize: 1 }] }] }

/** An organisation with a site and two chargers, and functions to call REST. */
const place = Effect.gen(function* () {
  const own = yield* founded
  const { ask, key } = own
  const get = (path: string) => ask("GET", `/cpo/v2/${path}`, { key })
  const made = async (path: string, body: Json): Promise<Json> => {
    const answer = await ask("POST", `/cpo/v2/${path}`, { key, body })
    assert.isBelow(answer.status, 300, answer.text)
    return answer.json
  }
  const tariff = async (more: Json = {}) => String((await made("tariffs", { ...sound, ...more })).id)
  const assign = async (id: string, body: Json) => {
    const answer = await ask("PUT", `/cpo/v2/tariffs/${id}/assignments`, { key, body })
    assert.strictEqual(answer.status, 200, answer.text)
  }
  return yield* Effect.promise(async () => {
    const site = await made("sites", { name: "Harbour" })
    const one = `PLACE-${own.organisationId.slice(-8)}-1`
    const two = `PLACE-${own.organisationId.slice(-8)}-2`
    for (const chargerId of [one, two]) await made("chargers", { name: chargerId, chargerId, siteId: site.id })
    return { ...own, get, tariff, assign, siteId: String(site.id), one, two }
  })
})

const short = ({ chargerId, evseId, scope, tariffId }: Json) => [scope, chargerId, evseId, tariffId]

forEachDriver("Assigned tariffs over REST", ports, (it) => {
  it.effect("are listed from the organisation down to connectors, for all tariffs or for one", () =>
    Effect.gen(function* () {
      const { assign, get, one, siteId, tariff, two } = yield* place
      yield* Effect.promise(async () => {
        const [usual, special] = [await tariff(), await tariff()]
        await assign(special, { connector: { chargerId: two, connectorId: 2 } })
        await assign(special, { chargerId: one })
        await assign(usual, { siteId })
        await assign(usual, { default: true })
        const { json } = await get("tariff-assignments")
        assert.deepStrictEqual(json.items.map(short), [
          ["organisation", null, null, usual],
          ["site", null, null, usual],
          ["charger", one, null, special],
          ["connector", two, 2, special]
        ])
        assert.deepStrictEqual(
          json.items.map((item: Json) => item.siteId),
          [null, siteId, siteId, siteId]
        )
        const paged: Array<Json> = []
        let path = "tariff-assignments?limit=3"
        for (;;) {
          const { items, nextCursor } = (await get(path)).json
          paged.push(...items)
          if (nextCursor === null) break
          path = `tariff-assignments?limit=3&cursor=${nextCursor}`
        }
        assert.deepStrictEqual(paged, json.items)
        const ofSpecial = (await get(`tariff-assignments?tariffId=${special}`)).json.items
        assert.deepStrictEqual(ofSpecial, json.items.slice(2))
        assert.strictEqual((await get("tariff-assignments?tariffId=none")).status, 400)
      })
    })
  )

  it.effect("show which one applies at each connector, and why the others do not", () =>
    Effect.gen(function* () {
      const { assign, get, one, siteId, tariff, two } = yield* place
      yield* Effect.promise(async () => {
        const nothing = (await get(`chargers/${one}/tariffs`)).json
        assert.deepStrictEqual(nothing, {
          items: [{ evseId: 1, connectorId: 1, tariffId: null, version: null, assignments: [] }]
        })
        const usual = await tariff()
        const ended = await tariff({ endDateTime: "2026-01-01T00:00:00Z" })
        const christmas = await tariff({ startDateTime: "2031-12-24T00:00:00Z", endDateTime: "2031-12-27T00:00:00Z" })
        await assign(usual, { default: true })
        await assign(ended, { siteId })
        await assign(usual, { chargerId: one })
        await assign(christmas, { connector: { chargerId: one, connectorId: 2 } })
        const verdicts = async (path: string) =>
          (await get(path)).json.items.map(({ assignments, evseId, tariffId }: Json) => [
            evseId,
            tariffId,
            assignments.map(({ scope, verdict }: Json) => `${scope} ${verdict}`)
          ])
        assert.deepStrictEqual(await verdicts(`chargers/${one}/tariffs`), [
          [2, usual, ["connector NotYetValid", "charger Applies", "site Ended", "organisation Overridden"]]
        ])
        assert.deepStrictEqual(await verdicts(`chargers/${one}/tariffs?at=2031-12-24T00:00:00Z`), [
          [2, christmas, ["connector Applies", "charger Overridden", "site Ended", "organisation Overridden"]]
        ])
        assert.deepStrictEqual(await verdicts(`chargers/${one}/tariffs?at=2025-12-31T23:59:59Z`), [
          [2, usual, ["connector NotYetValid", "charger Applies", "site Overridden", "organisation Overridden"]]
        ])
        assert.deepStrictEqual(await verdicts(`chargers/${two}/tariffs?at=2025-12-31T23:59:59Z`), [
          [1, ended, ["site Applies", "organisation Overridden"]]
        ])
        const [{ assignments }] = (await get(`chargers/${one}/tariffs`)).json.items
        assert.deepStrictEqual(assignments[0], {
          tariffId: christmas,
          version: 1,
          scope: "connector",
          siteId,
          chargerId: one,
          evseId: 2,
          connectorId: 1,
          startDateTime: "2031-12-24T00:00:00.000Z",
          endDateTime: "2031-12-27T00:00:00.000Z",
          verdict: "NotYetValid"
        })
        assert.strictEqual((await get(`chargers/${one}/tariffs?at=yesterday`)).status, 400)
        assert.strictEqual((await get("chargers/NONE/tariffs")).status, 404)
      })
    })
  )

  it.effect("cover the caller's own organisation, and require permission to read tariffs and chargers", () =>
    Effect.gen(function* () {
      const own = yield* place
      const stranger = yield* place
      yield* Effect.promise(async () => {
        await own.assign(await own.tariff(), { default: true })
        const theirs = await stranger.tariff()
        await stranger.assign(theirs, { siteId: stranger.siteId })
        assert.deepStrictEqual((await own.get(`tariff-assignments?tariffId=${theirs}`)).json.items, [])
        assert.strictEqual((await own.get("tariff-assignments")).json.items.length, 1)
        assert.strictEqual((await own.get(`chargers/${stranger.one}/tariffs`)).status, 404)
        const role = await own.owner.post("/roles", { name: "Sites only", permissions: ["sites:read", "tariffs:read"] })
        const { browser } = await joined(own, role.json.id)
        assert.strictEqual((await browser.ask("GET", "/tariff-assignments")).status, 200)
        const refused = await browser.ask("GET", `/chargers/${own.one}/tariffs`)
        assert.strictEqual(refused.status, 403)
        assert.include(refused.json.detail, "chargers:read")
      })
    })
  )
})
