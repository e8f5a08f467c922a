/**
 * What a sign-in cookie is worth to an attacker: one that was planted in a browser before the victim signed in, and one that was copied from the
 * victim and is sent after the sign-in has ended. Over the real storage, on both databases.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Context } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { fromBase32, hotp, stepAt } from "../../../src/domain/operator/Totp.ts"
import { Api } from "../../../src/http/v2/Api.ts"
import { Open } from "../../../src/http/v2/requests/Middleware.ts"
import { Authenticator } from "../../support/authenticator.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { founded, type Founded, joined, password, ports, tokenOf } from "../../support/people.ts"
import type { Answer, Json } from "../../support/restApp.ts"

const cookieName = "__Host-voltlane"
const made43 = "Pl4ntedByAStrangerBeforeTheOwnerSignedIn000"
const newPassword = "green lamp under blue stairs"

const codeAt = (secret: string, now: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret), stepAt(now))

/** Whose cookie it is: an address, or the status of the refusal. */
const whoIs = async ({ ask }: Founded, cookie: string): Promise<unknown> => {
  const { json, status } = await ask("GET", "/cpo/v2/me", { headers: { cookie: `${cookieName}=${cookie}` } })
  return status === 200 ? json.operator.email : status
}

/** A browser in which an attacker has planted a sign-in cookie. */
const planted = ({ ask }: Founded, cookie: string): Browser => {
  const browser = new Browser(ask)
  browser.cookies.set(cookieName, cookie)
  return browser
}

const held = (browser: Browser): string => browser.cookies.get(cookieName) ?? ""

/** Every way in which a person signs in, in a given browser. */
const waysIn = (own: Founded): Readonly<Record<string, (browser: Browser) => Promise<readonly [Answer, string]>>> => ({
  "by a password": async (browser) => [await browser.post("/sign-ins", { email: own.address, password }), own.address],
  "by an invitation": async (browser) => {
    const address = `invited-${crypto.randomUUID()}@example.com`
    const { json } = await own.owner.post("/invitations", { email: address, roleId: "Viewer" })
    return [await browser.post("/invitations/accept", { token: tokenOf(json.link), name: "Cy", password }), address]
  },
  "by the link of a reset": async (browser) => {
    const { address, id } = await joined(own, "Viewer")
    const { json } = await own.owner.post(`/operators/${id}/reset`, {})
    const body = { token: tokenOf(json.link), password: newPassword }
    return [await browser.post("/invitations/accept", body), address]
  },
  "by a passkey": async (browser) => {
    const { address, browser: theirs } = await joined(own, "Viewer")
    const device = new Authenticator(origin)
    const begun = await theirs.post("/me/passkeys/options", { password })
    const key = device.create(begun.json)
    const put = await theirs.ask("PUT", `/me/passkeys/${key.id}`, { body: { name: "Mine", response: key.response } })
    assert.strictEqual(put.status, 200, put.text)
    const challenge = await browser.post("/sign-ins/passkey-challenges", {})
    return [await browser.post("/sign-ins/passkeys", { credential: device.get(challenge.json) }), address]
  }
})

/** Every operation that requires a caller. */
const guarded: Array<{ readonly method: string; readonly path: string }> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { annotations, method, path } }) => {
    if (!Context.get(annotations, Open)) guarded.push({ method, path })
  }
})

const anId = "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d07"

/** What the guarded operations answer with a cookie if it is not 401. */
const answeredOtherwise = async ({ ask }: Founded, cookie: string): Promise<ReadonlyArray<unknown>> => {
  const found: Array<unknown> = []
  for (const { method, path } of guarded) {
    const { status } = await ask(method, path.replaceAll(/:\w+/g, anId).replace(/^(?!\/cpo)/, "/cpo"), {
      headers: { cookie: `${cookieName}=${cookie}`, "sec-fetch-site": "same-origin" },
      ...(method === "GET" || method === "DELETE" ? {} : { body: {} })
    })
    if (status !== 401) found.push([method, path, status])
  }
  return found
}

