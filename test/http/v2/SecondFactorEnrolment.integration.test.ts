/**
 * A person who has a second factor adds another one only after proving one, and only a proof makes a sign-in stronger: every way to a stronger sign-in
 * is in the table below. Over the real storage, on both databases.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fromBase32, hotp, stepAt } from "../../../src/domain/operator/Totp.ts"
import { Authenticator } from "../../support/authenticator.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { foundedBy, email, founded, password, ports, said, tokenOf } from "../../support/people.ts"
import type { Answer, Ask } from "../../support/restApp.ts"

const stale = [403, "second_factor_stale"]

const codeAt = (secret: string, now: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret), stepAt(now))

/** Begins and ends the enrolment of a passkey; the answer of the step that was refused, or of the last. */
const addPasskey = async (browser: Browser, device = new Authenticator(origin)): Promise<Answer> => {
  const begun = await browser.post("/me/passkeys/options", { password })
  return begun.status === 201 ? putPasskey(browser, device, begun.json) : begun
}

const putPasskey = (browser: Browser, device: Authenticator, options: Answer["json"]): Promise<Answer> => {
  const { id, response } = device.create(options)
  return browser.ask("PUT", `/me/passkeys/${id}`, { body: { name: "Device", response } })
}

const setApp = async (browser: Browser) => {
  const begun = await browser.post("/me/totp", { password })
  if (begun.status !== 201) return { begun, on: begun, secret: "", codes: [] }
  const secret = String(begun.json.secret)
  const on = await browser.ask("PUT", "/me/totp", { body: { enabled: true, code: codeAt(secret, Date.now()) } })
  return { begun, on, secret, codes: (on.json?.recoveryCodes ?? []) as ReadonlyArray<string> }
}

const credentialOf = async (ask: Ask, device: Authenticator) =>
  device.get((await new Browser(ask).post("/sign-ins/passkey-challenges", {})).json)

