/** Credentials over real HTTP, in every version and from both sides, with a partner implemented from the standard alone. */
import { describe, expect, it } from "vitest"
import { allVersions, Roaming } from "./partner/Roaming.ts"

const roaming = new Roaming()

describe.each(allVersions)("a partner on OCPI %s", (version) => {
  it("GET versions with any valid token, at any spelling of the address, and 401 without one", async () => {
    const partner = await roaming.partner(version)
    const { token, versionsUrl } = await roaming.invite(partner)
    for (const url of [versionsUrl, `${versionsUrl}/`, versionsUrl.replace("/ocpi/", "//ocpi//")]) {
      const answer = await partner.client.ask("GET", url, { token })
      expect((answer.data as ReadonlyArray<{ readonly version: string }>).map((one) => one.version)).toEqual(
        allVersions.toReversed()
      )
    }
    const headers: ReadonlyArray<readonly [string | undefined, string]> = [
      [undefined, "This token is unknown."],
      ["", "The Authorization header is missing."],
      ["Basic eA==", "The Authorization header does not have OCPI's format."],
      ["Token", "The Authorization header does not have OCPI's format."],
      ["Token \u00e9", "This token is unknown."],
      [`Bearer ${token}`, "The Authorization header does not have OCPI's format."]
    ]
    for (const [authorization, why] of headers) {
      const refused = await partner.client.ask("GET", versionsUrl, {
        token: "unknown",
        headers: authorization === undefined ? {} : { authorization }
      })
      expect(refused.http, authorization).toBe(401)
      expect(refused.message, authorization).toContain(why)
    }
    expect(partner.problems).toEqual([])
  })

  it("GET details names each module once per role, at addresses that exist", async () => {
    const { partner } = await roaming.registered(version)
    const modules = [...partner.endpoints.keys()].toSorted()
    const before = ["cdrs", "commands", "credentials", "locations", "sessions", "tariffs", "tokens"]
    const since = [
      "cdrs SENDER",
      "chargingprofiles RECEIVER",
      "commands RECEIVER",
      "credentials RECEIVER",
      "credentials SENDER",
      "hubclientinfo RECEIVER",
      "locations SENDER",
      "sessions SENDER",
      "tariffs SENDER",
      "tokens RECEIVER"
    ]
    expect(modules).toEqual(version === "2.1.1" ? before : since)
    // A method that the module does not have is 405, not 404.
    const patched = await partner.ask("PATCH", "locations", "", {})
    expect([patched.http, patched.headers["allow"]]).toEqual([405, "GET"])
    expect(partner.problems).toEqual([])
  })

  it("POST credentials registers it, and both sides can call each other", async () => {
    const partner = await roaming.partner(version)
    const { id, token, versionsUrl } = await roaming.invite(partner)
    const answer = await partner.register(versionsUrl, token)
    expect([answer.http, answer.code]).toEqual([200, 1000])
    expect(partner.cpo).toEqual({ country_code: "NL", party_id: roaming.world.organisation.partyId })
    // While its POST was open, its versions and details were read with the token from its body.
    expect(partner.server.heard.map(({ module }) => module)).toEqual(["versions", "details"])
    expect(await roaming.shown(id)).toMatchObject({ status: "Registered" })
    const again = await partner.ask("GET", "credentials")
    expect(again.data).toEqual(partner.theirs)
    expect(partner.problems).toEqual([])
  })

  it("cannot use another partner's invitation, whether it registers or we do", async () => {
    const [one, other] = [await roaming.partner(version), await roaming.partner(version)]
    const { id, token, versionsUrl } = await roaming.invite(one)
    const refused = await other.register(versionsUrl, token)
    expect([refused.http, refused.code]).toEqual([200, 2001])
    const { country_code, party_id } = one.party
    expect(refused.message).toContain(`${country_code}*${party_id} is invited here`)
    const handover = { versionsUrl: other.versionsUrl, token: other.invitation() }
    const conflict = await roaming.world.ask("POST", `partners/${id}/register`, handover, 409)
    expect(conflict).toMatchObject({ code: "unexpected_party" })
    expect(await roaming.shown(id)).toMatchObject({ status: "Invited", parties: [] })
    const again = await roaming.reset(id)
    expect((await one.register(again.versionsUrl, again.token)).code).toBe(1000)
    const since = (await roaming.shown(id))["registeredAt"]
    expect((await one.rotate()).code).toBe(1000)
    expect((await roaming.shown(id))["registeredAt"]).toBe(since)
  })

  it("can use its registration token once, and cannot register twice", async () => {
    const partner = await roaming.partner(version)
    const { token, versionsUrl } = await roaming.invite(partner)
    await partner.register(versionsUrl, token)
    const url = partner.endpoint("credentials") ?? ""
    const body = partner.credentials("another")
    expect((await partner.client.ask("POST", url, { token, body })).http).toBe(401)
    expect((await partner.client.ask("POST", url, { token: partner.theirToken ?? "", body })).http).toBe(405)
    expect((await partner.client.ask("GET", versionsUrl, { token: "unknown" })).http).toBe(401)
    expect(partner.problems).toEqual([])
  })

  it("GET credentials is all that a registration token can read besides versions and details", async () => {
    const partner = await roaming.partner(version)
    const { token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    const url = partner.endpoint("credentials") ?? ""
    expect((await partner.client.ask("PUT", url, { token, body: partner.credentials("x") })).http).toBe(405)
    expect((await partner.client.ask("DELETE", url, { token })).http).toBe(405)
    // A registration token gives no access to other modules.
    const tokens = partner.endpoint("tokens")
    if (tokens === undefined) throw new Error("the CPO has no tokens")
    const own = `${tokens}${partner.tokenPath(partner.cards.make("CARD"))}`
    const closed = await partner.client.ask("GET", own, { token })
    expect([closed.http, closed.message]).toEqual([401, expect.stringContaining("POST your credentials")])
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    expect(partner.problems).toEqual([])
  })

  it("PUT credentials rotates the tokens of both sides without a gap", async () => {
    const { partner } = await roaming.registered(version)
    const old = partner.theirToken ?? ""
    const url = partner.endpoint("credentials") ?? ""
    expect((await partner.rotate()).code).toBe(1000)
    expect(partner.theirToken).not.toBe(old)
    // The old token remains valid until the new one is used for the first time.
    expect((await partner.client.ask("GET", url, { token: old })).http).toBe(200)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect((await partner.client.ask("GET", url, { token: old })).http).toBe(401)
    expect(partner.problems).toEqual([])
  })

  it("DELETE credentials unregisters it, and its token is refused afterwards", async () => {
    const { id, partner } = await roaming.registered(version)
    expect((await partner.unregister()).http).toBe(200)
    expect((await partner.ask("GET", "credentials")).http).toBe(401)
    expect(await roaming.shown(id)).toMatchObject({ status: "Unregistered" })
  })

  it("DELETE credentials answers them once more, whatever body is sent", async () => {
    const { partner } = await roaming.registered(version)
    const raw = "{ no JSON"
    // Node sends a body with DELETE only if its length is given.
    const headers = { "content-length": String(raw.length) }
    const asked = { token: partner.theirToken ?? "", raw, headers }
    const answer = await partner.client.ask("DELETE", partner.endpoint("credentials") ?? "", asked)
    expect([answer.http, answer.code, answer.data]).toEqual([200, 1000, partner.theirs])
    expect((await partner.ask("GET", "credentials")).http).toBe(401)
    expect(partner.problems).toEqual([])
  })

  it("out DELETE credentials: is called when our operator removes it", async () => {
    const { id, partner } = await roaming.registered(version)
    await roaming.world.ask("DELETE", `partners/${id}`, undefined, 204)
    await partner.eventually("the end", () =>
      partner.server.heard.some(({ method, module }) => method === "DELETE" && module === "credentials")
    )
    // The call carries the partner's own token: the server refuses unknown ones.
    expect(partner.problems).toEqual([])
    expect(partner.theirToken).toBeUndefined()
  })

  it("is removed even if it does not answer, is suspended, or has never registered", async () => {
    const { id, partner } = await roaming.registered(version)
    partner.server.faults.plan({ module: "credentials", fault: { does: "hang" } })
    const before = performance.now()
    await roaming.world.ask("DELETE", `partners/${id}`, undefined, 204)
    expect(performance.now() - before, "it is not waited for").toBeLessThan(3_000)
    const other = await roaming.registered(version)
    await roaming.world.ask("PATCH", `partners/${other.id}`, { suspended: true })
    const removals = () => other.partner.server.heard.filter(({ method }) => method === "DELETE").length
    // A suspended partner is not called: it keeps its registration.
    expect(removals()).toBe(0)
    await roaming.world.ask("DELETE", `partners/${other.id}`, undefined, 204)
    await other.partner.eventually("the end", () => removals() === 1)
    const stranger = await roaming.partner(version)
    const invited = await roaming.invite(stranger)
    await roaming.world.ask("DELETE", `partners/${invited.id}`, undefined, 204)
    expect(stranger.server.heard).toEqual([])
  })

  it("is answered 3001 if it cannot be called back, and may try again", async () => {
    const partner = await roaming.partner(version)
    const { token, versionsUrl } = await roaming.invite(partner)
    partner.server.faults.plan({ module: "versions", fault: { does: "status", http: 500 }, times: 1 })
    const refused = await partner.register(versionsUrl, token)
    expect([refused.http, refused.code]).toEqual([200, 3001])
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    expect(partner.problems).toEqual([])
  })

  it("out POST credentials, after out GET versions and details, registers with it from our side", async () => {
    const partner = await roaming.partner(version)
    const { id } = await roaming.invite(partner)
    const shown = await roaming.world.post(`partners/${id}/register`, {
      versionsUrl: partner.versionsUrl,
      token: partner.invitation()
    })
    expect(shown).toMatchObject({ status: "Registered" })
    const asked = partner.server.heard.map(({ method, module }) => `out ${method} ${module}`)
    // The form of the token is found by trying, so that a call may occur twice.
    expect([...new Set(asked)]).toEqual(["out GET versions", "out GET details", "out POST credentials"])
    expect((await partner.ask("GET", "credentials")).data).toEqual(partner.theirs)
    expect(partner.problems).toEqual([])
  })

  it("may have a secret in the query of its address, which our calls use and no one is shown", async () => {
    const partner = await roaming.partner(version)
    const { id } = await roaming.invite(partner)
    const secret = "S3CRET-of-the-partner"
    const handover = { versionsUrl: `${partner.versionsUrl}?token=${secret}`, token: partner.invitation() }
    Object.defineProperty(partner, "versionsUrl", { value: handover.versionsUrl })
    expect(await roaming.world.post(`partners/${id}/register`, handover)).toMatchObject({ status: "Registered" })
    await roaming.world.post(`partners/${id}/renew`, {})
    const shown = await roaming.world.get(`partners/${id}`)
    expect(shown).toMatchObject({ partnerVersionsUrl: handover.versionsUrl.replace(secret, "***") })
    const log = await roaming.world.items(`audit-log?limit=50`)
    expect(JSON.stringify(log)).toContain("?token=***")
    expect(JSON.stringify([shown, await roaming.world.items("partners"), log])).not.toContain(secret)
    expect(partner.server.heard.filter(({ query }) => query.get("token") === secret).length).toBeGreaterThan(1)
  })

  it("that has lost its token can register again after a reset", async () => {
    const { id, partner } = await roaming.registered(version)
    const old = partner.theirToken ?? ""
    const { token, versionsUrl } = await roaming.reset(id)
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    const url = partner.endpoint("credentials") ?? ""
    expect((await partner.client.ask("GET", url, { token: old })).http).toBe(401)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })

  it("that sends no JSON or invalid credentials is refused and can still register", async () => {
    const partner = await roaming.partner(version)
    const { token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    const url = partner.endpoint("credentials") ?? ""
    // These tokens cannot be sent in a header (OCPI 2.2.1 §7.3.1 allows U+0021 to U+007E).
    const tokens = ["", "a b", "a\nb", "ä", "x".repeat(256)].map((one) => JSON.stringify(partner.credentials(one)))
    for (const raw of ["", "{", "[]", "{}", '"text"', JSON.stringify({ token: "x", url: "no url" }), ...tokens]) {
      const answer = await partner.client.ask("POST", url, { token, raw })
      expect([answer.http, answer.code], raw).toEqual([400, 2001])
    }
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    expect(partner.problems).toEqual([])
  })
})
