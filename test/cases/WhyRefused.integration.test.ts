/** Why a card may not charge, from the websocket to REST: the explanation agrees with the answer to the charger, and refusals are events. */
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World()

type Shown = Readonly<Record<string, unknown>>

describe("the explanation of a card", () => {
  it("agrees with the answer to the charger, has the last attempts, and says what to do", async () => {
    const { id, station } = await world.station()
    const other = await world.station()
    const card = await world.card({ visualNumber: "NL-7" })
    const why = (query = `?chargerId=${id}`) => world.get(`tokens/${card.toLowerCase()}/explanation${query}`)
    const authorized = async (by: typeof station) => (await by.call("Authorize", { idTag: card }))["idTagInfo"]
    expect(await authorized(station)).toMatchObject({ status: "Accepted" })
    expect(await why()).toMatchObject({ verdict: "Accepted", allowed: true, rule: "own_token" })
    await world.ask("PATCH", `tokens/${card}`, { status: "Blocked" })
    for (let n = 0; n < 5; n++) expect(await authorized(station)).toMatchObject({ status: "Blocked" })
    expect(await authorized(other.station)).toMatchObject({ status: "Blocked" })
    const { attempts, ...explained } = await why()
    expect(explained).toMatchObject({
      verdict: "Blocked",
      allowed: false,
      source: "LocalToken",
      rule: "own_token_blocked",
      explanation: "The card is one of yours and is blocked. Set its status to Accepted to let it charge.",
      token: { status: "Blocked", visualNumber: "NL-7", partnerId: null },
      charger: { chargerId: id, connected: true, localListState: "Manual" },
      checks: [
        { rule: "known", passed: true },
        { rule: "status", passed: false },
        { rule: "expiry", passed: true },
        { rule: "not_charging", passed: true }
      ]
    })
    const answers = (shown: unknown) =>
      (shown as ReadonlyArray<Shown>).map(({ answer, chargerId, kind }) => [chargerId, kind, answer])
    // The minute may have changed between the five attempts.
    const here = answers(attempts)
    expect(new Set(here.map(String))).toEqual(new Set([`${id},Authorize,Blocked`, `${id},Authorize,Accepted`]))
    expect(here.length).toBeLessThanOrEqual(3)
    expect(answers((await why(""))["attempts"])[0]).toEqual([other.id, "Authorize", "Blocked"])
    const refusals = await world.items(`events?type=authorization.refused&chargerId=${id}`)
    expect(refusals.length).toBeLessThanOrEqual(2)
    expect(refusals[0]).toMatchObject({
      subject: `charger:${id}`,
      data: { chargerId: id, tokenUid: card, reason: "Blocked", source: "LocalToken" }
    })
  })

  it("has beside it the list of all authorizations, newest first, or only the refused ones", async () => {
    const { id, station } = await world.station()
    const card = await world.card()
    await station.call("Authorize", { idTag: "NO-SUCH-CARD" })
    await station.call("Authorize", { idTag: card })
    await station.start(1, card)
    expect(await world.get(`tokens/${card}/explanation`)).toMatchObject({
      rule: "charging_already",
      openSessions: [{ chargerId: id, startedAt: expect.any(String) }]
    })
    const here = async (query = "") =>
      (await world.items(`authorizations?limit=20${query}`))
        .filter(({ chargerId }) => chargerId === id)
        .map(({ answer, kind, tokenUid }) => [tokenUid, kind, answer])
    const refused = ["NO-SUCH-CARD", "Authorize", "Invalid"]
    expect(await here()).toEqual([[card, "Start", "Accepted"], [card, "Authorize", "Accepted"], refused])
    expect(await here("&refused=true")).toEqual([refused])
    const first = await world.get("authorizations?limit=1")
    const second = await world.get(`authorizations?limit=1&cursor=${String(first["nextCursor"])}`)
    expect([first, second].map(({ items }) => (items as ReadonlyArray<Shown>)[0]?.["kind"])).toEqual([
      "Start",
      "Authorize"
    ])
  })

  it("names the session because of which the card may not charge twice, and shows refused starts", async () => {
    const { id, station } = await world.station()
    const other = await world.station()
    const card = await world.card()
    await other.station.start(1, card)
    expect((await station.start(1, card)).status).toBe("ConcurrentTx")
    const { attempts, ...explained } = await world.get(`tokens/${card}/explanation?chargerId=${id}`)
    expect(explained).toMatchObject({ verdict: "ConcurrentTx", allowed: false, rule: "charging_already" })
    expect(explained["explanation"]).toContain(`at ${other.id} since`)
    expect(attempts).toMatchObject([{ chargerId: id, kind: "Start", answer: "ConcurrentTx" }])
  })

  it("is given for an unknown card, and not for a charger of another organisation", async () => {
    const { id } = await world.station()
    expect(await world.get(`tokens/NO-ONES-CARD/explanation?chargerId=${id}`)).toMatchObject({
      verdict: "Invalid",
      rule: "unknown_token_refused",
      token: null,
      attempts: []
    })
    const stranger = await world.organise("Another")
    const path = `tokens/NO-ONES-CARD/explanation?chargerId=${id}`
    expect((await stranger.rest.request("GET", path)).status).toBe(404)
  })
})
