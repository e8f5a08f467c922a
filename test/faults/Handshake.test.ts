/** The service is killed in the middle of a handshake: what was in force before it stays in force, and the handshake can be repeated. */
import { describe, expect, it, vi } from "vitest"
import type { Partner } from "../ocpi/partner/Partner.ts"
import { Roaming } from "../ocpi/partner/Roaming.ts"
import { until } from "../simulation/Wait.ts"

// A restart takes a second or two, and more than half a minute on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

const roaming = new Roaming({})

/** Kills the service while the partner withholds its answer to a request, and starts the service again. */
const killedWhile = async (partner: Partner, method: string, module: string, asked: () => Promise<unknown>) => {
  const before = partner.server.heard.length
  partner.server.faults.plan({ module, method, fault: { does: "hang" }, times: 1 })
  const lost = asked().then(
    () => "answered",
    () => "lost"
  )
  const isHeard = () => partner.server.heard.slice(before).some((one) => one.module === module && one.method === method)
  await until(() => `the partner is asked for its ${module}`, 20_000, isHeard)
  await roaming.world.service.kill("SIGKILL")
  expect(await lost).toBe("lost")
  await roaming.world.service.restart()
}

describe.each(["versions", "details"])("a kill during the request for the partner's %s", (module) => {
  it("leaves the registration token valid", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await killedWhile(partner, "GET", module, () => partner.register(versionsUrl, token))
    expect(await roaming.shown(id)).toMatchObject({ status: "Invited" })
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })

  it("leaves the tokens from before a renewal valid", async () => {
    const { id, partner } = await roaming.registered("2.1.1")
    const old = partner.theirToken
    await killedWhile(partner, "GET", module, () => partner.rotate())
    expect(await roaming.shown(id)).toMatchObject({ status: "Registered" })
    expect(partner.theirToken).toBe(old)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect((await partner.rotate()).code).toBe(1000)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })
})

describe("a kill while the partner has our credentials", () => {
  it("leaves a registration from our side that can be repeated", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    const handover = { versionsUrl: partner.versionsUrl, token: partner.invitation() }
    const register = () => roaming.world.post(`partners/${id}/register`, handover)
    await killedWhile(partner, "POST", "credentials", register)
    expect(await roaming.shown(id)).toMatchObject({ status: "Invited" })
    expect((await partner.client.ask("GET", versionsUrl, { token })).http, "the invitation stays good").toBe(200)
    expect(await register()).toMatchObject({ status: "Registered" })
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })

  it("leaves both sides' tokens valid until a renewal from our side is done", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    const renew = () => roaming.world.post(`partners/${id}/renew`, {})
    await killedWhile(partner, "PUT", "credentials", renew)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect(await renew()).toMatchObject({ status: "Registered" })
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
  })
})
