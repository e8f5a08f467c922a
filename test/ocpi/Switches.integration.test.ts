/** Switches for partners that differ from the standard, each off and on. createdAs201 is tested with the tokens, noCreditCdrs with the records. */
import { expect, it } from "vitest"
import { Roaming } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()

const set = (id: string, switches: Json) => roaming.world.ask("PATCH", `partners/${id}`, { switches })

it("tokenForm: our calls use that form of the token only; without the switch the other form is tried after a refusal", async () => {
  const partner = await roaming.partner("2.2.1")
  const { id, token, versionsUrl } = await roaming.invite(partner, { switches: { tokenForm: "Raw" } })
  // This partner accepts Base64 only.
  expect((await partner.register(versionsUrl, token)).code).toBe(3001)
  await set(id, { tokenForm: "Base64" })
  expect((await partner.register(versionsUrl, token)).code).toBe(1000)
  const old = await roaming.partner("2.1.1")
  const invited = await roaming.invite(old)
  await set(invited.id, { tokenForm: "Base64" })
  expect((await old.register(invited.versionsUrl, invited.token)).code).toBe(3001)
  await set(invited.id, { tokenForm: null })
  expect((await old.register(invited.versionsUrl, invited.token)).code).toBe(1000)
})

it("semanticErrorsAs400: a request that can be read but is invalid gets HTTP 400 instead of 200", async () => {
  const { id, partner } = await roaming.registered("2.2.1")
  const { country_code, party_id } = partner.party
  const url = `${partner.endpoint("hubclientinfo") ?? ""}/${country_code}/${party_id}`
  const body = {
    party_id: "XXX",
    country_code,
    role: "EMSP",
    status: "OFFLINE",
    last_updated: "2026-05-20T10:00:00Z"
  }
  const put = () => partner.client.ask("PUT", url, { token: partner.theirToken ?? "", body })
  const standard = await put()
  expect([standard.http, standard.code]).toEqual([200, 2001])
  await set(id, { semanticErrorsAs400: true })
  const switched = await put()
  expect([switched.http, switched.code]).toEqual([400, 2001])
  expect((await partner.ask("GET", "credentials")).http).toBe(200)
})

it("credentialsOnce: version details name the credentials module once", async () => {
  const { id, partner } = await roaming.registered("2.2.1")
  const url = (partner.endpoint("credentials") ?? "").replace(/credentials$/, "details")
  const roles = async () => {
    const { data } = await partner.client.ask("GET", url, { token: partner.theirToken ?? "" })
    const endpoints = (data as Json)["endpoints"] as ReadonlyArray<Json>
    return endpoints.filter(({ identifier }) => identifier === "credentials").map(({ role }) => role)
  }
  expect(await roles()).toEqual(["SENDER", "RECEIVER"])
  await set(id, { credentialsOnce: true })
  expect(await roles()).toEqual(["RECEIVER"])
})

it("switches are shown as set, and remain until they are changed", async () => {
  const { id } = await roaming.registered("2.2")
  const switches = { tokenForm: "Raw", semanticErrorsAs400: true, createdAs201: true, noCreditCdrs: true }
  expect((await set(id, switches))["switches"]).toEqual(switches)
  await roaming.world.ask("PATCH", `partners/${id}`, { switches: { noCreditCdr: true } }, 400)
  expect((await roaming.shown(id))["switches"]).toEqual(switches)
  const { tokenForm: _, ...others } = switches
  const changed = { ...others, createdAs201: false, credentialsOnce: true }
  expect((await set(id, { tokenForm: null, createdAs201: false, credentialsOnce: true }))["switches"]).toEqual(changed)
  expect((await roaming.shown(id))["switches"]).toEqual(changed)
  await roaming.world.ask("PATCH", `partners/${id}`, { switches: { tokenForm: "Hex" } }, 400)
})
