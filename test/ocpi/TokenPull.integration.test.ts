/** A partner's tokens are fetched after its registration, page by page, and can charge at a charger without having been pushed. */
import { describe, expect, it } from "vitest"
import { Roaming } from "./partner/Roaming.ts"
import { commonVersions } from "./partner/Usual.ts"

const roaming = new Roaming()

describe.each(commonVersions)("the tokens that a partner on OCPI %s has before it registers", (version) => {
  it("out GET tokens: are fetched soon after from all pages of its list, and can charge", async () => {
    const partner = await roaming.partner(version)
    const cards = Array.from({ length: 5 }, (_, n) => partner.cards.make(`PULL${version.replaceAll(".", "")}${n}`))
    for (const card of cards) partner.cards.add(card)
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await partner.register(versionsUrl, token)
    const lists = () => partner.server.heard.filter(({ method, module }) => method === "GET" && module === "tokens")
    await partner.eventually("three pages", () => lists().length >= 3)
    const { station } = await roaming.world.station()
    const idTag = String(cards[4]?.["uid"])
    let answer: unknown
    const accepted = async () => {
      answer = (await station.call("Authorize", { idTag }))["idTagInfo"]
      return JSON.stringify(answer) === JSON.stringify({ status: "Accepted" })
    }
    for (let tries = 0; tries < 50 && !(await accepted()); tries++) await new Promise((next) => setTimeout(next, 100))
    expect(answer).toEqual({ status: "Accepted" })
    for (const card of cards) {
      expect((await partner.ask("GET", "tokens", partner.tokenPath(card))).data).toEqual(card)
    }
    const health = await roaming.world.get(`partners/${id}/health`)
    expect(health["tokens"]).toMatchObject({ taken: 5, unreadable: 0, tokens: 5, problem: null })
    expect(partner.problems).toEqual([])
  })
})
