/** People with a second factor must show it again before dangerous operations: over the real storage, on both databases. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { fromBase32, hotp, stepAt } from "../../../src/domain/operator/Totp.ts"
import { Authenticator } from "../../support/authenticator.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { founded, joined, password, ports } from "../../support/people.ts"
import type { Answer } from "../../support/restApp.ts"

const said = ({ json, status }: Answer): ReadonlyArray<unknown> => [status, json?.code]
const stale = [403, "second_factor_stale"]
const created = [201, undefined]
const newKey = (browser: Browser) => browser.post("/api-keys", { name: "Script" })

const codeAt = (secret: string, now: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret), stepAt(now))

/** Moves the time at which a second factor was last shown into the past. */
const age = (operatorId: string, minutes: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`UPDATE sign_in SET factor_at = ${new Date(Date.now() - minutes * 60_000)} WHERE operator_id = ${operatorId} AND factor_at IS NOT NULL`
  )

const enrolled = (browser: Browser) =>
  Effect.promise(async () => {
    const { secret } = (await browser.post("/me/totp", { password })).json
    // Uses the code of the previous step, so that the current one is left for the test.
    const code = codeAt(secret, Date.now() - 30_000)
    const on = await browser.ask("PUT", "/me/totp", { body: { enabled: true, code } })
    assert.strictEqual(on.status, 200, on.text)
    return { secret: String(secret), codes: on.json.recoveryCodes as ReadonlyArray<string> }
  })

forEachDriver("A second factor", ports, (it) => {
  it.effect(
    "is asked for again after 15 minutes, and shown by an app code or a recovery code, each of which works once",
    () =>
      Effect.gen(function* () {
        const { operatorId, owner } = yield* founded
        const { codes, secret } = yield* enrolled(owner)
        yield* age(operatorId, 14)
        assert.deepStrictEqual(said(yield* Effect.promise(() => newKey(owner))), created)
        yield* age(operatorId, 15)
        yield* Effect.promise(async () => {
          assert.deepStrictEqual(said(await newKey(owner)), stale)
          assert.deepStrictEqual(
            said(await owner.post("/command-batches", { command: { type: "ClearCache" }, filter: {} })),
            stale
          )
          assert.strictEqual((await owner.ask("GET", "/api-keys")).status, 200)
          const show = (body: object) => owner.ask("PUT", "/me/second-factor", { body })
          assert.deepStrictEqual(said(await show({})), [400, "invalid_input"])
          assert.deepStrictEqual(said(await show({ code: "000000" })), [401, "second_factor_refused"])
          assert.deepStrictEqual(said(await newKey(owner)), stale)
          const before = owner.header
          const code = codeAt(secret, Date.now())
          const shown = await show({ code })
          assert.deepStrictEqual([shown.status, shown.json.operator.id], [200, operatorId])
          assert.notStrictEqual(owner.header, before)
          assert.deepStrictEqual(said(await newKey(owner)), created)
          assert.deepStrictEqual(said(await show({ code })), [401, "second_factor_refused"])
        })
        yield* age(operatorId, 60)
        yield* Effect.promise(async () => {
          const show = () => owner.ask("PUT", "/me/second-factor", { body: { code: codes[0] } })
          assert.deepStrictEqual(said(await newKey(owner)), stale)
          assert.strictEqual((await show()).status, 200)
          assert.deepStrictEqual(said(await newKey(owner)), created)
          assert.deepStrictEqual(said(await show()), [401, "second_factor_refused"])
          const { items } = (await owner.ask("GET", "/audit-log?action=SignInRenewed")).json
          assert.isAtLeast(items.length, 3)
        })
      })
  )

  it.effect("is shown by the person's own passkey, and not by another person's", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const { ask, operatorId, owner } = own
      const other = yield* Effect.promise(() => joined(own, "Operations"))
      const devices = yield* Effect.promise(async () => {
        const made = async (browser: Browser) => {
          const device = new Authenticator(origin)
          const { id, response } = device.create((await browser.post("/me/passkeys/options", { password })).json)
          const added = await browser.ask("PUT", `/me/passkeys/${id}`, { body: { name: "Mine", response } })
          assert.strictEqual(added.status, 200, added.text)
          return device
        }
        return { mine: await made(owner), theirs: await made(other.browser) }
      })
      yield* age(operatorId, 20)
      yield* Effect.promise(async () => {
        const show = async (device: Authenticator) => {
          const options = (await new Browser(ask).post("/sign-ins/passkey-challenges", {})).json
          return owner.ask("PUT", "/me/second-factor", { body: { credential: device.get(options) } })
        }
        assert.deepStrictEqual(said(await newKey(owner)), stale)
        assert.deepStrictEqual(said(await show(devices.theirs)), [401, "passkey_refused"])
        assert.deepStrictEqual(said(await newKey(owner)), stale)
        assert.strictEqual((await show(devices.mine)).status, 200)
        assert.deepStrictEqual(said(await newKey(owner)), created)
      })
    })
  )

  it.effect("is not lost by removing the passkeys of a browser that was left unattended", () =>
    Effect.gen(function* () {
      const { operatorId, owner } = yield* founded
      const id = yield* Effect.promise(async () => {
        const device = new Authenticator(origin)
        const made = device.create((await owner.post("/me/passkeys/options", { password })).json)
        const body = { name: "Mine", response: made.response }
        const added = await owner.ask("PUT", `/me/passkeys/${made.id}`, { body })
        assert.strictEqual(added.status, 200, added.text)
        return made.id
      })
      yield* age(operatorId, 20)
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(said(await newKey(owner)), stale)
        assert.deepStrictEqual(said(await owner.ask("DELETE", `/me/passkeys/${id}`)), stale)
        assert.deepStrictEqual(said(await newKey(owner)), stale)
      })
      yield* age(operatorId, 14)
      yield* Effect.promise(async () => {
        assert.strictEqual((await owner.ask("DELETE", `/me/passkeys/${id}`)).status, 204)
      })
    })
  )

  it.effect("is asked for in a sign-in from before it was set up; not for keys, nor for people who have none", () =>
    Effect.gen(function* () {
      const { address, ask, key, owner } = yield* founded
      const before = yield* Effect.promise(async () => {
        const browser = new Browser(ask)
        assert.strictEqual((await browser.post("/sign-ins", { email: address, password })).status, 201)
        assert.deepStrictEqual(said(await newKey(browser)), created)
        return browser
      })
      yield* enrolled(owner)
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(said(await newKey(before)), stale)
        assert.deepStrictEqual(said(await newKey(owner)), created)
        const byKey = await ask("POST", "/cpo/v2/api-keys", { key, body: { name: "By key" } })
        assert.deepStrictEqual(said(byKey), created)
      })
    })
  )
})
