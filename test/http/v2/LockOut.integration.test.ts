/**
 * Guessing a password delays only the guesser: from however many networks the guesses come, the account's owner can sign in, stay signed in, and
 * recover by the command line. Over the real storage, on both databases.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { administer } from "../../../src/main/cli/Admin.ts"
import { fromBase32, hotp, stepAt } from "../../../src/domain/operator/Totp.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { email, founded, type Founded, password, ports, tokenOf } from "../../support/people.ts"
import type { Answer } from "../../support/restApp.ts"

const said = ({ json, status }: Answer): ReadonlyArray<unknown> => [status, json?.code]
const delayed = [429, "sign_in_delayed"]

const codeAt = (secret: string, now: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret), stepAt(now))

/** A sign-in from a network, in a new browser or a given one. */
const signIn = (own: Founded, network: string, body: object = {}, browser = new Browser(own.ask)): Promise<Answer> =>
  browser.ask("POST", "/sign-ins", {
    body: { email: own.address, password, ...body },
    headers: { "x-test-network": network }
  })

/** The answer to a request while an attacker in that network is delayed, however slow the machine is: each failure doubles the delay. */
const whileDelayed = async (
  own: Founded,
  network: string,
  act: () => Promise<Answer>,
  guess: object = { password: "a guess" }
): Promise<Answer> => {
  for (;;) {
    const { headers, status } = await signIn(own, network, guess)
    if (status !== 429 || Number(headers.get("retry-after")) < 4) continue
    const began = performance.now()
    const answer = await act()
    if (performance.now() - began < 2_500) return answer
  }
}

/** A browser without a sign-in, on the device on which the owner signed in. */
const knownDevice = ({ ask, owner }: Founded): Browser => {
  const browser = new Browser(ask)
  browser.cookies.set("__Host-voltlane-device", owner.cookies.get("__Host-voltlane-device") ?? "")
  return browser
}

forEachDriver("Guesses of a password", ports, (it) => {
  it.effect("do not delay the owner in other networks or on devices that signed in before", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const networks = ["198.51.100.0/24", "203.0.113.0/24", "2001:db8:1::/56"]
        for (const network of networks) {
          // In that network, a stranger's correct password is delayed too: otherwise the delay would reveal which password is correct.
          const strangers = await whileDelayed(own, network, () => signIn(own, network))
          assert.deepStrictEqual(said(strangers), delayed)
          const known = await whileDelayed(own, network, () => signIn(own, network, {}, knownDevice(own)))
          assert.strictEqual(known.status, 201, known.text)
        }
        const last = networks[2]!
        const elsewhere = await whileDelayed(own, last, () => signIn(own, "192.0.2.0/24"))
        assert.strictEqual(elsewhere.status, 201, elsewhere.text)
        // Other accounts in the same network are not delayed.
        const other = { email: email("other") }
        assert.strictEqual((await whileDelayed(own, last, () => signIn(own, last, other))).status, 401)
      })
    })
  )

  it.effect("do not affect an open sign-in, nor a password change in it", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const headers = { "x-test-network": "192.0.2.0/24" }
        const read = await whileDelayed(own, "192.0.2.0/24", () => own.owner.ask("GET", "/me", { headers }))
        assert.strictEqual(read.status, 200)
        const body = { currentPassword: password, newPassword: "green lamp under blue stairs" }
        const changed = await whileDelayed(own, "192.0.2.0/24", () =>
          own.owner.ask("PUT", "/me/password", { body, headers })
        )
        assert.strictEqual(changed.status, 200, changed.text)
        const { items } = (await own.owner.ask("GET", "/operators")).json
        assert.deepStrictEqual([items[0].id, items[0].state], [own.operatorId, "Active"])
      })
    })
  )

  it.effect("do not delay the owner when the attacker has the password and guesses the code", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const secret = String((await own.owner.post("/me/totp", { password })).json.secret)
        const on = { enabled: true, code: codeAt(secret, Date.now() - 30_000) }
        assert.strictEqual((await own.owner.ask("PUT", "/me/totp", { body: on })).status, 200)
        const network = "198.51.100.0/24"
        const guess = { code: "000000" }
        const right = () => ({ code: codeAt(secret, Date.now()) })
        const strangers = await whileDelayed(own, network, () => signIn(own, network, right()), guess)
        assert.deepStrictEqual(said(strangers), delayed)
        const inside = await whileDelayed(own, network, () => signIn(own, network, right(), knownDevice(own)), guess)
        assert.strictEqual(inside.status, 201, inside.text)
      })
    })
  )

  it.effect("for many accounts at once from one network do not block sign-ins from another", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        // Each has its own address, so that none is delayed, and each computes a slow hash. There are more of them than may wait at once.
        let left = 60
        const flood = Array.from({ length: left }, (_, n) =>
          signIn(own, "198.51.100.0/24", { email: `guess-${n}@example.com`, password: "a guess" }).then((answer) => {
            left--
            return answer.status
          })
        )
        const inside = await signIn(own, "192.0.2.0/24")
        assert.strictEqual(inside.status, 201, inside.text)
        // Long before the other sign-ins are finished.
        assert.isAbove(left, 20)
        assert.deepStrictEqual([...new Set(await Promise.all(flood))], [401])
      })
    })
  )

  it.effect("do not affect the link that the command line makes", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const network = "192.0.2.0/24"
      const { out } = yield* administer({ ask: "operators link", user: "me", email: own.address }, `${origin}/`)
      yield* Effect.promise(async () => {
        const body = { token: tokenOf(out[0] ?? ""), password: "green lamp under blue stairs" }
        const back = await whileDelayed(own, network, () =>
          new Browser(own.ask).ask("POST", "/invitations/accept", { body, headers: { "x-test-network": network } })
        )
        assert.deepStrictEqual([back.status, back.json.operator?.id], [201, own.operatorId])
      })
    })
  )
})
