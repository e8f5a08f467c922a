/**
 * Three partners in three versions, each on every route of every version with the ids of the two others, and one partner of another organisation:
 * none reads or changes what belongs to another (T05, T18, T19, T23).
 */
import { describe, expect, it, onTestFinished } from "vitest"
import { nameOf, rowsOf } from "../../../src/ocpi/protocol/EndpointTable.ts"
import type { Answer } from "../partner/Client.ts"
import { Partner } from "../partner/Partner.ts"
import { Driver, makePlace, type Place } from "../partner/Place.ts"
import { allVersions, Roaming } from "../partner/Roaming.ts"
import { type Json, now } from "../partner/Wire.ts"
import { type Owned, recipes } from "./Recipes.ts"

const roaming = new Roaming()

const since = "?date_from=2020-01-01T00:00:00Z"

/** A partner with a token, a running session and a billed one. */
const owning = async (place: Place, version: (typeof allVersions)[number]): Promise<Owned & { place: Place }> => {
  const { partner } = await roaming.registered(version)
  const { country_code, party_id } = partner.party
  const uid = `UID${party_id}`
  const token = partner.cards.make(uid, { whitelist: "ALWAYS" })
  expect((await partner.putToken(token)).code).toBe(1000)
  const driver = new Driver(place)
  await driver.start(uid)
  await driver.meter(1200)
  await driver.stop()
  await driver.start(uid)
  await expect.poll(() => partner.pull("cdrs"), { timeout: 20_000 }).toHaveLength(1)
  const sessions = await partner.pull("sessions", since)
  const idOf = (state: string) => String(sessions.find(({ status }) => status === state)?.["id"])
  const [cdr] = await partner.pull("cdrs")
  const [sessionId, endedId, cdrId] = [idOf("ACTIVE"), idOf("COMPLETED"), String(cdr?.["id"])]
  if (version !== "2.1.1") {
    const info = { ...partner.party, role: "EMSP", status: "CONNECTED", last_updated: now() }
    await partner.ask("PUT", "hubclientinfo", `/${country_code}/${party_id}`, info)
  }
  return {
    place,
    partner,
    token,
    sessionId,
    endedId,
    cdrId,
    locationId: place.siteId,
    secrets: [sessionId, endedId, cdrId, uid]
  }
}

/** Everything that belongs to a partner, as shown to it. */
const view = async ({ partner, token }: Owned): Promise<string> => {
  const { country_code, party_id } = partner.party
  const parts: Array<unknown> = [
    await partner.pull("sessions", since),
    await partner.pull("cdrs"),
    (await partner.ask("GET", "tokens", partner.tokenPath(token))).data,
    (await partner.ask("GET", "credentials")).data,
    partner.version === "2.1.1"
      ? undefined
      : (await partner.ask("GET", "hubclientinfo", `/${country_code}/${party_id}`)).data
  ]
  return JSON.stringify(parts)
}

/** What the chargers received after their drivers had started. */
const sentToChargers = (owned: ReadonlyArray<{ readonly place: Place }>): ReadonlyArray<string> =>
  owned.flatMap(({ place: { station } }) =>
    station.heard
      .map(({ action }) => action)
      .filter((action) => !["GetConfiguration", "TriggerMessage"].includes(action))
  )

/** The secrets that an answer contains although the request did not. */
const leaked = ({ headers, text }: Answer, secrets: ReadonlyArray<string>, asked: string): ReadonlyArray<string> => {
  const said = asked.toUpperCase()
  const answer = `${text} ${JSON.stringify(headers)}`.toUpperCase()
  return secrets.filter((secret) => !said.includes(secret.toUpperCase()) && answer.includes(secret.toUpperCase()))
}