/** Waits until requests up to this time are stored, which happens some seconds later, so that none makes a sign-in look younger afterwards. */
const notedUntil = (operatorId: string, at: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = sql<{ at: Date }>`SELECT max(seen_at) AS at FROM sign_in WHERE operator_id = ${operatorId}`
    while (((yield* rows)[0]?.at.getTime() ?? 0) < at)
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
  })

forEachDriver("The cookie of a sign-in", ports, (it) => {
  it.effect("that was planted before is never used for the person who signs in, by whichever way", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const stranger = await joined(own, "Viewer")
        for (const [way, come] of Object.entries(waysIn(own))) {
          for (const cookie of [made43, held(stranger.browser)]) {
            const browser = planted(own, cookie)
            const [answer, address] = await come(browser)
            assert.deepStrictEqual([way, answer.status, answer.json.operator?.email], [way, 201, address])
            assert.notStrictEqual(held(browser), cookie)
            assert.deepStrictEqual([way, await whoIs(own, held(browser))], [way, address])
            // The planted cookie still belongs to the attacker, or to no one.
            const theirs = cookie === made43 ? 401 : stranger.address
            assert.deepStrictEqual([way, await whoIs(own, cookie)], [way, theirs])
          }
        }
      })
    })
  )

  it.effect("is replaced after each second factor, new password, passkey and change of organisation", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const other = yield* founded
      const sql = yield* SqlClient.SqlClient
      const person = yield* Effect.promise(() => joined(own, "Viewer"))
      const { address, browser } = person
      const secret = yield* Effect.promise(async () =>
        String((await browser.post("/me/totp", { password })).json.secret)
      )
      const device = new Authenticator(origin)
      const changes: ReadonlyArray<readonly [string, () => Promise<Answer>]> = [
        [
          "a second factor",
          () => browser.ask("PUT", "/me/totp", { body: { enabled: true, code: codeAt(secret, Date.now() - 30_000) } })
        ],
        [
          "a second factor that is shown again",
          () => browser.ask("PUT", "/me/second-factor", { body: { code: codeAt(secret, Date.now()) } })
        ],
        [
          "a new password",
          () => browser.ask("PUT", "/me/password", { body: { currentPassword: password, newPassword } })
        ],
        [
          "another organisation",
          async () => {
            const invited = await other.owner.post("/invitations", { email: address, roleId: "Viewer" })
            const body = {
              token: tokenOf(invited.json.link),
              password: newPassword,
              code: codeAt(secret, Date.now() + 30_000)
            }
            const there = await new Browser(own.ask).post("/invitations/accept", body)
            assert.strictEqual(there.status, 201, there.text)
            return browser.ask("PUT", "/me/organisation", { body: { organisationId: other.me.organisation.id } })
          }
        ],
        [
          "a passkey",
          async () => {
            const begun = await browser.post("/me/passkeys/options", { password: newPassword })
            const key = device.create(begun.json)
            return browser.ask("PUT", `/me/passkeys/${key.id}`, { body: { name: "Mine", response: key.response } })
          }
        ]
      ]
      for (const [what, change] of changes) {
        const before = held(browser)
        const answer = yield* Effect.promise(change)
        assert.deepStrictEqual([what, answer.status], [what, 200], answer.text)
        assert.notStrictEqual(held(browser), before, what)
        const who = yield* Effect.promise(() => Promise.all([whoIs(own, before), whoIs(own, held(browser))]))
        assert.deepStrictEqual([what, ...who], [what, 401, address])
      }
      const [row] = yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM sign_in WHERE operator_id = ${person.id}`
      // One has existed all the time, the other comes from the invitation.
      assert.strictEqual(row?.n, 2)
    })
  )

  it.effect("that was copied is refused by every operation after the sign-in has ended, by whichever way", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const sql = yield* SqlClient.SqlClient
      const ends: Readonly<
        Record<string, (one: Awaited<ReturnType<typeof joined>>) => Promise<Answer> | Effect.Effect<unknown, unknown>>
      > = {
        "by signing out": ({ browser }) => browser.ask("DELETE", "/sign-ins/current"),
        "by a new password on another device": async ({ address }) => {
          const elsewhere = new Browser(own.ask)
          await elsewhere.post("/sign-ins", { email: address, password })
          return elsewhere.ask("PUT", "/me/password", { body: { currentPassword: password, newPassword } })
        },
        "by a reset": async ({ id }) => {
          const { json } = await own.owner.post(`/operators/${id}/reset`, {})
          return new Browser(own.ask).post("/invitations/accept", { token: tokenOf(json.link), password: newPassword })
        },
        "from the list of another device": async ({ address, browser }) => {
          const elsewhere = new Browser(own.ask)
          await elsewhere.post("/sign-ins", { email: address, password })
          const { items } = (await browser.ask("GET", "/sign-ins")).json
          return elsewhere.ask("DELETE", `/sign-ins/${items.find((one: Json) => one.current).id}`)
        },
        "by the owner, who disables the person": ({ id }) =>
          own.owner.ask("PATCH", `/operators/${id}`, { body: { state: "Disabled" } }),
        "by idleness": ({ id }) =>
          sql`UPDATE sign_in SET seen_at = now() - interval '12 hours' WHERE operator_id = ${id}`,
        "by age": ({ id }) => sql`UPDATE sign_in SET created_at = now() - interval '7 days' WHERE operator_id = ${id}`
      }
      assert.isAbove(guarded.length, 100)
      for (const [how, end] of Object.entries(ends)) {
        const person = yield* Effect.promise(() => joined(own, "Owner"))
        const stolen = held(person.browser)
        const used = Date.now()
        assert.deepStrictEqual([how, yield* Effect.promise(() => whoIs(own, stolen))], [how, person.address])
        if (how === "by idleness") yield* notedUntil(person.id, used)
        const ended = end(person)
        if (Effect.isEffect(ended)) yield* ended
        else {
          const { status } = yield* Effect.promise(() => ended)
          assert.isBelow(status, 300, how)
        }
        assert.deepStrictEqual([how, yield* Effect.promise(() => answeredOtherwise(own, stolen))], [how, []])
      }
    })
  )

  it.effect("expires after 12 hours without use or 7 days in all, together with its stream", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const sql = yield* SqlClient.SqlClient
      const { browser, id } = yield* Effect.promise(() => joined(own, "Viewer"))
      const cookie = held(browser)
      const status = Effect.promise(async () => typeof (await whoIs(own, cookie)) === "string")
      for (const [column, before, after] of [
        ["seen_at", "11 hours 59 minutes", "12 hours"],
        ["created_at", "6 days 23 hours 59 minutes", "7 days"]
      ] as const) {
        const set = (ago: string) =>
          sql`UPDATE sign_in SET created_at = now(), seen_at = now() WHERE operator_id = ${id}`.pipe(
            Effect.andThen(sql`UPDATE sign_in SET ${sql(column)} = now() - ${ago}::interval WHERE operator_id = ${id}`)
          )
        yield* set(before)
        assert.deepStrictEqual([column, before, yield* status], [column, before, true])
        const stream = browser.ask("GET", "/events", { headers: { accept: "text/event-stream" } })
        // The stream is open by the time this person has joined.
        const { id: another } = yield* Effect.promise(() => joined(own, "Viewer"))
        const used = Date.now()
        yield* status
        yield* notedUntil(id, used)
        yield* set(after)
        assert.deepStrictEqual([column, after, yield* status], [column, after, false])
        // A stream checks its rights every 15 s, and here at once, because the rights of another person change.
        const changed = yield* Effect.promise(() =>
          own.owner.ask("PATCH", `/operators/${another}`, { body: { removals: ["sites:read"] } })
        )
        assert.strictEqual(changed.status, 200, changed.text)
        assert.strictEqual((yield* Effect.promise(() => stream)).status, 200)
      }
    })
  )
})
