/** The size of answers of REST v2: a page ends at 1 MiB whatever the limit, and continues by its cursor. */
import { beforeEach, describe, expect, it } from "vitest"
import { publishSiteEvent } from "../../support/fakeEvents.ts"
import { fakeApp, type Json } from "../../support/restApp.ts"

const MiB = 1024 * 1024
const noon = Date.UTC(2026, 4, 20, 12)

let app: Awaited<ReturnType<typeof fakeApp>>

const get = (path: string) => app.ask("GET", `/cpo/v2${path}`, { key: app.key })
const bytes = (text: string): number => Buffer.byteLength(text)

beforeEach(async () => {
  app = await fakeApp()
  await app.ask("POST", "/cpo/v2/sites", { key: app.key, body: { name: "Harbour" } })
  await app.ask("POST", "/cpo/v2/chargers", { key: app.key, body: { name: "Left", chargerId: "CP-1" } })
})

/** Every item of a list, by following its own links, and the bytes of each page. */
const walked = async (first: string) => {
  const items: Array<Json> = []
  const sizes: Array<number> = []
  for (let path: string | undefined = first; path !== undefined;) {
    const page = await get(path)
    expect(page.status).toBe(200)
    items.push(...page.json.items)
    sizes.push(bytes(page.text))
    const next: string | undefined = /^<https:\/\/cpo\.example\/cpo\/v2([^>]+)>; rel="next"$/.exec(
      page.headers.get("link") ?? ""
    )?.[1]
    expect(next === undefined).toBe(page.json.nextCursor === null)
    path = next
  }
  return { items, sizes }
}

const said = (count: number, frame: string) => {
  for (let n = 0; n < count; n++) {
    app.world.frames.push({
      id: String(n).padStart(4, "0"),
      organisationId: app.own.organisationId,
      chargerId: "CP-1",
      at: noon + n,
      direction: "in",
      kind: "CALL",
      action: "DataTransfer",
      messageId: "m",
      frame,
      cutFrom: null
    })
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(4, "0"))

describe("a page", () => {
  it.each([
    ["letters", "x".repeat(60_000)],
    ["quotes, which are escaped", '"'.repeat(60_000)],
    ["three-byte characters", "€".repeat(20_000)]
  ])("of messages of many %s ends at 1 MiB and shows every message once", async (_, frame) => {
    said(60, frame)
    const { items, sizes } = await walked("/chargers/CP-1/messages?limit=500")
    expect(items.map(({ id }) => id)).toEqual(numbers(60))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MiB)
    expect(Math.max(...sizes)).toBeGreaterThan(0.8 * MiB)
  })

  it("of a charger's configuration ends at 1 MiB and shows every key once, and all keys if they fit", async () => {
    const charger = app.world.chargers.get("CP-1")!
    const report = (count: number, value: string) => {
      const configuration = numbers(count).map((key) => ({ key, value, readonly: false }))
      app.world.chargers.set("CP-1", { ...charger, configuration })
    }
    report(300, "short")
    expect((await walked("/chargers/CP-1/configuration")).items).toHaveLength(300)
    report(30, "x".repeat(60_000))
    const { items, sizes } = await walked("/chargers/CP-1/configuration")
    expect(items.map(({ key }) => key)).toEqual(numbers(30))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MiB)
    const refused = await get("/chargers/CP-1/configuration?cursor=nonsense")
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, "/cursor"])
  })

  it("shows an item that is larger than a page alone, and continues after it", async () => {
    said(3, "x".repeat(MiB))
    const { items, sizes } = await walked("/chargers/CP-1/messages?limit=500")
    expect(items.map(({ id }) => id)).toEqual(numbers(3))
    expect(sizes).toHaveLength(3)
  })

  it("of small items has as many as requested", async () => {
    said(500, '[2,"m","Heartbeat",{}]')
    const page = await get("/chargers/CP-1/messages?limit=500")
    expect(page.json.items).toHaveLength(500)
    expect(page.json.nextCursor).toBeNull()
  })

  it("of the feed ends at 1 MiB and shows every event once", async () => {
    const ids = Array.from(
      { length: 40 },
      (_, n) => publishSiteEvent(app.world, app.own.organisationId, `${n}${"x".repeat(30_000)}`).id
    )
    const found: Array<string> = []
    let path = "/events?limit=500"
    for (let n = 0; n < 10 && path !== ""; n++) {
      const page = await get(path)
      expect(bytes(page.text)).toBeLessThanOrEqual(MiB)
      found.push(...page.json.items.map((event: Json) => event.id))
      path = page.headers.get("link") === null ? "" : `/events?limit=500&cursor=${page.json.nextCursor}`
    }
    expect(found).toEqual(ids)
  })
})

describe("the last message of a charger", () => {
  const hear = (lastMessage: string) => {
    app.world.seen.set("CP-1", { epoch: 1, lastSeen: noon, lastMessage, ended: undefined })
  }

  it.each([
    ["x", "x".repeat(4_093)],
    ["€", `${"€".repeat(1_364)}`]
  ])("is cut to 4 KiB in a list and complete for a single charger: many %s", async (sign, shown) => {
    const message = sign.repeat(300_000)
    hear(message)
    const [listed] = (await get("/chargers")).json.items
    expect(bytes(listed.lastMessage)).toBeLessThanOrEqual(4_096)
    expect(listed.lastMessage).toBe(`${shown}…`)
    expect((await get("/chargers/CP-1")).json.lastMessage).toBe(message)
  })

  it("is shown unchanged if it is not longer", async () => {
    hear("x".repeat(4_096))
    const [listed] = (await get("/chargers")).json.items
    expect(listed.lastMessage).toBe("x".repeat(4_096))
  })
})
