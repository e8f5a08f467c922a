/**
 * Invitations and reset links have no more authority than the person or key that made them has when they are used, and none after the
 * person whom they are for has changed. Every change is tried with every kind of link.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Access } from "../../../src/domain/operator/Access.ts"
import { newKey, newV1Pair } from "../../../src/domain/operator/Keys.ts"
import { stepAt, fromBase32, hotp } from "../../../src/domain/operator/Totp.ts"
import { Secrets } from "../../../src/domain/values/Secrets.ts"
import { createHmac } from "node:crypto"
import { administer } from "../../../src/main/cli/Admin.ts"
import { Authenticator } from "../../support/authenticator.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { email, founded, type Founded, joined, password, ports, said, tokenOf } from "../../support/people.ts"
import type { Answer, Json } from "../../support/restApp.ts"

const linkOf = (made: Answer): string => {
  assert.strictEqual(made.status, 201, made.text)
  return tokenOf(made.json.link)
}

type Post = (path: string, body: object) => Promise<Answer>
type Person = Awaited<ReturnType<typeof joined>>

const changing =
  (own: Founded, browser: Browser = own.owner) =>
  async (person: Person, body: object) => {
    const done = await browser.ask("PATCH", `/operators/${person.id}`, { body })
    assert.strictEqual(done.status, 200, done.text)
  }

/** Uses a link; each try has a name and password, which a link for an existing account does not need. */
const using = async ({ ask }: Founded, token: string, given: { readonly password?: string } = {}) =>
  said(await new Browser(ask).post("/invitations/accept", { token, name: "Cy", password, ...given }))

const used = [201, undefined]
const isVoid = [409, "link_void"]

const withKey =
  ({ ask }: Founded, key: string): Post =>
  (path, body) =>
    ask("POST", `/cpo/v2${path}`, { key, body })

const codeAt = (secret: string, at: number): string =>
  hotp((key, data) => createHmac("sha1", key).update(data).digest(), fromBase32(secret)!, stepAt(at))

