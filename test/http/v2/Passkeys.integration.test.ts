/** Passkeys over the real storage, with a software authenticator: added, used to sign in, and refused for every kind of wrong answer. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Authenticator } from "../../support/authenticator.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { founded, type Founded, joined, password, ports } from "../../support/people.ts"
import type { Answer } from "../../support/restApp.ts"

const said = ({ json, status }: Answer): ReadonlyArray<unknown> => [status, json?.code]

const put = (browser: Browser, made: ReturnType<Authenticator["create"]>, name = "Mine") =>
  browser.ask("PUT", `/me/passkeys/${made.id}`, { body: { name, response: made.response } })

/** Adds a passkey of the device to the account that is signed in in the browser. */
const added = async (browser: Browser, device: Authenticator, name = "Laptop") => {
  const begun = await browser.post("/me/passkeys/options", { password })
  assert.strictEqual(begun.status, 201, begun.text)
  return { begun, done: await put(browser, device.create(begun.json), name) }
}

const challenged = async (browser: Browser) => {
  const begun = await browser.post("/sign-ins/passkey-challenges", {})
  assert.strictEqual(begun.status, 201, begun.text)
  return begun.json
}

const refusal = [401, "passkey_refused"]

const bySignIn = async ({ ask }: Founded, device: Authenticator) => {
  const browser = new Browser(ask)
  const credential = device.get(await challenged(browser))
  return { browser, credential, done: await browser.post("/sign-ins/passkeys", { credential }) }
}

