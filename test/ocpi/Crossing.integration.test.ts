/**
 * Handshakes that are interrupted: by an operator who invites again, suspends or removes, or by another handshake of the same partner. A token that
 * was withdrawn in the meantime is worthless, and what replaced it remains valid.
 */
import { describe, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import type { Answer } from "./partner/Client.ts"
import type { Partner } from "./partner/Partner.ts"
import { Roaming } from "./partner/Roaming.ts"

const roaming = new Roaming()

/** Starts an action that makes the service call the partner, and does something else while the partner delays its answer. */
const meanwhile = async <A>(
  partner: Partner,
  [method, module]: readonly [method: string, module: string],
  asked: () => Promise<A>,
  done: () => Promise<unknown>
): Promise<A> => {
  const before = partner.server.heard.length
  const held = Promise.withResolvers<void>()
  partner.server.faults.plan({ method, module, fault: { does: "hold", until: held.promise }, times: 1 })
  const answer = asked()
  // If `done` fails, no one awaits the answer.
  answer.catch(() => {})
  const isHeard = () => partner.server.heard.slice(before).some((one) => one.module === module && one.method === method)
  try {
    await until(() => `the partner is asked for its ${module}`, 20_000, isHeard)
    await done()
  } finally {
    held.resolve()
  }
  return answer
}

const versions = ["GET", "versions"] as const

/** The partner's POST or PUT of credentials with a given token. The answer is not stored. */
const send = (partner: Partner, method: "POST" | "PUT", token: string): Promise<Answer> =>
  partner.client.ask(method, partner.endpoint("credentials") ?? "", {
    token,
    body: partner.credentials(partner.invitation())
  })

const status = async (id: string) => (await roaming.shown(id))["status"]

describe("while a partner's POST is open", () => {
  it("a new invitation invalidates the old token, and can itself be used to register", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    let reset = { token: "", versionsUrl }
    const late = await meanwhile(
      partner,
      versions,
      () => send(partner, "POST", token),
      async () => {
        reset = await roaming.reset(id)
      }
    )
    expect([late.http, late.code]).toEqual([401, 2001])
    expect(late.message).toContain("This token is unknown")
    expect(await status(id)).toBe("Invited")
    expect((await partner.register(reset.versionsUrl, reset.token)).code).toBe(1000)
    expect(await status(id)).toBe("Registered")
  })

  it("a partner that is suspended or removed is not registered", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    const suspending = (suspended: boolean) => roaming.world.ask("PATCH", `partners/${id}`, { suspended })
    const post = () => send(partner, "POST", token)
    const suspended = await meanwhile(partner, versions, post, () => suspending(true))
    expect([suspended.http, suspended.code]).toEqual([403, 2000])
    await suspending(false)
    expect(await status(id)).toBe("Invited")
    const remove = () => roaming.world.ask("DELETE", `partners/${id}`, undefined, 204)
    const removed = await meanwhile(partner, versions, post, remove)
    expect([removed.http, removed.code]).toEqual([401, 2001])
  })
})

describe("while a partner's PUT is open", () => {
  it("a new registration invalidates the token of the PUT, and remains valid", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    const leaked = partner.theirToken ?? ""
    const late = await meanwhile(
      partner,
      versions,
      () => send(partner, "PUT", leaked),
      async () => {
        const { token, versionsUrl } = await roaming.reset(id)
        expect((await partner.register(versionsUrl, token)).code).toBe(1000)
      }
    )
    expect([late.http, late.code]).toEqual([401, 2001])
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect(await status(id)).toBe("Registered")
  })

  it("another PUT wins, and the tokens that it exchanged are valid", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    const given = partner.theirToken ?? ""
    const late = await meanwhile(
      partner,
      versions,
      () => send(partner, "PUT", given),
      async () => expect((await partner.rotate()).code).toBe(1000)
    )
    expect([late.http, late.code]).toEqual([200, 2001])
    expect(late.message).toContain("Another renewal")
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    // We call it with the token of the PUT that was completed.
    expect(await roaming.world.post(`partners/${id}/renew`, {})).toMatchObject({ status: "Registered" })
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })
})

