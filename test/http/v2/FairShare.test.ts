/** How many requests of a key are processed at a time: the others wait, and delay neither other keys nor commands that wait for a charger. */
import { Effect, Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { Commands } from "../../../src/domain/command/Commands.ts"
import { Sites } from "../../../src/domain/site/Sites.ts"
import { WebhookPoster } from "../../../src/domain/event/WebhookPoster.ts"
import { webhookPoster } from "../../support/fakeWebhooks.ts"
import { fakePorts } from "../../support/fakePorts.ts"
import { FakeWorld } from "../../support/fakeRecords.ts"
import { makeOrganisation, restApp } from "../../support/restApp.ts"

let close: (() => Promise<void>) | undefined
afterEach(() => close?.())

/** An app whose lists of sites take until the test releases them, with those that have started. */
const slowApp = async () => {
  const world = new FakeWorld()
  const ports = fakePorts(world)
  const begun: Array<() => void> = []
  const slow = Layer.effect(
    Sites,
    Effect.map(Sites, (sites) =>
      Sites.of({
        ...sites,
        list: (organisationId, request) =>
          Effect.callback<void>((resume) => void begun.push(() => resume(Effect.void))).pipe(
            Effect.andThen(sites.list(organisationId, request))
          )
      })
    )
  )
  const app = restApp(Layer.provideMerge(slow, ports), {
    v2: { fairShare: { atOncePerKey: 2, atOncePerOrganisation: 3, waitingPerKey: 2 } }
  })
  close = app.close
  const organise = () => Effect.runPromise(makeOrganisation().pipe(Effect.provide(ports)))
  const own = await organise()
  const list = (key = own.key) => app.ask("GET", "/cpo/v2/sites", { key })
  return { ...app, begun, key: own.key, list, organise }
}

const settle = () => new Promise((resume) => setTimeout(resume, 20))

describe("requests of one key", () => {
  it("are processed a few at a time, in order, and refused when too many wait", async () => {
    const { begun, list } = await slowApp()
    const answers = [list(), list(), list(), list()]
    await settle()
    expect(begun).toHaveLength(2)
    const refused = await list()
    expect(refused.status).toBe(429)
    expect(refused.headers.get("content-type")).toBe("application/problem+json")
    expect(refused.json).toMatchObject({ code: "too_many_at_once", retryAfterSeconds: 2 })
    begun[0]!()
    expect((await answers[0]!).status).toBe(200)
    await settle()
    expect(begun).toHaveLength(3)
    for (let n = 1; n < 4; n++) {
      begun[n]!()
      await settle()
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const after = list()
    await settle()
    begun[4]!()
    expect((await after).status).toBe(200)
  })

  it("do not delay another organisation's requests, and share the limit of their own organisation", async () => {
    const { ask, begun, key, list, organise } = await slowApp()
    const other = await organise()
    const second = await ask("POST", "/cpo/v2/api-keys", { key, body: { name: "Second" } })
    const answers = [list(), list(), list(second.json.key), list(second.json.key), list(other.key)]
    await settle()
    // Two of the first key, one of the second (three for their organisation), and the other organisation's.
    expect(begun).toHaveLength(4)
    for (let n = 0; n < 5; n++) {
      begun[n]!()
      await settle()
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it("free their place when the caller disconnects, also while they wait", async () => {
    const { ask, begun, key, list } = await slowApp()
    const hangUp = new AbortController()
    const lost = [1, 2, 3].map(() => ask("GET", "/cpo/v2/sites", { key, signal: hangUp.signal }).catch(() => undefined))
    await settle()
    hangUp.abort()
    await Promise.all(lost)
    await settle()
    const next = [list(), list()]
    await settle()
    expect(begun).toHaveLength(4)
    begun[2]!()
    begun[3]!()
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200])
  })
})

it("A request that waits for another service does not block the next request", async () => {
  const world = new FakeWorld()
  const ports = fakePorts(world)
  const silent = Layer.succeed(WebhookPoster, WebhookPoster.of({ ...webhookPoster, ping: () => Effect.never }))
  const app = restApp(Layer.provideMerge(silent, ports), {
    v2: { fairShare: { atOncePerKey: 1, atOncePerOrganisation: 1, waitingPerKey: 2 } }
  })
  close = app.close
  const { key } = await Effect.runPromise(makeOrganisation().pipe(Effect.provide(ports)))
  const { json } = await app.ask("POST", "/cpo/v2/webhooks", { key, body: { url: "https://never.example/" } })
  const hangUp = new AbortController()
  const ping = () => app.ask("POST", `/cpo/v2/webhooks/${json.id}/ping`, { key, signal: hangUp.signal })
  const pings = [ping(), ping()]
  await settle()
  expect((await app.ask("GET", "/cpo/v2/sites", { key })).status).toBe(200)
  // They still count for their own key.
  pings.push(ping())
  await settle()
  expect((await ping()).status).toBe(429)
  hangUp.abort()
  await Promise.allSettled(pings)
})

it("A request that waits for its charger does not block the next request", async () => {
  const world = new FakeWorld()
  const ports = fakePorts(world)
  const patient = Layer.effect(
    Commands,
    Effect.map(Commands, (commands) => Commands.of({ ...commands, wait: () => Effect.never }))
  )
  const app = restApp(Layer.provideMerge(patient, ports), {
    v2: { fairShare: { atOncePerKey: 1, atOncePerOrganisation: 1, waitingPerKey: 5 } }
  })
  close = app.close
  const { key } = await Effect.runPromise(makeOrganisation().pipe(Effect.provide(ports)))
  await app.ask("POST", "/cpo/v2/sites", { key, body: { name: "Harbour" } })
  await app.ask("POST", "/cpo/v2/chargers", { key, body: { name: "Left", chargerId: "CP-1" } })
  const hangUp = new AbortController()
  const path = "/cpo/v2/chargers/CP-1/commands?wait=2"
  const waiting = app.ask("POST", path, { key, body: { type: "ClearCache" }, signal: hangUp.signal })
  await settle()
  expect((await app.ask("GET", "/cpo/v2/sites", { key })).status).toBe(200)
  hangUp.abort()
  await waiting.catch(() => undefined)
})
