/** Values from partners that no database or index can store are refused, and never cause an internal error. */
import { describe, expect, it } from "vitest"
import { endpointRows } from "../../src/ocpi/protocol/EndpointTable.ts"
import { Drive, problemsOf } from "./modules/Drive.ts"
import type { Partner } from "./partner/Partner.ts"
import { Roaming } from "./partner/Roaming.ts"

const roaming = new Roaming()
const drive = new Drive(roaming)
const { world } = roaming

const aHub = async (): Promise<Partner> => {
  const partner = await roaming.partner("2.2.1")
  const { token, versionsUrl } = await roaming.invite(partner, { roles: ["HUB"] })
  await partner.register(versionsUrl, token)
  return partner
}

const plain: Readonly<Record<string, string>> = { countryCode: "FR", partyId: "ABC", command: "UNLOCK_CONNECTOR" }

/** The path with U+0000 in place of one parameter. */
const spoilt = (path: string, name: string): string =>
  path.replaceAll(/:(\w+)/g, (_, one: string) => (one === name ? "%00" : (plain[one] ?? "X1")))

const addresses = endpointRows.flatMap(({ method, module, path }) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [method, module, spoilt(path, name)] as const)
)

describe("an address with U+0000", () => {
  it("is refused in every module and method, and answered 404 for clients and tokens", async () => {
    const hub = await aHub()
    expect(addresses.length).toBeGreaterThan(15)
    for (const [method, module, path] of addresses) {
      const body = method === "PUT" || method === "PATCH" ? hub.cards.make("X1", { party_id: "ABC" }) : undefined
      const { http } = await hub.ask(method, module, path, body)
      expect(http, `${method} ${module}${path}`).toBeLessThan(500)
    }
    expect((await hub.ask("GET", "hubclientinfo", "/%00/ABC")).http).toBe(404)
    for (const at of ["/%00/ABC/uid", "/FR/%00/uid"]) {
      const token = hub.cards.make("uid")
      const answers = [
        await hub.ask("GET", "tokens", at),
        await hub.ask("PUT", "tokens", at, token),
        await hub.ask("PATCH", "tokens", at, { valid: false, last_updated: token["last_updated"] })
      ]
      expect(answers.map(({ code, http }) => [http, code])).toEqual([
        [404, 2001],
        [404, 2001],
        [404, 2001]
      ])
    }
    expect(problemsOf(hub)).toEqual([])
  })
})

describe("an id that is too long", () => {
  /** A text that cannot be compressed, so that it takes its full length in an index. */
  const long = (length: number) =>
    Array.from({ length }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000))).join("")

  it("is refused for a reservation, while one of 255 characters is accepted", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const spot = await drive.spot(partner)
    spot.station.on("ReserveNow", { status: "Accepted" })
    const reserve = (reservation_id: string) =>
      partner.client.ask("POST", `${partner.endpoint("commands")}/RESERVE_NOW`, {
        token: partner.theirToken ?? "",
        body: {
          response_url: partner.expectResult("commands", "RESERVE_NOW").url,
          token: partner.cards.make("LONG1"),
          expiry_date: partner.time(Date.now() + 3_600_000),
          location_id: spot.locationId,
          evse_uid: spot.evse(1),
          reservation_id
        }
      })
    const refused = await reserve(long(1_000))
    expect([refused.http, refused.code]).toEqual([200, 2001])
    const taken = await reserve(long(255))
    expect(taken.data).toMatchObject({ result: "ACCEPTED" })
    expect(problemsOf(partner)).toEqual([])
  })
})

describe("a compressed body", () => {
  it.each(["gzip", "br"])("in %s is refused with a request to send it uncompressed", async (encoding) => {
    const { partner } = await roaming.registered("2.2.1")
    const card = partner.cards.make("GZIP1")
    const raw = JSON.stringify(card)
    const url = `${partner.endpoint("tokens")}${partner.tokenPath(card)}`
    const token = partner.theirToken ?? ""
    const answer = await partner.client.ask("PUT", url, { token, raw, headers: { "content-encoding": encoding } })
    expect([answer.http, answer.code, answer.message]).toEqual([
      400,
      2001,
      `The body has a content-encoding (${encoding}): send it without one.`
    ])
    const large = { token, raw: "x".repeat(1_100_000) }
    expect((await partner.client.ask("PUT", url, large)).http).toBe(413)
  })
})

describe("a forged cursor", () => {
  const cursor = (list: string, after: unknown) => Buffer.from(JSON.stringify({ list, after })).toString("base64url")

  it("is refused by each list, or answered if its values are possible", async () => {
    const { id } = await roaming.registered("2.2.1")
    const { id: chargerId } = await world.station()
    const lists: ReadonlyArray<readonly [string, string, ReadonlyArray<unknown>]> = [
      [
        `partners/${id}/exchanges?`,
        "exchanges",
        [
          { at: 1e300, id: "1" },
          { at: -8.64e15, id: "1" },
          { at: 0, id: "x" },
          { at: 0, id: "9".repeat(19) },
          { at: 0, id: "" }
        ]
      ],
      [
        `chargers/${chargerId}/messages?`,
        "messages",
        [
          { at: 1e300, id: "1" },
          { at: -8.64e15, id: "1" },
          { at: 0, id: "x" },
          { at: 0, id: "9".repeat(19) }
        ]
      ],
      [
        "unknown-chargers?",
        "unknown-chargers",
        [
          { at: 1e300, id: "x" },
          { at: -8.64e15, id: "x" }
        ]
      ],
      [
        "cdrs?from=2020-01-01T00:00:00Z&",
        "cdrs by start",
        [
          [1e300, 1],
          [-8.64e15, 1],
          [0, 1e300]
        ]
      ],
      [
        `chargers/${chargerId}/history/connectors?`,
        "history/connectors",
        [
          [1e300, 0, "1"],
          [0, -8.64e15, "1"]
        ]
      ]
    ]
    for (const [path, list, afters] of lists) {
      for (const after of afters) {
        // The platform's own operator asks, because unknown chargers belong to the whole platform.
        const { rest } = list === "unknown-chargers" ? world.service : world
        expect((await rest.request("GET", `${path}cursor=${cursor(list, after)}`)).status).toBe(400)
      }
    }
    const first = -210_866_803_200_000
    for (const after of [
      { at: first, id: "-1" },
      { at: 8.64e15, id: String(2n ** 63n - 1n) }
    ]) {
      await world.get(`chargers/${chargerId}/messages?cursor=${cursor("messages", after)}`)
    }
    const last = await world.items(`partners/${id}/exchanges?cursor=${cursor("exchanges", { at: 8.64e15, id: "1" })}`)
    expect(last.length).toBeGreaterThan(0)
  })
})