/** Tries every row of a version as a stranger. Returns what went wrong. */
const walk = async (
  stranger: Partner,
  owned: Owned,
  version: (typeof allVersions)[number]
): Promise<ReadonlyArray<string>> => {
  const base = (stranger.endpoint("credentials") ?? "").replace(/\/2\.[0-9.]+\/credentials$/, "")
  const wrong: Array<string> = []
  for (const row of rowsOf(version)) {
    const recipe = recipes[nameOf(row)]
    if (recipe === undefined) throw new Error(`no recipe for ${nameOf(row)}`)
    const segment = version === "2.1.1" && row.module !== "credentials" ? "cpo/" : ""
    for (const { body, path } of recipe.attempts(owned, stranger, version)) {
      const url = `${base}/${version}/${segment}${row.module}${path}`
      const sent = row.method === "GET" || row.method === "DELETE" ? undefined : body
      const answer = await stranger.client.ask(row.method, url, {
        token: stranger.theirToken ?? "",
        body: sent,
        from: stranger.party,
        to: stranger.cpo
      })
      const what = `${stranger.version} on ${version}: ${row.method} ${path}`
      const fault = recipe.wrong(answer)
      if (fault !== undefined) wrong.push(`${what}: ${fault}`)
      const leaks = leaked(answer, owned.secrets, `${path} ${JSON.stringify(sent)}`)
      if (leaks.length > 0) wrong.push(`${what}: shows ${leaks.join(", ")}`)
    }
  }
  return wrong
}

describe("three partners in three versions", () => {
  it("neither read nor change each other's objects, on any route", { timeout: 180_000 }, async () => {
    const owned: Array<Awaited<ReturnType<typeof owning>>> = []
    for (const version of allVersions) owned.push(await owning(await makePlace(roaming.world), version))
    const before = await Promise.all(owned.map(view))
    // The test would prove nothing if the owners did not see their objects.
    for (const [i, one] of owned.entries()) {
      expect(one.secrets.filter((secret) => !(before[i] ?? "").includes(secret))).toEqual([])
    }
    const wrong: Array<string> = []
    for (const stranger of owned) {
      for (const other of owned) {
        if (other === stranger) continue
        for (const version of allVersions) wrong.push(...(await walk(stranger.partner, other, version)))
      }
    }
    expect(wrong).toEqual([])
    expect(await Promise.all(owned.map(view))).toEqual(before)
    expect(sentToChargers(owned)).toEqual([])
    const texts = owned.flatMap(({ partner }) => partner.everything)
    const identities = owned.map(({ place }) => place.chargerId)
    expect(texts.filter((text) => identities.some((id) => text.includes(id)))).toEqual([])
  })
})

/** REST as an operator of the organisation with this key. */
const restOf =
  (key: string) =>
  async (path: string, body: Json): Promise<Json> => {
    const answer = await fetch(`${roaming.world.service.url}/cpo/v2/${path}`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return (await answer.json()) as Json
  }

describe("a partner of another organisation", () => {
  it.each(allVersions)("sees nothing of this one in %s", { timeout: 120_000 }, async (version) => {
    const place = await makePlace(roaming.world)
    const mine = await owning(place, version)
    const n = allVersions.indexOf(version)
    const { apiKey } = await roaming.world.organise(`Other ${version}`)
    const rest = restOf(apiKey)
    const stranger = await Partner.start({ version, countryCode: "BE", partyId: `ST${n}`, name: "Stranger" })
    onTestFinished(() => stranger[Symbol.asyncDispose]())
    const invited = await rest("partners", {
      name: "Stranger",
      countryCode: "BE",
      partyId: `ST${n}`,
      roles: ["EMSP"]
    })
    await stranger.register(String(invited["versionsUrl"]), String(invited["credentialsToken"]))
    const before = await view(mine)
    for (const module of ["locations", "tariffs", "cdrs"] as const) expect(await stranger.pull(module)).toEqual([])
    expect(await stranger.pull("sessions", since)).toEqual([])
    const location = await stranger.ask("GET", "locations", `/${place.siteId}`)
    expect([location.http, location.code]).toEqual([404, 2003])
    const start = await stranger.ask("POST", "commands", "/START_SESSION", {
      response_url: stranger.expectResult("commands", "START_SESSION").url,
      token: stranger.cards.make("STRANGER"),
      location_id: place.siteId
    })
    expect(start.text).not.toContain("ACCEPTED")
    const wrong = (await walk(stranger, mine, version)).filter((one) => !one.includes(`GET /${place.siteId}:`))
    expect(wrong).toEqual([])
    expect(await view(mine)).toBe(before)
    expect(sentToChargers([mine])).toEqual([])
    expect(stranger.problems).toEqual([])
  })
})