const signedIn = async (ask: Ask, path: string, body: object): Promise<Browser> => {
  const browser = new Browser(ask)
  const answer = await browser.post(path, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return browser
}

/** Makes all proofs of a person this many minutes old, and lets the app's present code be used again. */
const age = Effect.fnUntraced(function* (operatorId: string, minutes: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE sign_in SET factor_at = ${new Date(Date.now() - minutes * 60_000)}
    WHERE operator_id = ${operatorId} AND factor_at IS NOT NULL`
  yield* sql`UPDATE operator SET totp_step = 0 WHERE id = ${operatorId}`
})

/** How strong the browser's sign-in is, and how many minutes ago its second factor was proved. */
const proofOf = Effect.fnUntraced(function* (browser: Browser) {
  const sql = yield* SqlClient.SqlClient
  const { items } = yield* Effect.promise(async () => (await browser.ask("GET", "/sign-ins")).json)
  const { id } = items.find(({ current }: { readonly current: boolean }) => current)
  const [row] = yield* sql<{ strength: string; at: Date | null }>`
    SELECT strength, factor_at AS at FROM sign_in WHERE id = ${id}`
  const minutes = row?.at === null || row === undefined ? undefined : Math.round((Date.now() - +row.at) / 60_000)
  return [row?.strength, minutes]
})

const now = ["SecondFactor", 0]
const tenAgo = ["SecondFactor", 10]
const never = ["Password", undefined]

forEachDriver("A second factor", ports, (it) => {
  it.effect("is not added, replaced or renewed with the password and the cookie of a person who has one", () =>
    Effect.gen(function* () {
      const { address, ask, operatorId, owner } = yield* founded
      const device = new Authenticator(origin)
      yield* Effect.promise(async () => assert.strictEqual((await addPasskey(owner, device)).status, 200))
      yield* age(operatorId, 20)
      yield* Effect.promise(async () => {
        const thief = await signedIn(ask, "/sign-ins", { email: address, password })
        for (const browser of [thief, owner]) {
          assert.deepStrictEqual(said(await addPasskey(browser)), stale)
          assert.deepStrictEqual(said((await setApp(browser)).begun), stale)
          const change = { currentPassword: password, newPassword: "green lamp under blue stairs" }
          assert.deepStrictEqual(said(await browser.ask("PUT", "/me/password", { body: change })), stale)
          assert.deepStrictEqual(said(await browser.post("/api-keys", { name: "Script" })), stale)
        }
        const body = { credential: await credentialOf(ask, device) }
        assert.strictEqual((await owner.ask("PUT", "/me/second-factor", { body })).status, 200)
        assert.strictEqual((await addPasskey(owner)).status, 200)
        assert.strictEqual((await setApp(owner)).on.status, 200)
      })
    })
  )

  it.effect("is the first one only once: of several that are added at the same moment, the others need it", () =>
    Effect.gen(function* () {
      const { address, ask } = yield* founded
      yield* Effect.promise(async () => {
        const one = async () => {
          const browser = await signedIn(ask, "/sign-ins", { email: address, password })
          return { browser, options: (await browser.post("/me/passkeys/options", { password })).json }
        }
        const ready = [await one(), await one(), await one()]
        const app = await signedIn(ask, "/sign-ins", { email: address, password })
        const { secret } = (await app.post("/me/totp", { password })).json
        const answers = await Promise.all([
          ...ready.map(({ browser, options }) => putPasskey(browser, new Authenticator(origin), options)),
          app.ask("PUT", "/me/totp", { body: { enabled: true, code: codeAt(String(secret), Date.now()) } })
        ])
        assert.deepStrictEqual(answers.map((answer) => said(answer).join(" ").trim()).toSorted(), [
          "200",
          ...Array.from({ length: 3 }, () => stale.join(" "))
        ])
      })
    })
  )

  it.effect("is proved in these ways, and in no other", () =>
    Effect.gen(function* () {
      const { address, ask, operatorId, owner } = yield* founded
      const other = yield* foundedBy(ask, email("eve"))
      const check = Effect.fnUntraced(function* (
        name: string,
        expected: ReadonlyArray<unknown>,
        act: () => Promise<Browser>
      ) {
        yield* age(operatorId, 10)
        const browser = yield* Effect.promise(act)
        assert.deepStrictEqual([name, ...(yield* proofOf(browser))], [name, ...expected])
      })
      const inOwner =
        (act: () => Promise<Answer>, status = 200) =>
        async () => {
          const answer = await act()
          assert.strictEqual(answer.status, status, answer.text)
          return owner
        }
      const device = new Authenticator(origin)
      yield* check("the link of the first start", never, () => Promise.resolve(owner))
      yield* check(
        "the first passkey",
        now,
        inOwner(() => addPasskey(owner, device))
      )
      const passwordOnly = () => signedIn(ask, "/sign-ins", { email: address, password })
      yield* check("a password, where the person has only a passkey", never, passwordOnly)
      yield* check(
        "a further passkey",
        tenAgo,
        inOwner(() => addPasskey(owner))
      )
      const app = { secret: "", codes: [] as ReadonlyArray<string> }
      const setting = async () => {
        const { codes, on, secret } = await setApp(owner)
        Object.assign(app, { codes, secret })
        return on
      }
      yield* check("an app, where the person has a passkey", tenAgo, inOwner(setting))
      const code = () => codeAt(app.secret, Date.now())
      const signIn = (given: string) => signedIn(ask, "/sign-ins", { email: address, password, code: given })
      yield* check("a password and a code of the app", now, () => signIn(code()))
      yield* check("a password and a recovery code", now, () => signIn(app.codes[0] ?? ""))
      yield* check("a passkey", now, async () =>
        signedIn(ask, "/sign-ins/passkeys", { credential: await credentialOf(ask, device) })
      )
      const show = (body: object) => owner.ask("PUT", "/me/second-factor", { body })
      yield* check(
        "a code, again",
        now,
        inOwner(() => show({ code: code() }))
      )
      yield* check(
        "a recovery code, again",
        now,
        inOwner(() => show({ code: app.codes[1] }))
      )
      yield* check(
        "a passkey, again",
        now,
        inOwner(async () => show({ credential: await credentialOf(ask, device) }))
      )
      yield* check("an invitation that is accepted with password and code", now, async () => {
        const { link } = (await other.owner.post("/invitations", { email: address, roleId: "Viewer" })).json
        return signedIn(ask, "/invitations/accept", { token: tokenOf(link), password, code: code() })
      })
      const to = (organisationId: string) => owner.ask("PUT", "/me/organisation", { body: { organisationId } })
      yield* check(
        "another organisation",
        tenAgo,
        inOwner(() => to(other.organisationId))
      )
      yield* check(
        "another name",
        tenAgo,
        inOwner(() => owner.ask("PATCH", "/me", { body: { name: "Ada L." } }))
      )
      const codes = async () => owner.post("/me/recovery-codes", { code: code() })
      yield* check("new recovery codes", tenAgo, inOwner(codes, 201))
      const change = { currentPassword: password, newPassword: "green lamp under blue stairs" }
      yield* check(
        "a new password",
        tenAgo,
        inOwner(() => owner.ask("PUT", "/me/password", { body: change }))
      )
      yield* check(
        "the app switched off",
        tenAgo,
        inOwner(() => owner.ask("PUT", "/me/totp", { body: { enabled: false, code: code() } }))
      )
      const invited = yield* Effect.promise(async () => {
        const { link } = (await other.owner.post("/invitations", { email: email("bo"), roleId: "Viewer" })).json
        return signedIn(ask, "/invitations/accept", { token: tokenOf(link), name: "Bo", password })
      })
      assert.deepStrictEqual(yield* proofOf(invited), never)
      const first = yield* Effect.promise(() => setApp(invited))
      assert.deepStrictEqual([first.on.status, ...(yield* proofOf(invited))], [200, ...now])
    })
  )

  it.effect("makes a sign-in stronger in these files only; a new place needs a line in the table above", () =>
    Effect.sync(() => {
      const folder = `${import.meta.dirname}/../../../src/http/v2/accounts`
      const places = readdirSync(folder).flatMap((file) => {
        const count = (readFileSync(`${folder}/${file}`, "utf8").match(/"SecondFactor"/g) ?? []).length
        return count === 0 ? [] : [`${file}: ${count}`]
      })
      assert.deepStrictEqual(places.toSorted(), [
        // A code or passkey that is shown again, and the first app.
        "Me.ts: 3",
        // Only reads it.
        "MeAnswer.ts: 1",
        // The first passkey, and a sign-in by one.
        "Passkeys.ts: 2",
        // A password with a code, at a sign-in or with an invitation.
        "SigningIn.ts: 1",
        // An identity provider that says so. Such a sign-in cannot change the account: test/http/v2/SingleSignOn.integration.test.ts.
        "SingleSignOn.ts: 1"
      ])
    })
  )
})
