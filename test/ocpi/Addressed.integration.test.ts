/**
 * Routing by party, for an organisation with two CPO parties: a request to one of them gets that party's objects, and a request to no party, or to
 * the caller's own, gets the whole organisation's.
 */
import { randomUUID } from "node:crypto"
import { expect, it } from "vitest"
import { Drive, problemsOf } from "./modules/Drive.ts"
import type { Answer } from "./partner/Client.ts"
import type { Partner } from "./partner/Partner.ts"
import { Roaming, versionsSince22 } from "./partner/Roaming.ts"
import { type Json, nextPage } from "./partner/Wire.ts"
import type { Version } from "./schemas/Schemas.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

const first = (): Json => ({ country_code: "NL", party_id: world.organisation.partyId })

const perKwh = {
  currency: "EUR",
  elements: [{ priceComponents: [{ type: "ENERGY", price: 4, vat: 20, stepSize: 1 }] }]
}

const lists = ["locations", "sessions", "cdrs"] as const

const idsIn = ({ data }: Answer): ReadonlyArray<unknown> => (data as ReadonlyArray<Json>).map(({ id }) => id)

/** A list as answered to requests for this party, in pages of one. The last page states the total count. */
const listed = async (partner: Partner, module: string, to: Json | undefined): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  let url: string | undefined = `${partner.endpoint(module)}?limit=1&date_from=2020-01-01T00:00:00Z`
  while (url !== undefined) {
    const asked = { token: partner.theirToken ?? "", from: partner.party, to }
    const answer = await partner.client.ask("GET", url, asked)
    expect(answer.http, answer.text).toBe(200)
    for (const one of answer.data as ReadonlyArray<Json>) {
      ids.push(String(one["id"]))
      if (to !== undefined) expect(one, module).toMatchObject(to)
    }
    url = nextPage(answer.headers["link"])
    if (url === undefined) expect(Number(answer.headers["x-total-count"]), module).toBe(ids.length)
  }
  return ids
}

/** A location of a party, and at it a session that has ended and has been billed. */
const placedAt = async (partner: Partner, cpoPartyId: string | null) => {
  const spot = await drive.spot(partner)
  await world.ask("PATCH", `sites/${spot.locationId}`, { cpoPartyId })
  const { id } = await world.post("tariffs", perKwh)
  await world.ask("PUT", `tariffs/${String(id)}/assignments`, { siteId: spot.locationId })
  const { id: sessions, transactionId } = await drive.session(partner, spot)
  await spot.station.stop(transactionId, { meterStop: 600 })
  const record = `cdrs?sessionId=${sessions}`
  await world.eventually("a record", record, ({ items }) => (items as Array<unknown>).length === 1)
  const [cdr] = await world.items(record)
  return { locations: spot.locationId, sessions, cdrs: String(cdr?.["id"]) }
}

it.each(versionsSince22)(
  "a partner on OCPI %s that addresses itself is answered as if it addressed no party",
  async (version) => {
    const { partner } = await roaming.registered(version)
    const { locations: id } = await placedAt(partner, null)
    const asked = (to: Json | undefined, rest = "", module = "locations") =>
      partner.client.ask("GET", `${partner.endpoint(module)}${rest}`, {
        token: partner.theirToken ?? "",
        from: partner.party,
        to
      })
    for (const module of [...lists, "tariffs"]) {
      const itself = await asked(partner.party, "", module)
      expect([itself.http, itself.code], module).toEqual([200, 1000])
      expect(idsIn(itself), module).toEqual(idsIn(await asked(undefined, "", module)))
      expect(itself.headers, module).toMatchObject({
        "ocpi-from-party-id": world.organisation.partyId,
        "ocpi-to-party-id": partner.party.party_id
      })
    }
    expect((await asked(partner.party, `/${id}`)).http).toBe(200)
    expect((await asked({ country_code: "FR", party_id: "XXX" })).http).toBe(404)
    expect(problemsOf(partner)).toEqual([])
  }
)

it("a hub that addresses itself is answered 404, because it names none of our parties", async () => {
  const { partner: hub } = await roaming.registered("2.2.1", {}, { roles: ["HUB"] })
  const asked = { token: hub.theirToken ?? "", from: hub.party, to: hub.party }
  const { code, http } = await hub.client.ask("GET", hub.endpoint("locations") ?? "", asked)
  expect([http, code]).toEqual([404, 2001])
})

const parties: Readonly<Record<string, string>> = { "2.2": "SCA", "2.2.1": "SCB" }

it.each(versionsSince22)("lists on OCPI %s contain the objects of the addressed party", async (version: Version) => {
  const { partner } = await roaming.registered(version)
  const partyId = parties[version] ?? ""
  const second: Json = { country_code: "BE", party_id: partyId }
  // The first party owns everything that no other party has.
  const business = { name: `Second ${randomUUID().slice(0, 4)}` }
  const { id } = await world.post("parties", { countryCode: "BE", partyId, businessDetails: business })
  const ours = await placedAt(partner, null)
  const theirs = await placedAt(partner, String(id))
  for (const module of lists) {
    const one = ours[module]
    const other = theirs[module]
    expect(await listed(partner, module, second), module).toEqual([other])
    const mine = await listed(partner, module, first())
    expect([mine.includes(one), mine.includes(other)], module).toEqual([true, false])
    const all = await listed(partner, module, undefined)
    expect([all.includes(one), all.includes(other)], module).toEqual([true, true])
  }
  const read = async (to: Json, id: string) => {
    const asked = { token: partner.theirToken ?? "", from: partner.party, to }
    const { code, http } = await partner.client.ask("GET", `${partner.endpoint("locations")}/${id}`, asked)
    return [http, code]
  }
  expect(await read(second, theirs.locations)).toEqual([200, 1000])
  expect(await read(second, ours.locations)).toEqual([404, 2003])
  expect(await read(first(), theirs.locations)).toEqual([404, 2003])
  expect(problemsOf(partner)).toEqual([])
})
