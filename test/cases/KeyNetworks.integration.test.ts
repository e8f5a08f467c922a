/** The networks from which a key may be used, in the running service: by the socket's address, or by a trusted proxy's header. */
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World({ TRUST_PROXY: "127.0.0.0/8,::1" })

describe("a key limited to some networks", () => {
  it("is refused from other addresses, as a trusted proxy reports them, and shows where it was last used", async () => {
    const made = await world.post("api-keys", {
      name: "Office",
      permissions: ["sites:read"],
      networks: ["203.0.113.0/24"]
    })
    const from = async (address: string) => {
      const headers = { "x-api-key": String(made["key"]), "x-forwarded-for": address }
      const answer = await fetch(`${world.service.url}/cpo/v2/sites`, { headers })
      const { code = "" } = (await answer.json()) as { readonly code?: string }
      return [answer.status, code]
    }
    expect(await from("203.0.113.9")).toEqual([200, ""])
    expect(await from("198.51.100.7")).toEqual([401, "network_refused"])
    // Addresses that the caller itself put before the proxy's do not count.
    expect(await from("203.0.113.9, 198.51.100.7")).toEqual([401, "network_refused"])
    const path = "api-keys?limit=500"
    const shown = ({ items }: Readonly<Record<string, unknown>>) =>
      (items as ReadonlyArray<Readonly<Record<string, unknown>>>).find(({ id }) => id === made["id"])
    const keys = await world.eventually("its use", path, (answer) => shown(answer)?.["lastUsedAt"] !== null)
    expect(shown(keys)).toMatchObject({ lastUsedFrom: "203.0.113.9", networks: ["203.0.113.0/24"] })
  })
})
