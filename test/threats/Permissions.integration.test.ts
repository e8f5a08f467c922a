/**
 * T22: each caller has exactly its permissions at the moment of the call. What an operator loses, his keys lose at the next call, and everything once
 * he has left; a revoked key is refused at once; and keys of one generation of REST do not work in the other.
 */
import { expect, it } from "vitest"
import { v1 } from "../simulation/Process.ts"
import { threatDrivers, type World } from "./world.ts"

const limitMillis = 240_000

interface Organisation {
  readonly id: string
  readonly apiKey: string
  readonly clientId: string
  readonly code: string
}

const organised = (world: World, partyId: string): Promise<Organisation> =>
  world.done("POST", "/cpo/v2/organisations", {
    body: {
      name: `Organisation ${partyId}`,
      countryCode: "FI",
      partyId,
      operatorEmail: `${partyId.toLowerCase()}@example.com`
    }
  })

const createSite = (world: World, key: string) =>
  world
    .ask("POST", "/cpo/v2/sites", { key, body: { name: "Site" } })
    .then(({ json, status }) => (status === 403 ? [status, json.code, ...json.requiredPermissions] : [status]))
const listSites = (world: World, key: string) =>
  world
    .ask("GET", "/cpo/v2/sites", { key })
    .then(({ json, status }) => (status === 403 ? [status, json.code, ...json.requiredPermissions] : [status]))
const statistics = (world: World, clientId: string, code: string) =>
  world
    .ask("GET", `/api/statistics?clientId=${encodeURIComponent(clientId)}&code=${encodeURIComponent(code)}`, {
      key: undefined
    })
    .then(({ status }) => status)

for (const { missing, name, run } of threatDrivers) {
  it.skipIf(missing)(`applies an operator's current permissions at each call (${name})`, { timeout: limitMillis }, () =>
    run(async (world) => {
      const { apiKey, clientId, code, id } = await organised(world, "OPA")
      const made = await world.done("POST", "/cpo/v2/api-keys", {
        key: apiKey,
        body: { name: "reads and makes sites", permissions: ["sites:read", "sites:write"] }
      })
      const full: string = apiKey
      const narrow: string = made.key
      expect([await createSite(world, full), await createSite(world, narrow)]).toEqual([[200], [200]])
      expect(await world.ask("GET", "/cpo/v2/tokens", { key: narrow })).toMatchObject({
        status: 403,
        json: { code: "permission_denied", requiredPermissions: ["tokens:read"] }
      })
      // A key cannot make a key with more permissions than its own.
      const greedy = { name: "all", permissions: ["sites:read", "platform:admin"] }
      expect((await world.ask("POST", "/cpo/v2/api-keys", { key: full, body: greedy })).status).toBe(403)
      expect(
        (
          await world.ask("POST", "/cpo/v2/organisations", {
            key: full,
            body: { name: "X", countryCode: "FI", partyId: "XYZ" }
          })
        ).json
      ).toMatchObject({ status: 403, requiredPermissions: ["platform:admin"] })

      await world.sql(async (query) => {
        await query(`UPDATE membership SET removals = '{sites:write}' WHERE organisation_id = '${id}'`)
      })
      const refused = [403, "permission_denied", "sites:write"]
      expect([await createSite(world, full), await createSite(world, narrow)]).toEqual([refused, refused])
      expect([await listSites(world, full), await listSites(world, narrow)]).toEqual([[200], [200]])

      await world.done("DELETE", `/cpo/v2/api-keys/${made.id}`, { key: full })
      expect([await listSites(world, narrow), await listSites(world, full)]).toEqual([[401], [200]])

      await world.sql(async (query) => {
        await query(`UPDATE membership SET active = false, removals = '{}' WHERE organisation_id = '${id}'`)
      })
      expect([await listSites(world, full), await createSite(world, full)]).toEqual([
        [403, "permission_denied", "sites:read"],
        [403, "permission_denied", "sites:write"]
      ])
      expect(await listSites(world, narrow), "revoked it stays, over a restart too").toEqual([401])
      expect(await statistics(world, clientId, code), "the organisation's own pair is no operator's").toBe(200)
    })
  )

  it.skipIf(missing)(`accepts no keys of the other generation of REST (${name})`, { timeout: limitMillis }, () =>
    run(async (world) => {
      const own = await organised(world, "OPB")
      const other = await organised(world, "OPC")
      expect(await statistics(world, own.clientId, own.code)).toBe(200)
      expect(await listSites(world, own.apiKey)).toEqual([200])
      const pairs: ReadonlyArray<readonly [clientId: string, code: string]> = [
        [own.clientId, own.apiKey],
        [own.apiKey, own.code],
        [own.apiKey, own.apiKey],
        [own.code, own.clientId],
        [own.clientId, other.code],
        [own.clientId, v1.code],
        [own.clientId, own.code.toLowerCase()],
        [own.clientId, `${own.code} `],
        [own.clientId, own.code.slice(0, -1)],
        [own.clientId.toUpperCase(), own.code],
        [own.clientId, ""],
        ["", own.code],
        ["", ""],
        ["%", "%"]
      ]
      for (const [clientId, code] of pairs) {
        if (clientId === own.clientId && code === own.code) continue
        expect(await statistics(world, clientId, code), `clientId=${clientId}&code=${code}`).toBe(401)
      }
      const pair = `clientId=${own.clientId}&code=${own.code}`
      const attempts: ReadonlyArray<
        readonly [path: string, key: string | undefined, headers?: Record<string, string>]
      > = [
        ["/cpo/v2/sites", own.code],
        ["/cpo/v2/sites", own.clientId],
        ["/cpo/v2/sites", `${own.clientId}:${own.code}`],
        [`/cpo/v2/sites?${pair}`, undefined],
        [`/cpo/v2/sites?x-api-key=${own.apiKey}`, undefined],
        [`/cpo/v2/sites?code=${own.apiKey}&clientId=${own.clientId}`, undefined],
        ["/cpo/v2/sites", undefined, { authorization: `Bearer ${own.apiKey}` }],
        ["/cpo/v2/sites", undefined, { cookie: `x-api-key=${own.apiKey}` }],
        ["/api/statistics", own.apiKey],
        ["/api/statistics", own.code],
        [`/api/statistics?clientId=${own.clientId}`, own.apiKey],
        [`/api/statistics?x-api-key=${own.apiKey}`, undefined],
        ["/api/statistics", undefined, { code: own.code, clientid: own.clientId }],
        ["/api/charger/X", own.apiKey]
      ]
      const policies = new Set<string | null>()
      for (const [path, key, headers = {}] of attempts) {
        const { headers: answered, status, text } = await world.ask("GET", path, { key, headers })
        expect(status, `${path} with ${key ?? JSON.stringify(headers)}`).toBe(401)
        for (const secret of [own.code, own.apiKey]) expect(text).not.toContain(secret)
        if (path.startsWith("/api/")) policies.add(answered.get("referrer-policy"))
      }
      expect([...policies], "pages that are opened from an answer do not learn its address").toEqual(["no-referrer"])
      // The same parameter twice: each value must be right, whichever one is used.
      const twice = await world.ask("GET", `/api/statistics?${pair}&code=wrong`, { key: undefined })
      expect(twice.status).toBe(401)
    })
  )
}
