/**
 * Guessing a password delays only the guesser: from however many networks the guesses come, the account's owner can sign in, stay signed in, and
 * recover by the command line. Over the real storage, on both databases.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { administer } from "../../../src/main/cli/Admin.ts"
import { fromBase32, hotp, stepAt } from "../../../src/domain/operator/Totp.ts"
import * as NodeSecrets from "../../../src/storage/operators/Secrets.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { email, face, founded, type Founded, password, ports, tokenOf } from "../../support/people.ts"
import type { Answer, Json } from "../../support/restApp.ts"

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

/** Sets up an authenticator app, so that its present code is left for the test. */
const withApp = async ({ owner }: Founded) => {
  const secret = String((await owner.post("/me/totp", { password })).json.secret)
  const body = { enabled: true, code: codeAt(secret, Date.now() - 30_000) }
  const on = await owner.ask("PUT", "/me/totp", { body })
  assert.strictEqual(on.status, 200, on.text)
  return { secret, codes: on.json.recoveryCodes as ReadonlyArray<string> }
}

/** Moves the wrong codes of an account to where the next one has to wait for this many seconds, however slow the machine is. */
const delayUntil = (operatorId: string, seconds: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`UPDATE code_failure SET at = ${new Date(Date.now() + (seconds - 1) * 1000)} WHERE operator_id = ${operatorId} AND place = ''`
  )

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

  it.effect(
    "of a code by an attacker who has the password are delayed for the account, whatever networks they come from",
    () =>
      Effect.gen(function* () {
        const own = yield* founded
        const { codes, secret } = yield* Effect.promise(() => withApp(own))
        const { operatorId } = own
        const wrong = (n: number) => signIn(own, `198.51.${n}.0/24`, { code: "000000" })
        const right = (n: number, browser?: Browser) =>
          signIn(own, `203.0.${n}.0/24`, { code: codeAt(secret, Date.now()) }, browser)
        const refused = yield* Effect.promise(async () => {
          for (let n = 0; n < 5; n++) assert.deepStrictEqual(said(await wrong(n)), [401, "second_factor_refused"])
          await own.owner.ask("GET", "/me")
          return said(await signIn(own, "198.51.99.0/24", {}))
        })
        // A client that does not send a code learns only what the password gives.
        assert.deepStrictEqual(refused, [401, "second_factor_required"])
        yield* delayUntil(operatorId, 60)
        // The count is stored: another process, which remembers nothing, refuses too.
        const restarted = { ...own, ask: (yield* face).ask }
        yield* Effect.promise(async () => {
          for (const place of [own, restarted]) {
            for (const given of ["000000", codeAt(secret, Date.now())]) {
              const answer = await signIn(place, "203.0.113.0/24", { code: given })
              assert.deepStrictEqual(said(answer), delayed)
              assert.isAbove(Number(answer.headers.get("retry-after")), 30)
            }
          }
          // A stranger without the password gets the same answer as ever, and delays no one.
          const stranger = await signIn(own, "192.0.2.0/24", { password: "a guess", code: "000000" })
          assert.deepStrictEqual(said(stranger), [401, "sign_in_refused"])
          // The person on a known device, and anywhere with a recovery code.
          const known = await right(1, knownDevice(own))
          assert.strictEqual(known.status, 201, known.text)
          const recovered = await signIn(own, "203.0.2.0/24", { code: codes[0] })
          assert.strictEqual(recovered.status, 201, recovered.text)
          assert.deepStrictEqual(said(await right(3)), delayed)

          // Each wrong code is in the audit log with its network, from the first on, and is reported to the person.
          const { items } = (await own.owner.ask("GET", "/audit-log?action=SecondFactorRefused&limit=100")).json
          assert.deepStrictEqual(
            items.map(({ after }: Json) => after).toSorted((one: Json, other: Json) => one.failures - other.failures),
            [0, 1, 2, 3, 4].map((n) => ({ operatorId, failures: n + 1, network: `198.51.${n}.0/24` }))
          )
          const notice = (await own.owner.ask("GET", "/me")).json.secondFactor.wrongCodes
          assert.deepStrictEqual([notice.count, notice.lastNetwork], [5, "198.51.4.0/24"])
          assert.deepStrictEqual(known.json.secondFactor.wrongCodes, notice)
        })
      })
  )

  it.effect(
    "of a code in an open sign-in are delayed too, wherever a code is asked for, also with Idempotency-Keys",
    () =>
      Effect.gen(function* () {
        const own = yield* founded
        const { secret } = yield* Effect.promise(() => withApp(own))
        const places: ReadonlyArray<readonly [string, string, object]> = [
          ["PUT", "/me/second-factor", { code: "000000" }],
          ["PUT", "/me/totp", { enabled: false, code: "000000" }],
          ["POST", "/me/recovery-codes", { code: "000000" }]
        ]
        // A thief with the cookie has no known device; each try comes from another network and has another Idempotency-Key.
        const thief = new Browser(own.ask)
        const name = "__Host-voltlane"
        thief.cookies.set(name, own.owner.cookies.get(name) ?? "")
        let tries = 0
        const tryIn = (browser: Browser, [method, path, body]: (typeof places)[number]) => {
          const headers = { "x-test-network": `198.51.${tries}.0/24`, "idempotency-key": `try ${tries++}` }
          return browser.ask(method, path, { body, headers })
        }
        yield* Effect.promise(async () => {
          for (let n = 0; n < 5; n++) {
            assert.deepStrictEqual(said(await tryIn(thief, places[n % 3]!)), [401, "second_factor_refused"])
          }
        })
        yield* delayUntil(own.operatorId, 60)
        yield* Effect.promise(async () => {
          for (const place of places) assert.deepStrictEqual(said(await tryIn(thief, place)), delayed)
          const body = { code: codeAt(secret, Date.now()) }
          assert.deepStrictEqual(said(await thief.ask("PUT", "/me/second-factor", { body })), delayed)
          assert.strictEqual((await own.owner.ask("PUT", "/me/second-factor", { body })).status, 200)
        })
      })
  )

  it.effect("of the first code of a new app are delayed", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const { secret } = (await own.owner.post("/me/totp", { password })).json
        const confirm = (code: string) => own.owner.ask("PUT", "/me/totp", { body: { enabled: true, code } })
        const codes: Array<unknown> = []
        for (let n = 0; n < 12; n++) codes.push((await confirm("000000")).status)
        assert.includeMembers(codes, [401, 429])
        assert.match(String(secret), /^[A-Z2-7]{32}$/)
      })
    })
  )

  it.effect("of a code are counted one after the other, however many are sent at once", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(() => withApp(own))
      yield* Effect.promise(async () => {
        const guesses = Array.from({ length: 20 }, (_, n) =>
          own.owner.ask("PUT", "/me/second-factor", {
            body: { code: String(n).padStart(6, "0") },
            headers: { "x-test-network": `198.51.${n}.0/24` }
          })
        )
        const answers = (await Promise.all(guesses)).map(({ status }) => status)
        assert.isAtMost(answers.filter((status) => status !== 429).length, 10, answers.join(" "))
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

/** With hashes at their usual cost: others wait for them. */
const slowly = Layer.merge(ports, NodeSecrets.layer(Redacted.make("a secret of the tests")))

forEachDriver("Guesses of passwords", slowly, (it) => {
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

  it.effect("from many networks at once do not block sign-ins from another: who sends most gives way", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const statuses = new Set<number>()
        let left = 60
        const flood = Array.from({ length: left }, (_, n) =>
          signIn(own, `198.51.${n % 10}.0/24`, { email: `guess-${n}@example.com`, password: "a guess" }).then(
            ({ status }) => {
              left--
              statuses.add(status)
            }
          )
        )
        const inside = await signIn(own, "192.0.2.0/24")
        assert.strictEqual(inside.status, 201, inside.text)
        assert.isAbove(left, 10)
        await Promise.all(flood)
        assert.deepStrictEqual([...statuses].toSorted(), [401, 429])
      })
    })
  )
})
