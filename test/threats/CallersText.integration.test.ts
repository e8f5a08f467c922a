/**
 * T15: SQL and other malicious text in everything that a caller of REST sends. Over five hundred texts as names, ids, uids, cursors, filters, keys
 * and passwords: each is stored and shown unchanged, found by exactly itself, or refused as the caller's mistake. None causes a failure, and none
 * becomes part of a statement.
 */
import { expect, it } from "vitest"
import { isChargerId } from "../../src/domain/values/ChargerId.ts"
import { inParallel } from "../simulation/Wait.ts"
import { everyNastyText, unstorableTexts } from "../support/nastyText.ts"
import type { Json } from "../support/restApp.ts"
import { type Answer, basic, threatDrivers, WireCharger, type World } from "./world.ts"

const limitMillis = 300_000

/** The number of simultaneous requests. */
const atATime = 8

/** `PROPERTY=full` takes ten times as long. */
const isFull = process.env["PROPERTY"] === "full"

const texts = [...everyNastyText, ...unstorableTexts]

const url = encodeURIComponent

/** A text encoded for a URL; half a surrogate pair cannot be encoded and is replaced. */
const inUrl = (text: string): string => url(text.toWellFormed())

/** The part of a text that a header can contain. */
const inHeader = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]/g, "?")
    .trim()
    .slice(0, 1000)

interface Ask {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | undefined
}

/** Every place in which a caller's text reaches a statement, with `text` in it; `n` makes unique values. */
const asks = (text: string, n: number, siteId: string): ReadonlyArray<Ask> => {
  const t = inUrl(text)
  return [
    { method: "GET", path: `/cpo/v2/chargers/${t}` },
    { method: "GET", path: `/cpo/v2/chargers/${t}/messages` },
    { method: "GET", path: `/cpo/v2/chargers/T15/messages?action=${t}&from=${t}` },
    { method: "GET", path: `/cpo/v2/chargers/T15/messages?action=${t}` },
    { method: "GET", path: `/cpo/v2/chargers/T15/messages?cursor=${t}` },
    { method: "GET", path: `/cpo/v2/chargers?siteId=${t}` },
    { method: "GET", path: `/cpo/v2/chargers?cursor=${t}&limit=${t}` },
    {
      method: "GET",
      path: `/cpo/v2/chargers?cursor=${url(Buffer.from(JSON.stringify({ list: "chargers", after: text })).toString("base64url"))}`
    },
    {
      method: "GET",
      path: `/cpo/v2/sessions?cursor=${url(Buffer.from(JSON.stringify({ list: "sessions", after: text })).toString("base64url"))}`
    },
    { method: "GET", path: `/cpo/v2/sessions?chargerId=${t}` },
    { method: "GET", path: `/cpo/v2/sessions?status=${t}&from=${t}&to=${t}` },
    { method: "GET", path: `/cpo/v2/sessions?siteId=${t}` },
    { method: "GET", path: `/cpo/v2/sessions/${t}?include=${t}` },
    { method: "GET", path: `/cpo/v2/sites/${t}` },
    { method: "GET", path: `/cpo/v2/sites?${t}=${t}` },
    { method: "DELETE", path: `/cpo/v2/sites/${t}` },
    { method: "DELETE", path: `/cpo/v2/api-keys/${t}` },
    { method: "DELETE", path: `/cpo/v2/chargers/${t}` },
    { method: "DELETE", path: `/cpo/v2/tokens/${t}` },
    { method: "POST", path: "/cpo/v2/chargers", body: { name: text, chargerId: text } },
    { method: "POST", path: "/cpo/v2/chargers", body: { name: text, chargerId: `T15-x${n}`, siteId: text } },
    { method: "POST", path: "/cpo/v2/api-keys", body: { name: text, permissions: [text] } },
    {
      method: "POST",
      path: "/cpo/v2/organisations",
      body: { name: text, countryCode: text, partyId: text, operatorEmail: text }
    },
    { method: "PATCH", path: "/cpo/v2/organisation", body: { timeZone: text, unknownTokens: text } },
    { method: "PATCH", path: "/cpo/v2/chargers/T15", body: { password: text } },
    { method: "PATCH", path: `/cpo/v2/tokens/${t}`, body: { note: text } },
    { method: "PATCH", path: `/cpo/v2/sites/${siteId}`, body: { city: text, area: text, country: text } },
    { method: "POST", path: "/cpo/v2/sites", body: { name: text }, headers: { "idempotency-key": inHeader(text) } },
    { method: "GET", path: "/cpo/v2/sites", key: inHeader(text) },
    { method: "GET", path: `/api/statistics?clientId=${t}&code=${t}`, key: undefined },
    { method: "GET", path: `/api/charger/${t}?clientId=${t}&code=${t}`, key: undefined },
    { method: "GET", path: `/${t}/${t}?${t}` }
  ]
}

