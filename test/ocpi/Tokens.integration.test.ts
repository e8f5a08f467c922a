/** Partners' tokens over real HTTP, in every version: pushed, changed, read, and inaccessible to other partners. */
import { describe, expect, it } from "vitest"
import { allVersions, Roaming } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()

const at = (text: string) => ({ last_updated: text })
const early = "2026-11-20T08:00:00Z"
const newer = "2026-11-20T09:00:00Z"

describe.each(allVersions)("a partner on OCPI %s", (version) => {
  const old = version === "2.1.1"

  it("pushes a token, replaces it and reads it as pushed, in any case of letters", async () => {
    const { id, partner } = await roaming.registered(version)
    const token = partner.cards.make("Abc-1", { ...at(early), visual_number: "DE-1", language: "de" })
    const created = await partner.putToken(token)
    expect([created.http, created.code, created.data]).toEqual([old ? 201 : 200, 1000, undefined])
    const repeated = await partner.putToken(token)
    expect([repeated.http, repeated.code]).toEqual([200, 1000])
    const read = await partner.ask("GET", "tokens", partner.tokenPath(token))
    expect([read.http, read.data]).toEqual([200, token])
    const { country_code, party_id } = partner.party
    const lower = `/${country_code}/${party_id}/ABC-1`.toLowerCase()
    expect((await partner.ask("GET", "tokens", `${lower}/`)).data).toEqual(token)
    const blocked = { ...token, valid: false, ...at(newer) }
    expect((await partner.putToken(blocked)).http).toBe(200)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual(blocked)
    // Our operator sees the partner's tokens.
    const shown = (await roaming.world.get(`partners/${id}/view/tokens`))["items"]
    expect(shown).toEqual([blocked])
    expect(partner.problems).toEqual([])
  })

  it("refuses a push that is older than the token, and changes nothing", async () => {
    const { partner } = await roaming.registered(version)
    const token = partner.cards.make("overtaken", { ...at(newer), valid: false })
    await partner.putToken(token)
    const older = await partner.putToken({ ...token, valid: true, ...at(early) })
    expect([older.http, older.code, older.text]).toEqual([
      200,
      2001,
      expect.stringContaining("A newer version of this")
    ])
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual(token)
    expect((await partner.patchToken(token, { valid: true, ...at(early) })).code).toBe(2001)
    // The same once more is no older update.
    expect((await partner.putToken(token)).code).toBe(1000)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual(token)
  })

  it("patches the fields that it names, and is refused for an unknown token or a missing time", async () => {
    const { partner } = await roaming.registered(version)
    const token = partner.cards.make("patched", { ...at(early), visual_number: "1" })
    const nothing = await partner.patchToken(token, { valid: false, ...at(newer) })
    expect([nothing.http, nothing.code]).toEqual([404, old ? 2001 : 2004])
    await partner.putToken(token)
    const change = { valid: false, visual_number: null, whitelist: "NEVER", ...at(newer) }
    const patched = await partner.patchToken(token, change)
    expect([patched.http, patched.code, patched.data]).toEqual([200, 1000, undefined])
    const read = await partner.ask("GET", "tokens", partner.tokenPath(token))
    expect(read.data).toEqual({ ...token, ...change, visual_number: "1" })
    const timeless = await partner.patchToken(token, { valid: true })
    expect([timeless.http, timeless.code]).toEqual([200, old ? 1000 : 2001])
    expect((await partner.patchToken(token, { uid: "another", ...at(newer) })).code).toBe(2001)
    expect(partner.problems).toEqual([])
  })

  it.runIf(old)("blocks a card by a patch without a time, although its clock is ahead of ours", async () => {
    const { partner } = await roaming.registered(version)
    const token = partner.cards.make("stolen", at(partner.time(Date.now() + 300_000)))
    await partner.putToken(token)
    const patched = await partner.patchToken(token, { valid: false })
    expect([patched.http, patched.code]).toEqual([200, 1000])
    const read = await partner.ask("GET", "tokens", partner.tokenPath(token))
    expect(read.data).toEqual({ ...token, valid: false })
    expect(partner.problems).toEqual([])
  })

  it("has one token per uid in 2.1.1, whatever its type, and one per uid and type in later versions", async () => {
    const { partner } = await roaming.registered(version)
    const token = partner.cards.make("retyped", at(early))
    await partner.putToken(token)
    const other = { ...token, type: "OTHER", ...at(newer) }
    const put = await partner.putToken(other)
    expect([put.http, put.code]).toEqual([200, 1000])
    const { country_code, party_id } = partner.party
    const read = async (type: string) =>
      (await partner.ask("GET", "tokens", `/${country_code}/${party_id}/retyped?type=${type}`)).http
    expect([await read("RFID"), await read("OTHER")]).toEqual([old ? 404 : 200, 200])
    expect((await partner.patchToken(other, { type: "RFID", ...at("2026-11-20T10:00:00Z") })).code).toBe(
      old ? 1000 : 2001
    )
    expect([await read("RFID"), await read("OTHER")]).toEqual([200, old ? 404 : 200])
    expect(partner.problems).toEqual([])
  })

  it("is answered 404 for an unknown token", async () => {
    const { partner } = await roaming.registered(version)
    const read = await partner.ask("GET", "tokens", partner.tokenPath(partner.cards.make("nowhere")))
    expect([read.http, read.code]).toEqual([404, old ? 2001 : 2004])
    expect(partner.problems).toEqual([])
  })

  it("is refused if the body contradicts the address or is not a token", async () => {
    const { partner } = await roaming.registered(version)
    const token = partner.cards.make("u1")
    const path = partner.tokenPath(token)
    const put = async (body: unknown) => {
      const { code, http } = await partner.ask("PUT", "tokens", path, body)
      return [http, code]
    }
    expect(await put({ ...token, uid: "u2" })).toEqual([200, 2001])
    const others = old ? [] : [{ party_id: "XYZ" }, { country_code: "FR" }, { type: "APP_USER" }]
    for (const other of others) expect(await put({ ...token, ...other })).toEqual([200, 2001])
    for (const field of ["uid", "issuer", "valid", "whitelist", "last_updated", old ? "auth_id" : "contract_id"]) {
      const rest = Object.fromEntries(Object.entries(token).filter(([name]) => name !== field))
      expect(await put(rest), field).toEqual([200, 2001])
    }
    for (const body of [[], "text", 7, { ...token, valid: "yes" }, { ...token, last_updated: "yesterday" }]) {
      expect(await put(body), JSON.stringify(body)).toEqual([200, 2001])
    }
    for (const raw of ["", "{", "<xml/>"]) {
      const { code, http } = await partner.ask("PUT", "tokens", path, undefined, { raw })
      expect([http, code], raw).toEqual([400, 2001])
    }
    expect((await partner.ask("GET", "tokens", path)).http).toBe(404)
    expect(partner.problems).toEqual([])
  })

  it("may send unknown values and fields, times without a zone and a party in lower case", async () => {
    const { partner } = await roaming.registered(version)
    const { country_code, party_id } = partner.party
    const token = {
      ...partner.cards.make("Liberal"),
      type: "EMAID",
      whitelist: "PERHAPS",
      last_updated: "2026-11-20t08:00:00.123456",
      ...(old ? {} : { country_code: country_code.toLowerCase() }),
      visual_number: null,
      invented: { deep: [1] }
    }
    const path = `/${country_code}/${party_id.toLowerCase()}/liberal?type=emaid`
    expect((await partner.ask("PUT", "tokens", path, token)).code).toBe(1000)
    const { data } = await partner.ask("GET", "tokens", path)
    expect(data).toMatchObject({
      uid: "Liberal",
      whitelist: "PERHAPS",
      type: old ? "OTHER" : "EMAID",
      last_updated: "2026-11-20T08:00:00Z"
    })
  })

  it("can neither read nor write tokens of another's parties", async () => {
    const { partner: owner } = await roaming.registered(version)
    const { partner: stranger } = await roaming.registered(version)
    const token = owner.cards.make("mine", at(early))
    await owner.putToken(token)
    const path = owner.tokenPath(token)
    for (const [method, body] of [
      ["GET", undefined],
      ["PUT", { ...token, valid: false, ...at(newer) }],
      ["PATCH", { valid: false, ...at(newer) }]
    ] as const) {
      const answer = await stranger.ask(method, "tokens", path, body)
      expect([answer.http, answer.code], method).toEqual([404, 2001])
    }
    expect((await owner.ask("GET", "tokens", path)).data).toEqual(token)
    expect(stranger.problems).toEqual([])
  })

  it.skipIf(old)("has separate tokens of one uid with different types", async () => {
    const { partner } = await roaming.registered(version)
    const card = partner.cards.make("both")
    const app: Json = { ...card, type: "APP_USER", contract_id: "APP" }
    await partner.putToken(card)
    await partner.putToken(app)
    const { country_code, party_id } = partner.party
    const path = `/${country_code}/${party_id}/both`
    expect((await partner.ask("GET", "tokens", path)).data).toEqual(card)
    expect((await partner.ask("GET", "tokens", `${path}?type=APP_USER`)).data).toEqual(app)
  })
})