forEachDriver("Links", ports, (it) => {
  it.effect(
    "end with the authority of the person or key that made them, whatever they are for",
    () =>
      Effect.gen(function* () {
        const own = yield* founded
        const elsewhere = yield* founded
        const access = yield* Access
        const secrets = yield* Secrets
        yield* Effect.promise(async () => {
          const change = changing(own)
          const worked: Array<string> = []
          const holder = await joined(elsewhere, "Viewer")
          const colleague = await joined(own, "Support")
          const maker = await joined(own, "Owner")
          const kinds: Readonly<Record<string, (post: Post) => Promise<Answer>>> = {
            "an invitation": (post) => post("/invitations", { email: email("new"), roleId: "Support" }),
            "an invitation of a person with an account": (post) =>
              post("/invitations", { email: holder.address, roleId: "Support" }),
            "a reset": (post) => post(`/operators/${colleague.id}/reset`, {})
          }
          const byPerson: Post = (path, body) => maker.browser.post(path, body)
          const restored = () => {
            const { text: _, ...key } = newKey(secrets)
            const { clientId, codeVerifier } = newV1Pair(secrets)
            const actor = "command-line:root"
            const by = {
              organisationId: own.organisationId,
              actor,
              keyId: actor,
              operatorId: undefined,
              permissions: []
            }
            const given = { key: { name: "reset", ...key }, v1: { clientId, codeVerifier }, revokeOthers: true }
            return Effect.runPromise(access.restore(given, { by, now: Date.now() }))
          }
          /** Each change, by whether the link was made by the person's sign-in or key. */
          const changes: ReadonlyArray<readonly [string, "person" | "key", (keyId: string) => Promise<unknown>]> = [
            ["becomes a Viewer", "person", () => change(maker, { roleId: "Viewer" })],
            ["may no longer invite", "person", () => change(maker, { removals: ["operators:write"] })],
            ["loses a permission that the link gives", "person", () => change(maker, { removals: ["tokens:write"] })],
            ["is a key that is revoked", "key", (id) => maker.browser.ask("DELETE", `/api-keys/${id}`)],
            [
              "is a key that was replaced and has expired",
              "key",
              (id) => maker.browser.post(`/api-keys/${id}/rotate`, { overlapSeconds: 0 })
            ],
            ["is a key that the machine's owner revoked", "key", restored],
            ["is a key of a person who is disabled", "key", () => change(maker, { state: "Disabled" })],
            ["is disabled", "person", () => change(maker, { state: "Disabled" })],
            [
              "is disabled and enabled again",
              "person",
              async () => {
                await change(maker, { state: "Disabled" })
                await change(maker, { state: "Active" })
              }
            ]
          ]
          for (const [what, how, changed] of changes) {
            await change(maker, { state: "Active", roleId: "Owner", removals: [] })
            // Being disabled has ended the person's sign-ins.
            if ((await maker.browser.ask("GET", "/me")).status === 401) {
              await maker.browser.post("/sign-ins", { email: maker.address, password })
            }
            const key = how === "key" ? (await maker.browser.post("/api-keys", { name: "script" })).json : undefined
            const post = how === "key" ? withKey(own, key.key) : byPerson
            const links = []
            for (const [kind, make] of Object.entries(kinds)) links.push([kind, linkOf(await make(post))] as const)
            await changed(key?.id)
            for (const [kind, link] of links) {
              const answer = await using(own, link)
              if (JSON.stringify(answer) !== JSON.stringify(isVoid)) worked.push(`${kind}, whose maker ${what}`)
            }
          }
          assert.deepStrictEqual(worked, [])
          await maker.browser.post("/sign-ins", { email: maker.address, password })
          for (const [kind, make] of Object.entries(kinds)) {
            assert.deepStrictEqual(
              await using(own, linkOf(await make(byPerson))),
              used,
              `${kind}, whose maker is as before`
            )
          }
          // The invitations that no longer work are not listed as open, and are in the audit log.
          assert.deepStrictEqual((await own.owner.ask("GET", "/invitations")).json.items, [])
          const log = (await own.owner.ask("GET", "/audit-log?limit=100&action=LinkRevoked")).json.items
          assert.isAbove(log.length, 10)
        })
      }),
    120_000
  )

  it.effect(
    "end when the person whom they are for has more rights than the maker, or other credentials",
    () =>
      Effect.gen(function* () {
        const own = yield* founded
        yield* Effect.promise(async () => {
          const change = changing(own)
          const desk = ["operators:read", "operators:write"]
          const manager = await joined(own, "Viewer")
          await change(manager, { additions: desk })
          const person = await joined(own, "Viewer")
          const role = (await own.owner.post("/roles", { name: "Desk", permissions: ["sites:read"] })).json
          const newPassword = "an other tram over ten hills"
          const grown = (permissions: ReadonlyArray<string>) =>
            own.owner.ask("PATCH", `/roles/${role.id}`, { body: { permissions } })
          const reset = async (person: Person) =>
            linkOf(await manager.browser.post(`/operators/${person.id}/reset`, {}))

          const changes: Readonly<Record<string, () => Promise<unknown>>> = {
            "becomes an owner": () => change(person, { roleId: "Owner" }),
            "becomes an owner and a Viewer again": async () => {
              await change(person, { roleId: "Owner" })
              await change(person, { roleId: "Viewer" })
            },
            "gets one more permission": () => change(person, { additions: ["sites:write"] }),
            "is disabled": () => change(person, { state: "Disabled" }),
            "has changed the password": async () => {
              await person.browser.post("/sign-ins", { email: person.address, password })
              const body = { currentPassword: password, newPassword }
              const done = await person.browser.ask("PUT", "/me/password", { body })
              assert.strictEqual(done.status, 200, done.text)
            },
            "has added a passkey": async () => {
              const begun = await person.browser.post("/me/passkeys/options", { password: newPassword })
              const made = new Authenticator(origin).create(begun.json)
              const body = { name: "Mine", response: made.response }
              const done = await person.browser.ask("PUT", `/me/passkeys/${made.id}`, { body })
              assert.strictEqual(done.status, 200, done.text)
            },
            "has set a second factor": async () => {
              const { secret } = (await person.browser.post("/me/totp", { password: newPassword })).json
              const body = { enabled: true, code: codeAt(secret, Date.now()) }
              const done = await person.browser.ask("PUT", "/me/totp", { body })
              assert.strictEqual(done.status, 200, done.text)
            }
          }
          const worked: Array<string> = []
          for (const [what, changed] of Object.entries(changes)) {
            await change(person, { state: "Active", roleId: "Viewer", additions: [] })
            const link = await reset(person)
            await changed()
            const answer = await using(own, link, { password: "a password of the finder" })
            if (JSON.stringify(answer) !== JSON.stringify(isVoid)) worked.push(what)
          }
          assert.deepStrictEqual(worked, [])
          await change(person, { state: "Active", roleId: role.id, additions: [] })
          const beforeGrowth = await reset(person)
          await grown(["sites:read", "sites:write"])
          await grown(["sites:read"])
          assert.deepStrictEqual(await using(own, beforeGrowth), isVoid, "has a role that was widened for a moment")
          // Less than before leaves the link as it is.
          const link = await reset(person)
          await grown([])
          assert.deepStrictEqual(await using(own, link, { password: "a password of the person" }), used)
          await grown(["sites:read"])

          // An invitation gives the role as it is when it is used.
          const invite = async () =>
            linkOf(await manager.browser.post("/invitations", { email: email("new"), roleId: role.id }))
          const tooMuch = await invite()
          await grown(["sites:read", "sites:write"])
          assert.deepStrictEqual(await using(own, tooMuch), isVoid)
          await grown(["sites:read"])
          const enough = await invite()
          await grown(["sites:read", "cdrs:read"])
          assert.deepStrictEqual(await using(own, enough), used)
        })
      }),
    120_000
  )

  it.effect("are used either before the maker is disabled, or not at all", () =>
    Effect.gen(function* () {
      const own = yield* founded
      yield* Effect.promise(async () => {
        const outcomes: Array<ReadonlyArray<unknown>> = []
        for (let round = 0; round < 2; round++) {
          const maker = await joined(own, "Owner")
          const links = []
          for (let n = 0; n < 2; n++) {
            links.push(linkOf(await maker.browser.post("/invitations", { email: email("new"), roleId: "Viewer" })))
          }
          const disabled = changing(own)(maker, { state: "Disabled" })
          outcomes.push(...(await Promise.all(links.map((link) => using(own, link)))))
          await disabled
          // The log is in the order of the journal: no link was used after the change.
          const log = (await own.owner.ask("GET", "/audit-log?limit=100")).json.items as ReadonlyArray<Json>
          const since = log.slice(
            0,
            log.findIndex(({ action, after }) => action === "OperatorChanged" && after.id === maker.id)
          )
          const late = since.filter(({ action }) => action === "LinkUsed")
          assert.deepStrictEqual(late, [], `round ${round}`)
        }
        for (const outcome of outcomes) assert.deepInclude([used, isVoid], outcome)
      })
    })
  )

  it.effect("of the machine's owner keep their authority when all others are revoked", () =>
    Effect.gen(function* () {
      const own = yield* founded
      const machine = (request: Parameters<typeof administer>[0]) => administer(request, "https://cpo.example")
      const add = { ask: "operators add-owner", user: "root", organisation: own.organisationId } as const
      const made = yield* machine({ ...add, email: email("new") })
      const invited = yield* Effect.promise(() =>
        own.owner.post("/invitations", { email: email("x"), roleId: "Viewer" })
      )
      const revoke = { ask: "operators reset", user: "root", organisation: own.organisationId } as const
      const { note } = yield* machine({ ...revoke, revokeOthers: true })
      assert.match(note.join(" "), /reset links that ended: 1\./)
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(await using(own, linkOf(invited)), isVoid)
        assert.deepStrictEqual(await using(own, tokenOf(made.out[0] ?? "")), used)
      })
    })
  )
})
