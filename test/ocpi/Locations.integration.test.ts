/** Locations and tariffs over real HTTP behind a proxy: links, the operator's view of them, and changes of a charger's status. */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import type { Partner } from "./partner/Partner.ts"
import { makePlace } from "./partner/Place.ts"
import { Roaming } from "./partner/Roaming.ts"
import { itInCommon, usualVersions } from "./partner/Usual.ts"
import type { Json } from "./partner/Wire.ts"
import type { Version } from "./schemas/Schemas.ts"

/** Partners use a public address that differs from the one on which the service listens. In a plain run it differs only in its host name. */
const settings = process.env["TEST_ALL"] === undefined ? undefined : { PUBLIC_URL: "https://roaming.example/behind" }
const roaming = new Roaming(settings)
const publicUrl = (): string => settings?.PUBLIC_URL ?? `http://localhost:${roaming.world.service.port}`

const pathOf = (version: Version, module: string): string =>
  version === "2.1.1" ? `/ocpi/2.1.1/cpo/${module}` : `/ocpi/${version}/${module}`

/** A registered partner, and a function that sends its requests as the proxy would. */
const aPartner = async (version: Version) => {
  const partner = await roaming.partner(version)
  const { id, token, versionsUrl } = await roaming.invite(partner)
  expect(versionsUrl).toBe(`${publicUrl()}/ocpi/versions`)
  const { url } = roaming.world.service
  const ask = (path: string, asked: Parameters<Partner["client"]["ask"]>[2]) =>
    partner.client.ask("GET", `${url}${path}`, asked)
  const body = partner.credentials(partner.invitation())
  const answer = await partner.client.ask("POST", `${url}/ocpi/${version}/credentials`, { token, body })
  const theirs = answer.data as { readonly token: string }
  const read = (module: string, rest = "", headers: Readonly<Record<string, string>> = {}) =>
    ask(`${pathOf(version, module)}${rest}`, { token: theirs.token, headers })
  return { id, partner, read }
}

const listOf = (data: unknown): ReadonlyArray<Json> => (Array.isArray(data) ? (data as ReadonlyArray<Json>) : [])

const firstEvse = (location: unknown): Json => listOf((location as Json)["evses"])[0] ?? {}

describe.each(usualVersions)("OCPI %s", (version) => {
  const common = itInCommon(version)

  common("links use the public address and keep filters, and the last page has none", async () => {
    await makePlace(roaming.world)
    await makePlace(roaming.world)
    const { partner, read } = await aPartner(version)
    const first = await read("locations", "?limit=1&date_from=2020-01-01T00:00:00Z")
    expect(first.headers["x-limit"]).toBe("100")
    const total = Number(first.headers["x-total-count"])
    expect(total).toBeGreaterThanOrEqual(2)
    const link = /^<([^>]*)>; rel="next"$/.exec(first.headers["link"] ?? "")?.[1] ?? ""
    const next = new URL(link)
    expect(next.origin + next.pathname).toBe(`${publicUrl()}${pathOf(version, "locations")}`)
    expect(Object.fromEntries(next.searchParams)).toEqual({
      limit: "1",
      offset: "1",
      date_from: "2020-01-01T00:00:00Z"
    })
    const last = await read("locations", `?limit=1&offset=${total - 1}`)
    expect(listOf(last.data)).toHaveLength(1)
    expect(last.headers).not.toHaveProperty("link")
    expect(partner.problems).toEqual([])
  })

  it("the operator sees what the partner sees, and the partner never sees the charger's identity", async () => {
    const place = await makePlace(roaming.world)
    const { id, partner, read } = await aPartner(version)
    for (const module of ["locations", "tariffs"]) {
      const { data, text } = await read(module, "?limit=100")
      const shown = await roaming.world.get(`partners/${id}/view/${module}?limit=100`)
      expect(shown["items"]).toEqual(data)
      expect(text).not.toContain(place.chargerId)
    }
    expect((await roaming.world.get(`sites/${place.siteId}`))["ocpi"]).toEqual({ published: true, missing: [] })
    expect((await roaming.world.get(`partners/${id}/view/sessions`))["items"]).toEqual([])
    expect(partner.problems).toEqual([])
  })

  it("a status is shown at once, and in the list of what has changed since", async () => {
    const { siteId, station } = await makePlace(roaming.world)
    const { partner, read } = await aPartner(version)
    const location = async () => (await read("locations", `/${siteId}`)).data
    await station.status(1, "Available")
    expect(firstEvse(await location())).toMatchObject({ status: "AVAILABLE" })
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const since = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString()
    await station.status(1, "Faulted")
    const after = await location()
    expect(firstEvse(after)).toMatchObject({ status: "OUTOFORDER" })
    const changed = listOf((await read("locations", `?date_from=${since}`)).data)
    expect(changed.find(({ id }) => id === siteId)).toEqual(after)
    // The status is unknown after the charger has disconnected.
    await station.close()
    const isUnknown = async () => firstEvse(await location())["status"] === "UNKNOWN"
    await until(() => "the charger is still there", 10_000, isUnknown)
    expect(partner.problems).toEqual([])
  })

  common("answers are sent as text to callers that accept only text", async () => {
    const { siteId } = await makePlace(roaming.world)
    const { read } = await aPartner(version)
    const types = async (accept: string) => (await read("locations", `/${siteId}`, { accept })).headers["content-type"]
    expect(await types("text/plain")).toBe("text/plain; charset=utf-8")
    expect(await types("text/plain, application/json")).toBe("application/json")
    expect(await types("*/*")).toBe("application/json")
  })

  common("tariffs are listed only while they are assigned", async () => {
    const { tariffId } = await makePlace(roaming.world)
    const elements = [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }]
    const idle = await roaming.world.post("tariffs", { currency: "EUR", elements })
    const { partner, read } = await aPartner(version)
    const ids = async () => listOf((await read("tariffs", "?limit=100")).data).map(({ id }) => id)
    expect(await ids()).toContain(tariffId)
    expect(await ids()).not.toContain(idle["id"])
    await roaming.world.ask("PUT", `tariffs/${String(idle["id"])}/assignments`, { default: true })
    expect(await ids()).toContain(idle["id"])
    expect(partner.problems).toEqual([])
  })
})
