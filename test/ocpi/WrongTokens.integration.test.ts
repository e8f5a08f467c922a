/** A network that sends too many wrong tokens is refused with 429, on every interface, and a partner in it is served nevertheless. */
import { expect, it } from "vitest"
import { Roaming } from "./partner/Roaming.ts"

const allowed = 4
const roaming = new Roaming({ API_WRONG_KEYS_PER_MINUTE: `${allowed}` })

it("answers wrong tokens 429 with Retry-After beyond the limit, counts those of REST with them, and serves right ones", async () => {
  const partner = await roaming.partner("2.2.1")
  const { token, versionsUrl } = await roaming.invite(partner)
  const wrong = () => partner.client.ask("GET", versionsUrl, { token: "wrong" })
  const statuses: Array<number> = []
  for (let n = 0; n <= allowed; n++) statuses.push((await wrong()).http)
  expect(statuses).toEqual([401, 401, 401, 401, 429])
  const refused = await wrong()
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  const { origin } = new URL(versionsUrl)
  const headers = { "x-api-key": "vlt_wrongwrongwrong_wrongwrongwrongwrongwrongwrongwrongwrongwro" }
  expect((await fetch(`${origin}/cpo/v2/sites`, { headers })).status).toBe(429)
  expect((await partner.client.ask("GET", versionsUrl, { token })).http).toBe(200)
  expect((await roaming.world.rest.request("GET", "sites")).status).toBe(200)
})
