/**
 * Sends the standard's own examples of partners' requests, and reads them back unchanged. They are not part of this repository (`OCPI_EXAMPLES`
 * names their folder). Without it these tests are skipped.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Roaming } from "../partner/Roaming.ts"
import type { Json } from "../partner/Wire.ts"

const folder = process.env["OCPI_EXAMPLES"]

const example = (version: string, name: string): Json =>
  JSON.parse(readFileSync(join(folder ?? "", version, `${name}.json`), "utf8")) as Json

const tokens = [
  { version: "2.1.1", name: "mod_tokens_example" },
  { version: "2.1.1", name: "mod_tokens_example_put_a_new_token" },
  { version: "2.2.1", name: "token_example_1_app_user" },
  { version: "2.2.1", name: "token_example_2_full_rfid" },
  { version: "2.2.1", name: "token_put_example" }
] as const

const patches = { "2.1.1": "mod_tokens_example_invalidate_a_token", "2.2.1": "token_patch_example" } as const

describe.skipIf(folder === undefined)("the standard's examples (OCPI_EXAMPLES names their folder)", () => {
  const roaming = new Roaming()

  it.each(tokens)("a token of $version is read back unchanged: $name", async ({ name, version }) => {
    const token = example(version, name)
    const party =
      version === "2.1.1" ? {} : { countryCode: String(token["country_code"]), partyId: String(token["party_id"]) }
    const partner = await roaming.partner(version, party)
    const { id, token: invitation, versionsUrl } = await roaming.invite(partner)
    expect((await partner.register(versionsUrl, invitation)).code).toBe(1000)
    expect((await partner.putToken(token)).code).toBe(1000)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toEqual(token)
    expect((await partner.patchToken(token, example(version, patches[version]))).code).toBe(1000)
    expect((await partner.ask("GET", "tokens", partner.tokenPath(token))).data).toMatchObject({ valid: false })
    expect(partner.problems).toEqual([])
    await roaming.world.ask("DELETE", `partners/${id}`)
  })

  it.each([
    ["2.1.1", "credentials_example"],
    ["2.2.1", "credentials_example"],
    ["2.2.1", "credentials_example2"],
    ["2.2.1", "credentials_example3"],
    ["2.2.1", "credentials_example4"]
  ] as const)("credentials of %s are accepted and called back: %s", async (version, name) => {
    const partner = await roaming.partner(version)
    const { token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    // No server listens at the address in it, so that it fails when it is called back.
    const answer = await partner.client.ask("POST", partner.endpoint("credentials") ?? "", {
      token,
      body: { ...example(version, name), url: "http://127.0.0.1:9/versions" }
    })
    expect([answer.http, answer.code]).toEqual([200, 3001])
  })

  it("client info is accepted with the time that the example lacks, and read back", async () => {
    const { partner } = await roaming.registered("2.2.1", {}, { roles: ["HUB"] })
    const info = example("2.2.1", "inline_mod_hub_client_info_example_put_a_new_clientinfo_object")
    const path = `/${String(info["country_code"])}/${String(info["party_id"])}`
    const whole = { ...info, last_updated: "2026-11-20T08:30:00Z" }
    expect((await partner.ask("PUT", "hubclientinfo", path, whole)).code).toBe(1000)
    expect((await partner.ask("GET", "hubclientinfo", path)).data).toEqual(whole)
    expect(partner.problems).toEqual([])
  })
})