forEachDriver("Passkeys", ports, (it) => {
  it.effect("sign a person in with two factors, and can be listed, renamed and removed", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const { operatorId, owner } = own
      yield* Effect.promise(async () => {
        const device = new Authenticator(origin)
        assert.deepStrictEqual(said(await owner.post("/me/passkeys/options", { password: "wrong" })), [
          401,
          "sign_in_refused"
        ])
        const { begun, done } = await added(owner, device)
        assert.deepStrictEqual(begun.json.rp, { id: "cpo.example", name: "Voltlane" })
        assert.strictEqual(Buffer.from(begun.json.user.id, "base64url").toString(), operatorId)
        assert.strictEqual(done.status, 200, done.text)
        const me = await owner.ask("GET", "/me")
        assert.deepStrictEqual([me.status, me.json.secondFactor.used], [200, true])
        // A device that already has a passkey is excluded.
        const again = await owner.post("/me/passkeys/options", { password })
        assert.deepStrictEqual(again.json.excludeCredentials, [{ type: "public-key", id: done.json.id }])

        const signedIn = await bySignIn(own, device)
        assert.strictEqual(signedIn.done.status, 201, signedIn.done.text)
        assert.deepStrictEqual(
          [signedIn.done.json.operator.id, signedIn.done.json.secondFactor.used],
          [operatorId, true]
        )
        const { browser } = signedIn
        const [listed] = (await browser.ask("GET", "/me/passkeys")).json.items
        assert.deepInclude(listed, { id: done.json.id, name: "Laptop" })
        assert.isString(listed.usedAt)
        const renamed = await browser.ask("PATCH", `/me/passkeys/${listed.id}`, { body: { name: "Work laptop" } })
        assert.deepStrictEqual([renamed.status, renamed.json.name], [200, "Work laptop"])
        assert.strictEqual((await browser.ask("DELETE", `/me/passkeys/${listed.id}`)).status, 204)
        assert.deepStrictEqual(said((await bySignIn(own, device)).done), refusal)
        const { items } = (await owner.ask("GET", "/audit-log?limit=100")).json
        const actions = items.map(({ action }: { readonly action: string }) => action)
        assert.includeMembers(actions, ["PasskeyAdded", "PasskeyRemoved"])
      })
    })
  )

  it.effect("are refused for another site, a used or unknown challenge, an unverified user, and a lower counter", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const { ask, owner } = own
      yield* Effect.promise(async () => {
        const device = new Authenticator(origin)
        await added(owner, device)
        const { browser, credential, done } = await bySignIn(own, device)
        assert.strictEqual(done.status, 201)
        assert.deepStrictEqual(said(await browser.post("/sign-ins/passkeys", { credential })), refusal)
        const stranger = new Browser(ask)
        const made = { challenge: Buffer.alloc(32, 7).toString("base64url"), rpId: "cpo.example" }
        assert.deepStrictEqual(
          said(await stranger.post("/sign-ins/passkeys", { credential: device.get(made) })),
          refusal
        )
        const phish = Object.assign(Object.create(device), { origin: "https://cpo.example.evil" }) as Authenticator
        const asked = await challenged(stranger)
        assert.deepStrictEqual(
          said(await stranger.post("/sign-ins/passkeys", { credential: phish.get(asked) })),
          refusal
        )
        const elsewhere = device.get({ ...(await challenged(stranger)), rpId: "evil.example" })
        assert.deepStrictEqual(said(await stranger.post("/sign-ins/passkeys", { credential: elsewhere })), refusal)
        device.isVerifying = false
        assert.deepStrictEqual(said((await bySignIn(own, device)).done), refusal)
        device.isVerifying = true
        // A copy of the device would continue from an older counter.
        device.counter = 0
        assert.deepStrictEqual(said((await bySignIn(own, device)).done), refusal)
        device.counter = 50
        assert.strictEqual((await bySignIn(own, device)).done.status, 201)
      })
    })
  )

  it.effect(
    "are answered after any number of challenges for others: a challenge is stored only when it was answered",
    () =>
      Effect.gen(function* () {
        const own = yield* founded
        const sql = yield* SqlClient.SqlClient
        const stored = Effect.map(sql`SELECT 1 FROM passkey_challenge`, (rows) => rows.length)
        const device = new Authenticator(origin)
        const waiting = yield* Effect.promise(async () => {
          await added(own.owner, device)
          return device.get(await challenged(new Browser(own.ask)))
        })
        const before = yield* stored
        yield* Effect.promise(async () => {
          const strangers = Array.from({ length: 200 }, () => challenged(new Browser(own.ask)))
          const made = (await Promise.all(strangers)).map(({ challenge }) => challenge)
          assert.strictEqual(new Set(made).size, 200)
          // Answers without a passkey of this service store nothing either.
          const unknown = new Authenticator(origin).get({ challenge: made[0], rpId: "cpo.example" })
          assert.deepStrictEqual(
            said(await new Browser(own.ask).post("/sign-ins/passkeys", { credential: unknown })),
            refusal
          )
        })
        assert.strictEqual(yield* stored, before)
        yield* Effect.promise(async () => {
          const answers = await Promise.all(
            Array.from({ length: 5 }, () => new Browser(own.ask).post("/sign-ins/passkeys", { credential: waiting }))
          )
          assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, 401, 401, 401, 401])
        })
        assert.strictEqual(yield* stored, before + 1)
      })
  )

  it.effect("belong to one person, and no other can use that person's challenge", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const { browser } = await joined(own, "Viewer")
        const device = new Authenticator(origin)
        const begun = await own.owner.post("/me/passkeys/options", { password })
        const stolen = await put(browser, device.create(begun.json))
        assert.deepStrictEqual(said(stolen), [409, "passkey_void"])
        // A sign-in challenge cannot be used to add a passkey.
        const signing = await challenged(browser)
        const credential = device.create({ challenge: signing.challenge, rp: { id: signing.rpId } })
        assert.deepStrictEqual(said(await put(browser, credential)), [409, "passkey_void"])
        const mine = await added(own.owner, device)
        assert.strictEqual(mine.done.status, 200)
        assert.deepStrictEqual(said((await added(browser, device)).done), [409, "passkey_exists"])
        for (const [method, body] of [
          ["PATCH", { name: "Taken" }],
          ["DELETE", undefined]
        ] as const) {
          const path = `/me/passkeys/${mine.done.json.id}`
          const answer = await browser.ask(method, path, body === undefined ? {} : { body })
          assert.strictEqual(answer.status, 404)
        }
        assert.deepStrictEqual((await browser.ask("GET", "/me/passkeys")).json.items, [])
        const byKey = await own.ask("GET", "/cpo/v2/me/passkeys", { key: own.key })
        assert.deepStrictEqual(said(byKey), [409, "needs_sign_in"])
      })
    })
  )

  it.effect("satisfy an organisation that requires a second factor, and are removed by a reset", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const device = new Authenticator(origin)
        await added(own.owner, new Authenticator(origin))
        const { browser, id } = await joined(own, "Operations")
        await added(browser, device)
        const required = await own.owner.ask("PATCH", "/organisation", { body: { requireSecondFactor: true } })
        assert.strictEqual(required.status, 200)
        const signedIn = await bySignIn(own, device)
        assert.isAbove(signedIn.done.json.permissions.length, 3)
        const link = await own.owner.post(`/operators/${id}/reset`, {})
        assert.strictEqual(link.status, 201, link.text)
        const token = new URL(link.json.link).hash.slice(1)
        const after = await new Browser(own.ask).post("/invitations/accept", { token, password: `${password} again` })
        assert.strictEqual(after.status, 201, after.text)
        assert.deepStrictEqual(said((await bySignIn(own, device)).done), refusal)
      })
    })
  )

  it.effect("are limited to ten per person", () =>
    Effect.gen(function* () {
      const { owner } = yield* founded
      yield* Effect.promise(async () => {
        for (let n = 0; n < 10; n++)
          assert.strictEqual((await added(owner, new Authenticator(origin))).done.status, 200)
        assert.deepStrictEqual(said((await added(owner, new Authenticator(origin))).done), [409, "too_many_passkeys"])
      })
    })
  )
})
