/** Time series over HTTP: what is answered, and what is refused. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { fakeApp } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
beforeAll(async () => {
  app = await fakeApp()
})
afterAll(() => app.close())

const ask = (query: string) => app.ask("GET", `/cpo/v2/statistics/series?${query}`, { key: app.key })
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

it("answers a day in quarters of an hour by default", async () => {
  const { json, status } = await ask("metric=power")
  expect([status, json.metric, json.unit, json.step]).toEqual([200, "power", "W", "PT15M"])
  expect(json.points).toHaveLength(96)
  expect(Date.parse(json.to) - Date.parse(json.from)).toBe(86_400_000)
})

it("answers no points in the future", async () => {
  const { json } = await ask(`metric=sessions&step=PT1H&from=${ago(2.5)}&to=${ago(-10)}`)
  expect(json.points).toHaveLength(3)
})

it("answers availability in percent, and null if no connector is known", async () => {
  const { json, status } = await ask(`metric=availability&step=PT1H&from=${ago(2.5)}`)
  expect([status, json.unit, json.overall]).toEqual([200, "percent", null])
  expect((json.points as ReadonlyArray<{ value: unknown }>).map(({ value }) => value)).toEqual([null, null, null])
})

it.each([
  ["metric=speed", "/metric"],
  ["step=PT1H", "/metric"],
  ["metric=power&step=PT1S", "/step"],
  [`metric=power&from=${ago(1)}&to=${ago(2)}`, "/from"],
  [`metric=power&step=P1D&from=${ago(93 * 24)}`, "/from"],
  [`metric=power&step=PT5M&from=${ago(90)}`, "/step"],
  ["metric=power&siteId=none", "/siteId"],
  ["metric=availability&chargerId=%20", "/chargerId"],
  [`metric=availability&step=P1D&from=${ago(93 * 24)}`, "/from"],
  ["metric=power&zone=UTC", "/zone"]
])("refuses %s and names the wrong parameter", async (query, pointer) => {
  const { json, status } = await ask(query)
  expect([status >= 400 && status < 500, json.errors?.[0]?.pointer]).toEqual([true, pointer])
})