describe("a registration from our side", () => {
  const post = ["POST", "credentials"] as const

  it("that fails leaves the invitation valid", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    const handover = { versionsUrl: partner.versionsUrl, token: partner.invitation() }
    const other = await roaming.partner("2.2.1")
    const stranger = { versionsUrl: other.versionsUrl, token: other.invitation() }
    partner.server.faults.plan({
      method: "POST",
      module: "credentials",
      fault: { does: "status", http: 405 },
      times: 1
    })
    partner.server.faults.plan({ method: "POST", module: "credentials", fault: { does: "hangUp" }, times: 1 })
    for (const one of [handover, handover, stranger]) {
      await roaming.world.ask("POST", `partners/${id}/register`, one, 409)
      expect((await partner.client.ask("GET", versionsUrl, { token })).http).toBe(200)
    }
    // The token that the other partner received is invalid now.
    const received = String(other.theirs?.["token"])
    expect((await other.client.ask("GET", versionsUrl, { token: received })).http).toBe(401)
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })

  it("sends a token that can only read versions and details while the registration is open", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    const handover = { versionsUrl: partner.versionsUrl, token: partner.invitation() }
    const registered = await meanwhile(
      partner,
      post,
      () => roaming.world.post(`partners/${id}/register`, handover),
      async () => {
        const body = partner.server.heard.findLast(({ method }) => method === "POST")?.body as {
          readonly token: string
        }
        const sentToken = body.token
        for (const one of ["versions", "2.2.1/details"]) {
          const url = versionsUrl.replace(/versions$/, one)
          expect((await partner.client.ask("GET", url, { token: sentToken })).http, url).toBe(200)
        }
        expect((await send(partner, "POST", sentToken)).http).toBe(405)
        expect((await send(partner, "PUT", sentToken)).http).toBe(405)
        const url = `${partner.endpoint("tokens")}${partner.tokenPath(partner.cards.make("CARD"))}`
        const closed = await partner.client.ask("GET", url, { token: sentToken })
        expect([closed.http, closed.message]).toEqual([401, expect.stringContaining("versions and their details")])
      }
    )
    expect(registered).toMatchObject({ status: "Registered" })
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect((await partner.client.ask("GET", versionsUrl, { token })).http, "the invitation is used up").toBe(401)
  })

  it("fails if the partner is invited again in the meantime, and leaves the new invitation valid", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id } = await roaming.invite(partner)
    const handover = { versionsUrl: partner.versionsUrl, token: partner.invitation() }
    let reset = { token: "", versionsUrl: "" }
    const late = await meanwhile(
      partner,
      post,
      () => roaming.world.ask("POST", `partners/${id}/register`, handover, 409),
      async () => {
        await until(
          () => "the partner has registered",
          20_000,
          () => partner.theirs !== undefined
        )
        reset = await roaming.reset(id)
      }
    )
    expect(late).toMatchObject({ code: "token_gone" })
    expect(await status(id)).toBe("Invited")
    expect((await partner.register(reset.versionsUrl, reset.token)).code).toBe(1000)
  })

  it("is refused for a suspended partner, which is not called", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id } = await roaming.invite(partner)
    await roaming.world.ask("PATCH", `partners/${id}`, { suspended: true })
    const handover = { versionsUrl: partner.versionsUrl, token: partner.invitation() }
    const refused = await roaming.world.ask("POST", `partners/${id}/register`, handover, 409)
    expect(refused).toMatchObject({ code: "suspended" })
    expect(partner.server.heard).toEqual([])
  })
})

describe("a renewal from our side", () => {
  const put = { method: "PUT", module: "credentials" } as const

  it("whose answer was lost leaves its token valid through later renewals by either side", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    const url = partner.endpoint("credentials") ?? ""
    partner.server.faults.plan({ ...put, fault: { does: "loseAnswer" }, times: 1 })
    partner.server.faults.plan({ ...put, fault: { does: "status", http: 500 }, times: 1 })
    await roaming.world.ask("POST", `partners/${id}/renew`, {}, 409)
    const has = String(partner.theirs?.["token"])
    await roaming.world.ask("POST", `partners/${id}/renew`, {}, 409)
    expect((await partner.client.ask("GET", url, { token: has })).http).toBe(200)
    // The partner renews with that token and loses the answer: it has no other token.
    expect((await send(partner, "PUT", has)).code).toBe(1000)
    expect((await partner.client.ask("GET", url, { token: has })).http).toBe(200)
  })
})
