/**
 * An email address belongs to a person, not to an organisation that invites or provides it: an invitation neither reveals nor touches accounts
 * elsewhere, and no organisation can keep an address from the person.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Secrets } from "../../../src/domain/values/Secrets.ts"
import { Browser } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import {
  email,
  founded as foundedSlowly,
  type Founded,
  joined,
  password,
  ports,
  said,
  tokenOf
} from "../../support/people.ts"
import type { Answer, Json } from "../../support/restApp.ts"

/** With passwords that are not hashed: how slowly they are is tested elsewhere. */
const founded = Effect.gen(function* () {
  const secrets = yield* Secrets
  const quick: Secrets["Service"] = {
    ...secrets,
    hashPassword: (password) => Effect.succeed(`plain ${password}`),
    verifyPassword: (password, hash) => Effect.succeed(hash === `plain ${password}`),
    matchPassword: (password, hashes) => {
      const index = hashes.indexOf(`plain ${password}`)
      return Effect.succeed(index < 0 ? undefined : index)
    }
  }
  return yield* Effect.provideService(foundedSlowly, Secrets, quick)
})

const another = "green lamp under blue stairs"

const invite = async ({ owner }: Founded, address: string, roleId = "Viewer"): Promise<Answer> => {
  const invited = await owner.post("/invitations", { email: address, roleId })
  assert.strictEqual(invited.status, 201, invited.text)
  return invited
}

const accept = async (own: Founded, link: string, body: object, browser = new Browser(own.ask)): Promise<Answer> =>
  browser.post("/invitations/accept", { token: tokenOf(link), ...body })

/** An answer without what differs for every account and link. */
const shape = ({ json, status }: Answer): Json =>
  JSON.parse(
    JSON.stringify([status, json]).replace(
      /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|[a-z]+-\d+@example\.com|invitation#\w+/g,
      "*"
    )
  )

forEachDriver("An email address", ports, (it) => {
  it.effect("that has an account elsewhere gives the same answers to an invitation as one without", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const other = yield* founded
      yield* Effect.promise(async () => {
        const person = await joined(other, "Operations")
        const seen = async (address: string): Promise<ReadonlyArray<Json>> => {
          const invited = await invite(own, address)
          const listed = await own.owner.ask("GET", "/invitations")
          const { link } = invited.json
          const asked: Array<Answer> = [invited, listed]
          // Signing in to an account without its password, a password that is too short, and an account of one's own.
          asked.push(await accept(own, link, { password: another }))
          asked.push(await accept(own, link, { password: "short", name: "Eve" }))
          const made = await accept(own, link, { password: another, name: "Eve" })
          asked.push(made, await accept(own, link, { password, name: "Eve" }))
          asked.push(await own.owner.ask("GET", `/operators/${made.json.operator.id}`))
          return asked.map(shape)
        }
        const withAccount = await seen(person.address)
        assert.deepStrictEqual(
          withAccount.map((one: Json) => one[0]),
          [201, 200, 401, 400, 201, 409, 200]
        )
        assert.deepStrictEqual(withAccount, await seen(email("unused")))
      })
    })
  )

  it.effect("can have an account in each organisation, and the password decides which one is signed in to", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const other = yield* founded
      yield* Effect.promise(async () => {
        const person = await joined(other, "Operations")
        const { json } = await accept(own, (await invite(own, person.address)).json.link, {
          password: another,
          name: "Bo"
        })
        const ask = { email: person.address.toUpperCase(), password: another }
        const browser = new Browser(own.ask)
        const here = await browser.post("/sign-ins", ask)
        assert.deepStrictEqual([here.status, here.json.operator.id], [201, json.operator.id])
        // In the same browser, which knows the other account.
        const there = await browser.post("/sign-ins", { ...ask, password })
        assert.deepStrictEqual([there.status, there.json.operator.id], [201, person.id])
        assert.deepStrictEqual(said(await browser.post("/sign-ins", { ...ask, password: "neither of them" })), [
          401,
          "sign_in_refused"
        ])
        const change = { currentPassword: password, newPassword: "a third password of mine" }
        assert.strictEqual((await browser.ask("PUT", "/me/password", { body: change })).status, 200)
        assert.strictEqual((await new Browser(own.ask).post("/sign-ins", ask)).json.operator.id, json.operator.id)
        // Who chooses the password of an account means that account, also where the form for new people was filled in.
        const third = await invite(own, email("cy"))
        assert.strictEqual((await accept(own, third.json.link, { password: another, name: "Cy" })).status, 201)
      })
    })
  )

  it.effect("gives no free guesses to those who have another account with it, also on devices that know them", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const thief = yield* founded
      yield* Effect.promise(async () => {
        const victim = await joined(own, "Operations")
        const { link } = (await invite(thief, victim.address)).json
        assert.strictEqual((await accept(thief, link, { password: another, name: "Eve" })).status, 201)
        const device = new Browser(thief.ask)
        const network = { "x-test-network": "198.51.100.0/24" }
        const tried = async (guess: string, browser = new Browser(thief.ask)) =>
          said(
            await browser.ask("POST", "/sign-ins", {
              body: { email: victim.address, password: guess },
              headers: network
            })
          )
        assert.strictEqual((await tried(another, device))[0], 201)
        // Signing in to the other account, on a new or a known device, resets nothing.
        for (let n = 0; n < 3; n++) {
          assert.deepStrictEqual(await tried("a guess"), [401, "sign_in_refused"])
          assert.deepStrictEqual(await tried("a guess", device), [401, "sign_in_refused"])
          assert.strictEqual((await tried(another, device))[0], 201)
          if (n === 0) assert.strictEqual((await tried(another))[0], 201)
        }
        // The right password of the victim is refused there as well, as nothing may show which one it is. Each guess doubles the delay, so that
        // also a slow machine tries it in time.
        for (let since = performance.now(); ; since = performance.now()) {
          const [status] = await tried("a guess", device)
          const answers = [await tried(password, device), await tried(password)]
          if (performance.now() - since > 900) continue
          assert.include([401, 429], status)
          assert.deepStrictEqual(answers, [
            [401, "sign_in_refused"],
            [429, "sign_in_delayed"]
          ])
          break
        }
        // The victim is not delayed elsewhere.
        const back = await new Browser(own.ask).post("/sign-ins", { email: victim.address, password })
        assert.deepStrictEqual([back.status, back.json.operator.id], [201, victim.id])
      })
    })
  )

  it.effect("that someone else took first does not keep the person out, neither here nor there", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const thief = yield* founded
      yield* Effect.promise(async () => {
        const address = email("victim")
        const taken = await accept(thief, (await invite(thief, address, "Owner")).json.link, {
          password: another,
          name: "Eve"
        })
        assert.strictEqual(taken.status, 201, taken.text)
        const person = await accept(own, (await invite(own, address)).json.link, { password, name: "Bo" })
        assert.deepStrictEqual([person.status, person.json.operator.name], [201, "Bo"])
        assert.deepStrictEqual(
          person.json.organisations.map(({ id }: Json) => id),
          [own.organisationId]
        )
        // Renaming, resetting and disabling the one does not concern the other.
        const path = `/operators/${taken.json.operator.id}`
        assert.strictEqual((await own.owner.ask("GET", path)).status, 404)
        assert.strictEqual((await thief.owner.ask("PATCH", path, { body: { state: "Disabled" } })).status, 200)
        const back = await new Browser(own.ask).post("/sign-ins", { email: address, password })
        assert.deepStrictEqual([back.status, back.json.operator.id], [201, person.json.operator.id])
      })
    })
  )
})