/** Sends the texts to all places; returns how often each HTTP status was answered. */
const askAll = async (world: World, siteId: string): Promise<Record<string, number>> => {
  const outcomes: Record<string, number> = {}
  const failed: Array<string> = []
  await inParallel(texts, atATime, async (text, n) => {
    // Each text in two places, so that each place gets dozens of texts; or, in the full run, every text in every place.
    const places = asks(text, n, siteId).filter((_, place) => isFull || (place + n) % 16 === 0)
    for (const { body, headers = {}, method, path, ...rest } of places) {
      const answer = await world.ask(method, path, { body, headers, ...("key" in rest ? { key: rest.key } : {}) })
      outcomes[answer.status] = (outcomes[answer.status] ?? 0) + 1
      if (answer.status >= 500)
        failed.push(`${answer.status} ${method} ${path.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 200)}`)
    }
  })
  expect(failed).toEqual([])
  return outcomes
}

const isRefusal = ({ json, status }: Answer): boolean => status === 400 && Array.isArray(json.errors)

/** A valid name is read back unchanged; any other is refused with the field that is wrong. */
const nameAll = async (world: World): Promise<number> => {
  let named = 0
  await inParallel(texts, atATime, async (text, n) => {
    const about = JSON.stringify(text.slice(0, 60))
    const site = await world.ask("POST", "/cpo/v2/sites", { body: { name: text, city: text } })
    if (site.status === 200) {
      named++
      const read = await world.done("GET", `/cpo/v2/sites/${site.json.id}`)
      expect([read.name, read.city], about).toEqual([text, text])
    } else expect(isRefusal(site), `${about} ${site.text}`).toBe(true)
    const token = await world.ask("POST", "/cpo/v2/tokens", {
      body: { uid: text, note: text, visualNumber: String(n) }
    })
    if (token.status === 201) {
      const read = await world.done("GET", `/cpo/v2/tokens/${inUrl(text)}`)
      expect([read.uid, read.note, read.visualNumber], about).toEqual([text, text, String(n)])
    } else expect(isRefusal(token) || token.json.code === "token_exists", `${about} ${token.text}`).toBe(true)
  })
  return named
}

/** The state from before, to check that nothing of it is lost. */
const stateOf = async (world: World): Promise<Json> => {
  const { createdAt, name, securityProfile } = await world.done("GET", "/cpo/v2/chargers/T15")
  return {
    charger: { createdAt, name, securityProfile },
    organisation: await world.done("GET", "/cpo/v2/organisation")
  }
}

for (const { missing, name, run } of threatDrivers) {
  it.skipIf(missing)(`treats whatever callers write as nothing but text (${name})`, { timeout: limitMillis }, () =>
    run(async (world) => {
      const site = await world.done("POST", "/cpo/v2/sites", { body: { name: "Site" } })
      await world.done("POST", "/cpo/v2/chargers", {
        body: { name: "C", chargerId: "T15", password: "T15.Password.1234" }
      })
      const before = await stateOf(world)
      const outcomes = await askAll(world, site.id)
      expect(Object.keys(outcomes).filter((status) => !/^(2|4)/.test(status))).toEqual([])
      expect(await nameAll(world)).toBeGreaterThan(200)
      expect(await stateOf(world), "the state from before is unchanged").toEqual(before)
      const dials = texts
        .filter((text, n) => n % 16 === 0 && !isChargerId(text))
        .map((text) =>
          WireCharger.dial(world.service.ocppUrl, inUrl(text), {
            authorization: basic(text, text),
            "sec-websocket-protocol": "ocpp1.6"
          })
        )
      for (const status of await Promise.all(dials)) expect([404, 400, 429]).toContain(status)
      await world.truth(async (query) => {
        const [row] = await query(
          `SELECT (SELECT count(*) FROM api_key)::int AS keys, (SELECT count(*) FROM organisation)::int AS organisations`
        )
        expect(row).toEqual({ keys: 1, organisations: 1 })
        // Some of the texts are valid charger ids, such as `null`.
        const ids = (await query("SELECT charger_id AS id FROM charger")).map(({ id }) => String(id))
        expect(ids.filter((id) => id !== "T15" && !texts.includes(id))).toEqual([])
      })
      // Invalid SQL would be an error of class 42 in the log.
      expect(world.output).not.toContain("SQLSTATE")
      expect(world.output).not.toContain('"level":"ERROR"')
    })
  )
}
