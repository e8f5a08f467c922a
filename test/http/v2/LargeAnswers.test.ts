/** A few large answers at a time for each key: what was made and not read lies in memory. */
import { beforeEach, describe, expect, it } from "vitest"
import { fakeApp } from "../../support/restApp.ts"

const noon = Date.UTC(2026, 4, 20, 12)

let app: Awaited<ReturnType<typeof fakeApp>>
/** Ends of answers that nobody has read yet. */
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

describe("a key with as many large answers as it may have unread", () => {
  it("is given no further one, and told when to come again", async () => {
    for (let n = 0; n < 3; n++) expect((await get(large)).status).toBe(200)
    const refused = await get(large)
    expect(refused.status).toBe(429)
    expect(refused.headers.get("content-type")).toBe("application/problem+json")
    expect(refused.headers.get("retry-after")).toBe("1")
    expect(refused.json).toMatchObject({ code: "too_many_large_answers", retryAfterSeconds: 1 })
  })

  it("is refused one that asks for many items before it is made", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    expect((await get("/sites?limit=500")).status).toBe(429)
    expect((await get("/sites?limit=100")).status).toBe(200)
  })

  it("is given small ones all the same, and what it creates", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    expect((await get("/chargers/CP-1/messages?limit=3")).status).toBe(200)
    expect((await app.ask("POST", "/cpo/v2/sites", { key: app.key, body: { name: "Pier" } })).status).toBe(200)
  })

  it("is given the next once it has read one, or its connection has ended", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    expect((await get(large)).status).toBe(429)
    unread.shift()?.()
    expect((await get(large)).status).toBe(200)
    expect((await get(large)).status).toBe(429)
  })

  it("takes nothing from other keys of its organisation or of others", async () => {
    for (let n = 0; n < 3; n++) await get(large)
    const other = await app.ask("POST", "/cpo/v2/api-keys", { key: app.key, body: { name: "Other" } })
    expect((await get(large, other.json.key)).status).toBe(200)
    expect((await get("/sites?limit=500", (await app.organise()).key)).status).toBe(200)
  })
})

describe("answers that ask for many items and come together", () => {
  it("are made only as far as there is room for them", async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => get("/chargers/CP-1/messages?limit=500")))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(app.world.pagesOfFrames).toBe(3)
    // Those that turn out small give their place back.
    unread.forEach((ended) => ended())
    for (let n = 0; n < 5; n++) expect((await get("/sites?limit=500")).status).toBe(200)
    expect((await get("/chargers/CP-1/messages?limit=500")).status).toBe(200)
  })

  it("give their place back when they fail", async () => {
    for (let n = 0; n < 5; n++) expect((await get("/chargers/NONE/messages?limit=500")).status).toBe(404)
    expect((await get("/chargers/CP-1/messages?limit=500")).status).toBe(200)
  })
})
