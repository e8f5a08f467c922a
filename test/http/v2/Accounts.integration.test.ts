/** People sign in, accept invitations by links, and can do what their role allows: over the real storage, on both databases. */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { administer, type AdminRequest } from "../../../src/main/cli/Admin.ts"
import { Access } from "../../../src/domain/operator/Access.ts"
import * as AccessStorage from "../../../src/storage/operators/Access.ts"
import { builtInRoles } from "../../../src/domain/operator/Role.ts"
import { signInKey } from "../../../src/domain/operator/SignIn.ts"
import { fromBase32, hotp, stepAt } from "../../../src/domain/operator/Totp.ts"
import { Secrets } from "../../../src/domain/values/Secrets.ts"
import { Browser, origin } from "../../support/browser.ts"
import { email, founded, joined, password, ports, tokenOf, said } from "../../support/people.ts"
import { forEachDriver } from "../../support/databases.ts"
import { type Answer, type Json, makeOrganisation } from "../../support/restApp.ts"

const actions = async (browser: Browser): Promise<ReadonlyArray<string>> =>
  (await browser.ask("GET", "/audit-log?limit=100")).json.items.map((one: Json) => one.action)

const codeAt = (secret: string, now: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret), stepAt(now))

forEachDriver("Accounts", ports, (it) => {
  it.effect("start with a set-up link that works once, and show who has signed in", () =>
    Effect.gen(function* () {
      const { ask, me, organisationId, owner, address, token, operatorId } = yield* founded
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(me.operator, { id: operatorId, email: address, name: "Ada", locale: "en" })
        assert.deepStrictEqual([me.organisation.id, me.role, me.version], [organisationId, "Owner", "1.2.3"])
        assert.deepStrictEqual(me.permissions, builtInRoles.Owner)
        assert.deepStrictEqual(me.addresses, {
          rest: `${origin}/cpo/v2`,
          ocpp: "wss://cpo.example/ocpp",
          ocpi: `${origin}/ocpi/versions`
        })
        const again = await owner.post("/set-up", { token, email: email("eve"), name: "Eve", password })
        assert.deepStrictEqual(said(again), [409, "link_void"])
        const browser = new Browser(ask)
        const signedIn = await browser.post("/sign-ins", { email: address.toUpperCase(), password })
        assert.deepStrictEqual([signedIn.status, signedIn.json.operator.id], [201, operatorId])
        const cookie = browser.set.find((line) => line.startsWith("__Host-voltlane="))
        assert.match(
          cookie ?? "",
          /^__Host-voltlane=[0-9A-Za-z]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/
        )
        assert.strictEqual((await browser.ask("GET", "/sites")).status, 200)
        const listed = await browser.ask("GET", "/sign-ins")
        assert.deepStrictEqual(
          listed.json.items.map((one: Json) => one.current),
          [true, false]
        )
      })
    })
  )

  it.effect("answer alike for a wrong password, an unknown address and an account without a password", () =>
    Effect.gen(function* () {
      const { address, ask, key } = yield* founded
      const bare = yield* makeOrganisation()
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ email: string }>`
        SELECT p.email FROM operator p JOIN membership m ON m.operator_id = p.id WHERE m.organisation_id = ${bare.organisationId}`
      yield* Effect.promise(async () => {
        const texts = []
        for (const known of [address, email("unknown"), row?.email]) {
          const answer = await new Browser(ask).post("/sign-ins", { email: known, password: "not the right one" })
          assert.strictEqual(answer.headers.getSetCookie().length, 0)
          texts.push([answer.status, answer.text])
        }
        assert.deepStrictEqual([texts[1], texts[2]], [texts[0], texts[0]])
        assert.strictEqual(texts[0]?.[0], 401)
        assert.deepStrictEqual(said(await ask("GET", "/cpo/v2/me", { key })), [200, undefined])
      })
    })
  )

  it.effect("delay an attacker who guesses passwords, but not the owner on a device that signed in before", () =>
    Effect.gen(function* () {
      const { address, ask, owner, operatorId } = yield* founded
      yield* Effect.promise(async () => {
        const guess = (network: string, known = address) =>
          new Browser(ask).ask("POST", "/sign-ins", {
            body: { email: known, password: "a guess of a stranger" },
            headers: { "x-test-network": network }
          })
        for (let n = 0; n < 5; n++) assert.strictEqual((await guess("198.51.100.0/24")).status, 401)
        /** The answer to a request while the attacker is delayed, however slow the machine is: each failure doubles the delay. */
        const whileDelayed = async (ask_: () => Promise<Answer>): Promise<Answer> => {
          for (;;) {
            // Taken before the guess: the delay counts from when the service received it, and the answer takes time too.
            const since = performance.now()
            const refused = await guess("198.51.100.0/24")
            // Too many attempts at once from one network are also answered 429, but do not delay a right password.
            if (said(refused)[1] !== "sign_in_delayed") continue
            // All seconds of the delay but the last are whole ones. With too few of them, the request might arrive after the delay and change it.
            const wholeSeconds = Number(refused.headers.get("retry-after")) - 1
            if (wholeSeconds < 3) {
              await sleep(100)
              continue
            }
            const answer = await ask_()
            if (performance.now() - since < wholeSeconds * 1000) return answer
          }
        }
        const delayed = await whileDelayed(() => guess("198.51.100.0/24"))
        assert.deepStrictEqual(said(delayed), [429, "sign_in_delayed"])
        assert.isAtLeast(Number(delayed.headers.get("retry-after")), 1)
        assert.strictEqual((await whileDelayed(() => guess("203.0.113.0/24"))).status, 401)
        // From the attacker's own network, on the known device.
        const headers = { "x-test-network": "198.51.100.0/24" }
        const right = { body: { email: address, password }, headers }
        assert.strictEqual((await whileDelayed(() => owner.ask("POST", "/sign-ins", right))).status, 201)
        const device = owner.cookies.get("__Host-voltlane-device") ?? ""
        const forged = device.replace(/.$/, (end) => (end === "0" ? "1" : "0"))
        /** From a device that never signed in. A correct password would make the device known, so each attempt uses a new one. */
        const other = () => {
          const browser = new Browser(ask)
          browser.cookies.set("__Host-voltlane-device", forged)
          return browser.ask("POST", "/sign-ins", right)
        }
        assert.strictEqual((await whileDelayed(other)).status, 429)
        const log = await owner.ask("GET", `/audit-log?subject=operator:${operatorId}`)
        const refused = log.json.items.findLast((one: Json) => one.action === "SignInsRefused")
        assert.deepStrictEqual(refused?.after, { operatorId, failures: 5, network: "198.51.100.0/24" })
      })
    })
  )

  it.effect("hold up no other request while a password is checked, also with an Idempotency-Key", () =>
    Effect.gen(function* () {
      const secrets = yield* Secrets
      for (const path of ["/me/totp", "/me/passkeys/options"]) {
        const reached = yield* Deferred.make<void>()
        const open = yield* Deferred.make<void>()
        const verifyPassword: Secrets["Service"]["verifyPassword"] = (...given) =>
          Deferred.succeed(reached, undefined).pipe(
            Effect.andThen(Deferred.await(open)),
            Effect.andThen(secrets.verifyPassword(...given))
          )
        const { ask, key, owner } = yield* Effect.provideService(founded, Secrets, { ...secrets, verifyPassword })
        const headers = { "idempotency-key": "once" }
        const asking = yield* Effect.forkChild(
          Effect.promise(() => owner.ask("POST", path, { body: { password }, headers }))
        )
        yield* Deferred.await(reached)
        const other = yield* Effect.timeoutOption(
          Effect.promise(() => ask("GET", "/cpo/v2/sites", { key })),
          "10 seconds"
        )
        yield* Deferred.succeed(open, undefined)
        const first = yield* Fiber.join(asking)
        assert.deepStrictEqual([path, first.status, Option.getOrUndefined(other)?.status], [path, 201, 200])
        const again = yield* Effect.promise(() => owner.ask("POST", path, { body: { password }, headers }))
        assert.deepStrictEqual([again.status, again.text], [201, first.text])
      }
    })
  )

  it.effect("have the fifth wrong password and every wrong code in the audit log, also with Idempotency-Keys", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const noted = async (action = "SignInsRefused"): Promise<ReadonlyArray<number>> => {
          const { items } = (await own.owner.ask("GET", `/audit-log?action=${action}`)).json
          return items.map(({ after }: Json) => after.failures)
        }
        const { secret } = (await own.owner.post("/me/totp", { password })).json
        const five = async (path: string, body: object) => {
          for (let n = 0; n < 5; n++) {
            const headers = { "idempotency-key": `${path} ${n}` }
            assert.strictEqual((await own.owner.ask("POST", path, { body, headers })).status, 401)
          }
        }
        await five("/me/totp", { password: "a guess of a stranger" })
        // The failures are noted in the background.
        for (let n = 0; n < 100 && (await noted()).length < 1; n++) await sleep(50)
        assert.deepStrictEqual(await noted(), [5])
        const code = codeAt(secret, Date.now())
        assert.strictEqual((await own.owner.ask("PUT", "/me/totp", { body: { enabled: true, code } })).status, 200)
        await five("/me/recovery-codes", { code: "000000" })
        assert.deepStrictEqual((await noted("SecondFactorRefused")).toSorted(), [1, 2, 3, 4, 5])
        assert.deepStrictEqual(await noted(), [5])
      })
    })
  )

  it.effect("refuse every change that a page of another site requests", () =>
    Effect.gen(function* () {
      const { ask, key, owner } = yield* founded
      yield* Effect.promise(async () => {
        const send = (headers: Record<string, string>, more: object = {}) =>
          ask("POST", "/cpo/v2/sites", {
            body: { name: "Site" },
            headers: { cookie: owner.header, ...headers },
            ...more
          })
        for (const headers of [
          {},
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { "sec-fetch-site": "none" },
          { "sec-fetch-site": "cross-site", origin },
          { origin: "https://evil.example" },
          { origin: "null" },
          { origin: "http://cpo.example" }
        ]) {
          assert.deepStrictEqual([headers, ...said(await send(headers))], [headers, 403, "cross_origin"])
        }
        const form = { "sec-fetch-site": "same-origin", "content-type": "text/plain" }
        assert.strictEqual((await send(form)).status, 415)
        assert.strictEqual((await send({ origin })).status, 200)
        assert.strictEqual((await send({ "sec-fetch-site": "same-origin" })).status, 200)
        // No browser sends a key by itself. Where a request has both a key and a cookie, only the key counts.
        assert.strictEqual((await send({}, { key })).status, 200)
        assert.deepStrictEqual(said(await send({ "sec-fetch-site": "same-origin" }, { key: "wrong" })), [
          401,
          "unauthorized"
        ])
        const login = { email: "a@example.com", password: "whatever it may be" }
        const theirs = await ask("POST", "/cpo/v2/sign-ins", {
          body: login,
          headers: { "sec-fetch-site": "cross-site" }
        })
        assert.deepStrictEqual(said(theirs), [403, "cross_origin"])
        assert.strictEqual((await ask("GET", "/cpo/v2/sites", { headers: { cookie: owner.header } })).status, 200)
      })
    })
  )

  it.effect("end their sign-ins by signing out, by time, by ending all others, and by a new password", () =>
    Effect.gen(function* () {
      const { address, ask, owner } = yield* founded
      const sql = yield* SqlClient.SqlClient
      const status = (browser: Browser) => browser.ask("GET", "/me").then((answer) => answer.status)
      const another = async () => {
        const browser = new Browser(ask)
        const { json } = await browser.post("/sign-ins", { email: address, password })
        assert.strictEqual(json.operator.email, address)
        return browser
      }
      const out = yield* Effect.promise(another)
      const idle = yield* Effect.promise(another)
      const old = yield* Effect.promise(another)
      const ids = yield* sql<{ id: string }>`SELECT id FROM sign_in ORDER BY created_at DESC, id DESC LIMIT 2`
      yield* sql`UPDATE sign_in SET seen_at = now() - interval '12 hours 1 minute' WHERE id = ${ids[1]!.id}`
      yield* sql`UPDATE sign_in SET created_at = now() - interval '7 days 1 minute' WHERE id = ${ids[0]!.id}`
      yield* Effect.promise(async () => {
        assert.deepStrictEqual([await status(idle), await status(old), await status(out)], [401, 401, 200])
        const kept = out.header
        assert.strictEqual((await out.ask("DELETE", "/sign-ins/current")).status, 204)
        assert.strictEqual(out.cookies.has("__Host-voltlane"), false)
        assert.strictEqual((await ask("GET", "/cpo/v2/me", { headers: { cookie: kept } })).status, 401)
        const second = await another()
        assert.strictEqual((await second.ask("DELETE", "/sign-ins")).status, 204)
        assert.deepStrictEqual([await status(second), await status(owner)], [200, 401])
        const third = await another()
        const before = second.header
        const wrong = await second.ask("PUT", "/me/password", {
          body: { currentPassword: "not the one it is", newPassword: "another tram over ten hills" }
        })
        assert.strictEqual(wrong.status, 401)
        const weak = await second.ask("PUT", "/me/password", {
          body: { currentPassword: password, newPassword: "Password1234!" }
        })
        assert.deepStrictEqual([weak.status, weak.json.errors[0].pointer], [400, "/newPassword"])
        const changed = await second.ask("PUT", "/me/password", {
          body: { currentPassword: password, newPassword: "another tram over ten hills" }
        })
        assert.strictEqual(changed.status, 200, changed.text)
        assert.deepStrictEqual([await status(second), await status(third)], [200, 401])
        assert.strictEqual((await ask("GET", "/cpo/v2/me", { headers: { cookie: before } })).status, 401)
        const log = await actions(second)
        for (const wanted of ["SignedIn", "SignInEnded", "PasswordChanged"]) assert.include(log, wanted)
      })
    })
  )

  it.effect("stay signed in while in use: each request is recorded, at the latest when the service closes", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const sql = yield* SqlClient.SqlClient
      const { items } = (yield* Effect.promise(() => own.owner.ask("GET", "/sign-ins"))).json
      const { id } = items[0]
      const used = Date.now() + 60_000
      yield* Effect.gen(function* () {
        const access = yield* Access
        access.used(signInKey(id), used)
      }).pipe(Effect.provide(Layer.fresh(AccessStorage.layer)))
      const [row] = yield* sql<{ at: Date }>`SELECT seen_at AS at FROM sign_in WHERE id = ${id}`
      assert.strictEqual(row?.at.getTime(), used)
    })
  )

  it.effect("get a new password by a reset, which ends their sign-ins", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const { address, browser, id } = await joined(own, "Support")
        const first = await own.owner.post(`/operators/${id}/reset`, {})
        const second = await own.owner.post(`/operators/${id}/reset`, {})
        const use = (link: string, next: string) =>
          new Browser(own.ask).post("/invitations/accept", { token: tokenOf(link), password: next })
        assert.deepStrictEqual(said(await use(first.json.link, "green lamp under blue stairs")), [409, "link_void"])
        assert.strictEqual((await use(second.json.link, "qwertyuiop12")).status, 400)
        const done = await use(second.json.link, "green lamp under blue stairs")
        assert.deepStrictEqual([done.status, done.json.operator.email], [201, address])
        assert.strictEqual((await browser.ask("GET", "/me")).status, 401)
        assert.strictEqual((await new Browser(own.ask).post("/sign-ins", { email: address, password })).status, 401)
      })
    })
  )

  it.effect("accept each code of a second factor once, and recovery codes in its place", () =>
    Effect.gen(function* () {
      const { address, ask, owner } = yield* founded
      const sql = yield* SqlClient.SqlClient
      const enrolled = yield* Effect.promise(async () => {
        const begun = await owner.post("/me/totp", { password })
        assert.match(begun.json.uri, /^otpauth:\/\/totp\/Voltlane:ada-.*secret=[A-Z2-7]{32}&issuer=Voltlane/)
        const wrong = await owner.ask("PUT", "/me/totp", { body: { enabled: true, code: "000000" } })
        assert.deepStrictEqual(said(wrong), [401, "second_factor_refused"])
        const before = owner.cookies.get("__Host-voltlane")
        const code = codeAt(begun.json.secret, Date.now() - 30_000)
        const on = await owner.ask("PUT", "/me/totp", { body: { enabled: true, code } })
        assert.strictEqual(on.json.recoveryCodes?.length, 10, on.text)
        assert.notStrictEqual(owner.cookies.get("__Host-voltlane"), before)
        const signIn = (given?: string) =>
          new Browser(ask).post("/sign-ins", {
            email: address,
            password,
            ...(given === undefined ? {} : { code: given })
          })
        assert.deepStrictEqual(said(await signIn()), [401, "second_factor_required"])
        assert.deepStrictEqual(said(await signIn(code)), [401, "second_factor_refused"])
        const next = codeAt(begun.json.secret, Date.now() + 30_000)
        const both = await Promise.all([signIn(next), signIn(next)])
        assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [201, 401])
        const [recovery] = on.json.recoveryCodes
        const recovered = await signIn(String(recovery).toUpperCase().replaceAll("-", " "))
        assert.strictEqual(recovered.status, 201, recovered.text)
        const { wrongCodes, ...state } = recovered.json.secondFactor
        assert.deepStrictEqual(state, { enrolled: true, used: true, required: false, recoveryCodesLeft: 9 })
        // The used codes were wrong ones, outside of the browser that set up the app.
        assert.include([1, 2], wrongCodes.count)
        assert.strictEqual(wrongCodes.lastNetwork, "192.0.2.0/24")
        assert.strictEqual((await signIn(recovery)).status, 401)
        return { codes: on.json.recoveryCodes as ReadonlyArray<string>, secret: String(begun.json.secret) }
      })
      // The secret is stored sealed and the codes as hashes.
      const [row] = yield* sql<{ text: string }>`
        SELECT concat(p::text, (SELECT string_agg(c::text, ' ') FROM recovery_code c)) AS text FROM operator p WHERE p.email = ${address}`
      for (const secret of [enrolled.secret, ...enrolled.codes]) assert.notInclude(row?.text ?? secret, secret)
      const required = yield* Effect.promise(() =>
        owner.ask("PATCH", "/organisation", { body: { requireSecondFactor: true } })
      )
      assert.strictEqual(required.json.requireSecondFactor, true)
      yield* Effect.promise(async () => {
        assert.strictEqual((await owner.ask("GET", "/sites")).status, 200)
        const off = await owner.ask("PUT", "/me/totp", { body: { enabled: false, code: enrolled.codes[1] } })
        assert.strictEqual(off.status, 200, off.text)
        const plain = new Browser(ask)
        const me = await plain.post("/sign-ins", { email: address, password })
        assert.deepStrictEqual([me.status, me.json.permissions, me.json.secondFactor.required], [201, [], true])
        assert.strictEqual((await plain.ask("GET", "/sites")).status, 403)
        const begun = await plain.post("/me/totp", { password })
        const body = { enabled: true, code: codeAt(begun.json.secret, Date.now()) }
        assert.strictEqual((await plain.ask("PUT", "/me/totp", { body })).status, 200)
        assert.strictEqual((await plain.ask("GET", "/sites")).status, 200)
        const log = await actions(plain)
        for (const wanted of ["SecondFactorSet", "SecondFactorRemoved"]) assert.include(log, wanted)
      })
    })
  )

  it.effect("lose their sign-ins and open streams when the operator is disabled or signs out elsewhere", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const { address, browser, id } = await joined(own, "Viewer")
        const stream = (from: Browser) => from.ask("GET", "/events", { headers: { accept: "text/event-stream" } })
        const other = new Browser(own.ask)
        await other.post("/sign-ins", { email: address, password })
        const [ending, staying] = [stream(browser), stream(own.owner)]
        assert.strictEqual((await other.ask("DELETE", "/sign-ins")).status, 204)
        assert.match((await ending).text, /^retry: 2000\n: connected/)
        const last = stream(other)
        await own.owner.ask("PATCH", `/operators/${id}`, { body: { state: "Disabled" } })
        assert.strictEqual((await last).status, 200)
        assert.strictEqual((await other.ask("GET", "/me")).status, 401)
        assert.deepStrictEqual(said(await new Browser(own.ask).post("/sign-ins", { email: address, password })), [
          401,
          "sign_in_refused"
        ])
        // The stream of another operator stays open.
        const still = await Promise.race([staying.then(() => "ended"), own.owner.ask("GET", "/me").then(() => "open")])
        assert.strictEqual(still, "open")
        await own.owner.ask("DELETE", "/sign-ins/current")
        await staying
      })
    })
  )

  it.effect("can be recovered on the command line by a link for a new password or by a new owner", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const [organisation] = yield* Effect.promise(() =>
        own.owner.ask("GET", "/organisation").then(({ json }) => [json])
      )
      const party = `NL-${organisation.partyId}`
      const asked = (request: AdminRequest) => administer(request, `${origin}/`)
      const { out } = yield* asked({ ask: "operators link", user: "me", email: own.address.toUpperCase() })
      assert.match(out[0] ?? "", /^https:\/\/cpo\.example\/invitation#[0-9A-Za-z]{43}$/)
      const address = email("new-owner")
      const added = yield* asked({ ask: "operators add-owner", user: "me", organisation: party, email: address })
      const unknown = yield* Effect.flip(asked({ ask: "operators link", user: "me", email: email("unknown") }))
      assert.include(unknown.message, "there is no active operator")
      const second = new Browser(own.ask)
      yield* Effect.promise(async () => {
        const next = "green lamp under blue stairs"
        const back = await new Browser(own.ask).post("/invitations/accept", {
          token: tokenOf(out[0] ?? ""),
          password: next
        })
        assert.deepStrictEqual([back.status, back.json.operator.id], [201, own.operatorId])
        assert.strictEqual((await own.owner.ask("GET", "/me")).status, 401)
        const token = tokenOf(added.out[0] ?? "")
        const joining = await second.post("/invitations/accept", { token, name: "Cy", password })
        assert.deepStrictEqual([joining.status, joining.json.role], [201, "Owner"])
        await second.ask("PATCH", `/operators/${own.operatorId}`, { body: { state: "Disabled" } })
      })
      // A disabled operator is enabled again.
      const again = yield* asked({ ask: "operators add-owner", user: "me", organisation: party, email: own.address })
      assert.deepStrictEqual([again.out, again.note.length], [[], 1])
      yield* Effect.promise(async () => {
        const { json } = await second.ask("GET", `/operators/${own.operatorId}`)
        assert.deepStrictEqual([json.state, json.role.id], ["Active", "Owner"])
        const actors = (await second.ask("GET", "/audit-log?limit=100")).json.items.map((one: Json) => one.actor)
        assert.include(actors, "command-line:me")
      })
    })
  )

  it.effect("are visible to their own organisation only", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const other = yield* founded
      yield* Effect.promise(async () => {
        const role = (await own.owner.post("/roles", { name: "Ours", permissions: [] })).json
        const invited = (await own.owner.post("/invitations", { email: email("cy"), roleId: role.id })).json
        const { browser } = await joined(own, "Owner")
        const mine = (await browser.ask("GET", "/sign-ins")).json.items[0]
        const asked: ReadonlyArray<readonly [string, string, object?]> = [
          ["GET", `/operators/${own.operatorId}`],
          ["PATCH", `/operators/${own.operatorId}`, { name: "Eve" }],
          ["POST", `/operators/${own.operatorId}/reset`, {}],
          ["GET", `/roles/${role.id}`],
          ["PATCH", `/roles/${role.id}`, { name: "Theirs" }],
          ["DELETE", `/roles/${role.id}`],
          ["POST", "/invitations", { email: email("dee"), roleId: role.id }],
          ["DELETE", `/invitations/${invited.id}`],
          ["DELETE", `/sign-ins/${mine.id}`]
        ]
        for (const [method, path, body] of asked) {
          const answer = await other.owner.ask(method, path, body === undefined ? {} : { body })
          assert.deepStrictEqual([method, path, answer.status], [method, path, 404])
        }
        for (const path of ["/operators", "/roles", "/invitations"]) {
          const { text } = await other.owner.ask("GET", path)
          for (const id of [own.operatorId, role.id, invited.id]) assert.notInclude(text, id)
        }
        assert.strictEqual((await browser.ask("GET", "/me")).status, 200)
        assert.notInclude((await own.owner.ask("GET", "/audit-log?limit=100")).text, tokenOf(invited.link))
      })
    })
  )
})
