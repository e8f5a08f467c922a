/** How a charger is admitted over real sockets while its password or security profile is being changed, and what a connection settles. */
import { describe, expect, it } from "vitest"
import { attempt, connect } from "./client.ts"
import { type Registered, startServer } from "./harness.ts"

const serverOf = (charger: Registered) => startServer({ chargers: { CP1: charger } })
type Server = Awaited<ReturnType<typeof serverOf>>

const status = async (server: Server, password?: string): Promise<unknown> => {
  const outcome: object = await attempt(server.port, "/ocpp/CP1", password === undefined ? {} : { password })
  return "status" in outcome ? outcome.status : undefined
}
const opening = (server: Server) => server.inbox.of("CP1").opening

describe("a password that the charger may or may not have accepted", () => {
  const both = { profile: 1, password: "old", mayHave: [{ password: "new" }, { password: "newest" }] } as const

  it.each(["old", "new", "newest"])("is accepted as %s, and reported as the one that was used", async (password) => {
    const server = await serverOf(both)
    await connect(server.port, "CP1", { password })
    const { securityProfile, settles } = opening(server)
    expect(securityProfile).toBe(1)
    expect(settles?.passwordVerifier).toBeDefined()
    expect(settles?.securityProfile).toBeUndefined()
  })

  it("does not make any other password, or none, acceptable", async () => {
    const server = await serverOf(both)
    expect(await status(server, "other")).toBe(401)
    expect(await status(server)).toBe(401)
    expect(server.inbox.admitted).toEqual([])
  })

  it("settles nothing if nothing is pending", async () => {
    const server = await serverOf({ profile: 1, password: "old" })
    await connect(server.port, "CP1", { password: "old" })
    expect(opening(server).settles).toBeUndefined()
  })
})

describe("a pending security profile", () => {
  it("is proved by its password, and is in force from then on", async () => {
    const server = await serverOf({ profile: 0, password: "old", mayHave: [{ profile: 1 }] })
    await connect(server.port, "CP1", { password: "old" })
    expect(opening(server)).toMatchObject({ securityProfile: 1, settles: { securityProfile: 1 } })
  })

  it("leaves the old profile usable until then", async () => {
    const server = await serverOf({ profile: 0, password: "old", mayHave: [{ profile: 1 }] })
    await connect(server.port, "CP1")
    expect(opening(server).securityProfile).toBe(0)
    expect(opening(server).settles).toBeUndefined()
  })

  it("is not proved by a wrong password", async () => {
    const server = await serverOf({ profile: 0, password: "old", mayHave: [{ profile: 1 }] })
    await connect(server.port, "CP1", { password: "wrong" })
    expect(opening(server).securityProfile).toBe(0)
  })

  it.each([2, 3] as const)("of %s is not proved without TLS, while the old profile is accepted", async (profile) => {
    const server = await serverOf({ profile: 1, password: "old", mayHave: [{ profile }] })
    await connect(server.port, "CP1", { password: "old" })
    expect(opening(server)).toMatchObject({ securityProfile: 1 })
    expect(opening(server).settles?.securityProfile).toBeUndefined()
  })

  it.each([
    [{ profile: 1, mayHave: [] }, 10],
    [{ profile: 1, mayHave: [{ profile: 2 }] }, 10],
    [{ profile: 1, mayHave: [{ profile: 2 }, { profile: 3 }] }, 10],
    [{ profile: 2, mayHave: [{ profile: 3 }, { password: "new" }] }, 10]
  ] as const)("counts a wrong password as one guess, with %j as without", async (charger, guesses) => {
    const server = await startServer({ chargers: { CP1: { ...charger, password: "old" } }, trustProxy: () => true })
    const headers = { "X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.7" }
    const statuses: Array<unknown> = []
    for (let i = 0; i < guesses + 2; i++) {
      const outcome: object = await attempt(server.port, "/ocpp/CP1", { password: `guess ${i}`, headers })
      statuses.push("status" in outcome ? outcome.status : undefined)
    }
    expect(statuses).toEqual([...Array.from({ length: guesses }, () => 401), 429, 429])
  })

  it("may be proved together with the new password", async () => {
    const server = await serverOf({ profile: 0, password: "old", mayHave: [{ profile: 1 }, { password: "new" }] })
    await connect(server.port, "CP1", { password: "new" })
    expect(opening(server)).toMatchObject({ securityProfile: 1, settles: { securityProfile: 1 } })
    expect(opening(server).settles?.passwordVerifier).toBeDefined()
  })
})