describe("a partner with the switch createdAs201", () => {
  it("is answered 201 for a new token in later versions too", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    await roaming.world.ask("PATCH", `partners/${id}`, { switches: { createdAs201: true } })
    const token = partner.cards.make("new")
    expect((await partner.putToken(token)).http).toBe(201)
    expect((await partner.putToken(token)).http).toBe(200)
  })
})

describe("a party behind a hub", () => {
  const behind = { country_code: "FR", party_id: "BHD" }
  const info = { ...behind, role: "EMSP", status: "CONNECTED", last_updated: early }

  const registered = async (roles: ReadonlyArray<string>) => {
    const partner = await roaming.partner("2.2.1")
    const { token, versionsUrl } = await roaming.invite(partner, { roles })
    await partner.register(versionsUrl, token)
    const put = async (uid: string) => {
      const card = { ...partner.cards.make(uid), ...behind }
      const { code, http } = await partner.ask("PUT", "tokens", `/FR/BHD/${uid}?type=RFID`, card)
      return [http, code]
    }
    return { partner, put }
  }

  it("has its tokens pushed by the hub once the hub has announced it", async () => {
    const { partner, put } = await registered(["HUB"])
    expect(await put("HUB1")).toEqual([404, 2001])
    await partner.ask("PUT", "hubclientinfo", "/FR/BHD", info)
    expect(await put("HUB1")).toEqual([200, 1000])
  })

  it("cannot have them pushed by a partner that is not a hub", async () => {
    const { partner, put } = await registered(["EMSP"])
    await partner.ask("PUT", "hubclientinfo", "/FR/BHD", info)
    expect(await put("HUB2")).toEqual([404, 2001])
  })
})
