/** Each key may have a few large answers at a time, because answers stay in memory until they are read. */
import { beforeEach, describe, expect, it } from "vitest"
import { fakeApp } from "../../support/restApp.ts"

const noon = Date.UTC(2026, 4, 20, 12)

let app: Awaited<ReturnType<typeof fakeApp>>
/** Functions that mark an unread answer as read. */
let unread: Array<() => void>

const get = (path: string, key = app.key) => app.ask("GET", `/cpo/v2${path}`, { key })

beforeEach(async () => {
  unread = []
  app = await fakeApp({
    largeAnswers: { largeAnswerBytes: 10_000, largeAnswersPerKey: 3 },
    onAnswerEnd: (_, ended) => void unread.push(ended)
  })
  await app.ask("POST", "/cpo/v2/sites", { key: app.key, body: { name: "Harbour" } })
  await app.ask("POST", "/cpo/v2/chargers", { key: app.key, body: { name: "Left", chargerId: "CP-1" } })
  for (let n = 0; n < 10; n++) {
    app.world.frames.push({
      id: String(n),
      organisationId: app.own.organisationId,
      chargerId: "CP-1",
      at: noon + n,
      direction: "in",
      kind: "CALL",
      action: "DataTransfer",
      messageId: "m",
      frame: "x".repeat(2_000),
      cutFrom: null
    })
  }
})

const large = "/chargers/CP-1/messages?limit=10"

describe("a key with the maximum number of unread large answers", () => {
  it("is refused another one with 429 and Retry-After", async () => {
    for (let n = 0; n < 3; n++) expect((await get(large)).status).toBe(200)
    const refused = await get(large)
    expect(refused.status).toBe(429)
    expect(refused.headers.get("content-type")).toBe("application/problem+json")
    expect(refused.headers.get("retry-after")).toBe("1")
    expect(refused.json).toMatchObject({ code: "too_many_large_answers", retryAfterSeconds: 1 })
  })

  it("is refused a request for many items before it is processed", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    expect((await get("/sites?limit=500")).status).toBe(429)
    expect((await get("/sites?limit=100")).status).toBe(200)
  })

  it("still gets small answers and can create objects", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    expect((await get("/chargers/CP-1/messages?limit=3")).status).toBe(200)
    expect((await app.ask("POST", "/cpo/v2/sites", { key: app.key, body: { name: "Pier" } })).status).toBe(200)
  })

  it("gets the next one after one has been read", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    expect((await get(large)).status).toBe(429)
    unread.shift()?.()
    expect((await get(large)).status).toBe(200)
    expect((await get(large)).status).toBe(429)
  })

  it("does not affect other keys of its own or another organisation", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    const other = await app.ask("POST", "/cpo/v2/api-keys", { key: app.key, body: { name: "Other" } })
    expect((await get(large, other.json.key)).status).toBe(200)
    expect((await get("/sites?limit=500", (await app.organise()).key)).status).toBe(200)
  })
})

describe("concurrent requests for many items", () => {
  it("are processed only up to the limit", async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => get("/chargers/CP-1/messages?limit=500")))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(app.world.pagesOfFrames).toBe(3)
    // Answers that turn out small do not count afterwards.
    unread.forEach((ended) => ended())
    for (let n = 0; n < 5; n++) expect((await get("/sites?limit=500")).status).toBe(200)
    expect((await get("/chargers/CP-1/messages?limit=500")).status).toBe(200)
  })

  it("do not count after they fail", async () => {
    for (let n = 0; n < 5; n++) expect((await get("/chargers/NONE/messages?limit=500")).status).toBe(404)
    expect((await get("/chargers/CP-1/messages?limit=500")).status).toBe(200)
  })
})
