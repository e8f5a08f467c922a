/** People sign in by their organisation's identity provider, over real HTTP and the real storage. A provider counts for its organisation only. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { builtInRoles } from "../../../src/domain/operator/Role.ts"
import { Browser, origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { clientSecret } from "../../support/identityProvider.ts"
import { type Json, makeOrganisation } from "../../support/restApp.ts"
import { joined, password, ports, said, tokenOf } from "../../support/people.ts"
import { emailAt, founded, settingsOf, set, gone, back, signOn, refused, logOf } from "../../support/singleSignOns.ts"

forEachDriver("Single sign-on", ports, (it) => {
  it.effect("lets a person join by a verified address, with the role of a group, and recognises them later", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        const shown = (await set(own)).json
        assert.deepStrictEqual([shown.hasClientSecret, shown.redirectUri], [true, `${origin}/sign-in/return`])
        const email = emailAt(own.domain)
        const person = { sub: "bo", email, name: "Bo Berg", groups: ["canteen", "grid"] }
        const { answer, browser } = await signOn(own, person)
        assert.strictEqual(answer.status, 201, answer.text)
        const { operator, role, singleSignOn } = answer.json
        assert.deepStrictEqual(
          [operator.email, operator.name, role, singleSignOn],
          [email, "Bo Berg", "Operations", true]
        )
        assert.deepStrictEqual(answer.json.permissions, builtInRoles.Operations)
        const cookie = browser.set.find((line) => line.startsWith("__Host-voltlane="))
        assert.match(cookie ?? "", /^__Host-voltlane=[0-9A-Za-z]{43}; .*HttpOnly; Secure; SameSite=Lax$/)
        // The provider received the PKCE verifier and the client secret.
        const [asked] = own.provider.asked
        assert.strictEqual(asked?.body.get("client_secret"), clientSecret)
        assert.match(asked?.body.get("code_verifier") ?? "", /^[0-9A-Za-z]{43}$/)
        const again = await signOn(own, { ...person, email: emailAt("elsewhere.example") })
        assert.deepStrictEqual([again.answer.status, again.answer.json.operator.id], [201, operator.id])
        const [listed] = (await browser.ask("GET", "/sign-ins")).json.items
        assert.deepStrictEqual([listed.singleSignOn, listed.strength], [true, "Password"])
        const one = await own.owner.ask("GET", `/operators/${operator.id}`)
        assert.deepStrictEqual([one.json.state, one.json.singleSignOn], ["Active", true])
        const actions = (await logOf(own)).map(({ action }) => action)
        for (const action of ["SingleSignOnChanged", "OperatorAdded", "IdentityLinked", "SignedIn"]) {
          assert.include(actions, action)
        }
      })
    })
  )

  it.effect("never shows the client secret, stores it sealed, and drops it when the provider changes", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const sql = yield* SqlClient.SqlClient
      yield* Effect.promise(async () => {
        await set(own)
        const read = await own.owner.ask("GET", "/single-sign-on")
        assert.notInclude(read.text, clientSecret)
        assert.notInclude(JSON.stringify(await logOf(own)), clientSecret)
      })
      const [row] = yield* sql<{ sealed: string }>`
        SELECT x.client_secret AS sealed FROM single_sign_on x WHERE x.organisation_id = ${own.organisationId}`
      assert.isAbove(row?.sealed.length ?? 0, 40)
      assert.notInclude(row?.sealed ?? "", clientSecret)
      yield* Effect.promise(async () => {
        const { clientSecret: _, ...without } = settingsOf(own)
        const kept = await own.owner.ask("PUT", "/single-sign-on", { body: { ...without, scopes: ["email"] } })
        assert.strictEqual(kept.json.hasClientSecret, true)
        const moved = { ...without, issuer: "http://127.0.0.1:9" }
        const other = await own.owner.ask("PUT", "/single-sign-on", { body: moved })
        assert.strictEqual(other.json.hasClientSecret, false)
      })
    })
  )

  it.effect("refuses an answer of the provider that fails any check", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        const person = { sub: "cy", email: emailAt(own.domain), groups: ["grid"] }
        const bends: ReadonlyArray<readonly [string, (claims: Json) => Json]> = [
          ["nonce", (claims) => ({ ...claims, nonce: "another" })],
          ["no nonce", ({ nonce: _, ...claims }) => claims],
          ["audience", (claims) => ({ ...claims, aud: "another client" })],
          ["issuer", (claims) => ({ ...claims, iss: "https://another.example" })],
          ["expired", (claims) => ({ ...claims, iat: claims.iat - 7200, exp: claims.exp - 7200 })]
        ]
        for (const [name, bend] of bends) {
          own.provider.bend = bend
          assert.deepStrictEqual([name, await refused(own, person)], [name, "provider_answer_invalid"])
        }
        own.provider.bend = (claims) => claims
        own.provider.isForged = true
        assert.strictEqual(await refused(own, person), "provider_answer_invalid")
        own.provider.isForged = false
        own.provider.returnedIssuer = "https://another.example"
        assert.strictEqual(await refused(own, person), "provider_answer_invalid")
        own.provider.returnedIssuer = undefined
        assert.strictEqual((await signOn(own, person)).answer.status, 201)
      })
    })
  )

  it.effect("belongs to one browser and works once", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        own.provider.person = { sub: "dee", email: emailAt(own.domain), email_verified: true, groups: ["grid"] }
        const attacker = new Browser(own.ask)
        const query = await gone(own, attacker)
        // A person who follows the attacker's link is not signed in to the attacker's account, whether or not they have begun a sign-on themselves.
        const victim = new Browser(own.ask)
        assert.deepStrictEqual(said(await back(victim, query)), [409, "sign_on_lost"])
        await gone(own, victim)
        assert.deepStrictEqual(said(await back(victim, query)), [409, "sign_on_lost"])
        assert.isUndefined(victim.cookies.get("__Host-voltlane"))
        const copy = new Browser(own.ask)
        for (const [name, value] of attacker.cookies) copy.cookies.set(name, value)
        assert.match(attacker.header, /__Host-voltlane-sign-on=/)
        assert.strictEqual((await back(attacker, query)).status, 201)
        // The cookie is gone. With a copy of it, the provider gives no tokens for the code.
        assert.deepStrictEqual(said(await back(attacker, query)), [409, "sign_on_lost"])
        assert.strictEqual((await back(copy, query)).status, 409)
      })
    })
  )

  it.effect("accepts each state once, even if the provider gives tokens for a code twice", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        own.provider.person = { sub: "eli", email: emailAt(own.domain), email_verified: true, groups: ["grid"] }
        own.provider.keepsCodes = true
        const browser = new Browser(own.ask)
        const query = await gone(own, browser)
        const copy = new Browser(own.ask)
        for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
        assert.strictEqual((await back(browser, query)).status, 201)
        assert.deepStrictEqual(said(await back(copy, query)), [409, "state_used"])
        assert.isUndefined(copy.cookies.get("__Host-voltlane"))
      })
    })
  )

  it.effect("refuses an unverified address, a foreign domain and a person without a known group", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        const email = emailAt(own.domain)
        assert.strictEqual(
          await refused(own, { sub: "f1", email, email_verified: false, groups: ["grid"] }),
          "email_unverified"
        )
        assert.strictEqual(
          await refused(own, { sub: "f2", email, email_verified: undefined, groups: ["grid"] }),
          "email_unverified"
        )
        assert.strictEqual(
          await refused(own, { sub: "f3", email: emailAt("foreign.example"), groups: ["grid"] }),
          "domain_refused"
        )
        assert.strictEqual(
          await refused(own, { sub: "f4", email: emailAt(`not-${own.domain}`), groups: ["grid"] }),
          "domain_refused"
        )
        assert.strictEqual(await refused(own, { sub: "f5", email, groups: ["canteen"] }), "no_role")
        const reasons = (await logOf(own))
          .filter(({ action }) => action === "SingleSignOnRefused")
          .map(({ after }) => after.why)
        assert.deepStrictEqual(new Set(reasons), new Set(["email_unverified", "domain_refused", "no_role"]))
        // An organisation may trust its own provider's addresses, but not one that the provider marks as unverified.
        await set(own, { trustEmail: true })
        assert.strictEqual(
          await refused(own, { sub: "f1", email, email_verified: false, groups: ["grid"] }),
          "email_unverified"
        )
        assert.strictEqual(
          (await signOn(own, { sub: "f2", email, email_verified: undefined, groups: ["grid"] })).answer.status,
          201
        )
      })
    })
  )

  it.effect("lets an invited person of a foreign domain in only after they accepted the invitation", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own, { groupRoles: [], domains: [] })
        const email = emailAt("guests.example")
        assert.strictEqual(await refused(own, { sub: "gus", email }), "domain_refused")
        const { link } = (await own.owner.post("/invitations", { email, roleId: "Viewer" })).json
        assert.strictEqual(await refused(own, { sub: "gus", email }), "invitation_first")
        const browser = new Browser(own.ask)
        await browser.post("/invitations/accept", { token: tokenOf(link), name: "Gus", password })
        const { answer } = await signOn(own, { sub: "gus", email: email.toUpperCase() }, browser)
        assert.deepStrictEqual([answer.status, answer.json.role], [201, "Viewer"])
        assert.deepStrictEqual((await own.owner.ask("GET", "/invitations")).json.items, [])
        // Without groups, the role remains the one that an owner gave.
        await own.owner.ask("PATCH", `/operators/${answer.json.operator.id}`, { body: { roleId: "Money" } })
        assert.strictEqual((await signOn(own, { sub: "gus", email })).answer.json.role, "Money")
        // An invitation ends with its maker's authority here too.
        const maker = await joined(own, "Owner")
        const late = emailAt("guests.example")
        assert.strictEqual((await maker.browser.post("/invitations", { email: late, roleId: "Viewer" })).status, 201)
        await own.owner.ask("PATCH", `/operators/${maker.id}`, { body: { state: "Disabled" } })
        assert.strictEqual(await refused(own, { sub: "eve", email: late }), "domain_refused")
      })
    })
  )

  it.effect("gives the role of the person's groups at each sign-in, and removes it together with the groups", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        const person = { sub: "hal", email: emailAt(own.domain) }
        const first = await signOn(own, { ...person, groups: ["admins", "grid"] })
        assert.strictEqual(first.answer.json.role, "Owner")
        const made = await first.browser.post("/api-keys", { name: "script" })
        assert.strictEqual(made.status, 201, made.text)
        const second = await signOn(own, { ...person, groups: ["grid"] })
        assert.strictEqual(second.answer.json.role, "Operations")
        assert.strictEqual((await first.browser.ask("GET", "/operators")).status, 403)
        assert.strictEqual(await refused(own, { ...person, groups: [] }), "no_role")
        // The open sign-ins have ended, and the key has no permissions left.
        assert.strictEqual((await second.browser.ask("GET", "/me")).status, 401)
        const byKey = await own.ask("GET", "/cpo/v2/sites", { key: made.json.key })
        assert.strictEqual(byKey.status, 403)
        const back = await signOn(own, { ...person, groups: ["grid"] })
        assert.deepStrictEqual([back.answer.status, back.answer.json.role], [201, "Operations"])
        // A person whom an owner has disabled is refused.
        const path = `/operators/${back.answer.json.operator.id}`
        await own.owner.ask("PATCH", path, { body: { state: "Disabled" } })
        assert.strictEqual(await refused(own, { ...person, groups: ["grid"] }), "operator_disabled")
      })
    })
  )

  it.effect("links an owner who works only here, without changing the owner's role and password", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own, { passwordForOwnersOnly: true })
        const { answer } = await signOn(own, { sub: "ada", email: own.address, groups: [] })
        assert.deepStrictEqual([answer.status, answer.json.role], [201, "Owner"])
        const byPassword = await new Browser(own.ask).post("/sign-ins", { email: own.address, password })
        assert.strictEqual(byPassword.status, 201)
        // At the provider, the address now belongs to another person.
        assert.strictEqual(
          await refused(own, { sub: "another", email: own.address, groups: ["grid"] }),
          "linked_otherwise"
        )
      })
    })
  )

  it.effect("links no account of a person who works elsewhere too, unless that person is signed in", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const other = yield* founded()
      yield* Effect.promise(async () => {
        await set(own, { domains: [own.domain, other.domain] })
        // The provider of one organisation sends the address of another organisation's owner.
        const victim = { sub: "victim", email: other.address, groups: ["admins"] }
        assert.strictEqual(await refused(own, victim), "domain_refused")
        const browser = new Browser(own.ask)
        assert.strictEqual((await browser.post("/sign-ins", { email: other.address, password })).status, 201)
        assert.strictEqual(said((await signOn(own, victim, browser)).answer)[1], "domain_refused")
        await own.owner.post("/invitations", { email: other.address, roleId: "Viewer" })
        assert.strictEqual(await refused(own, victim), "invitation_first")
        const joined = await signOn(own, victim, browser)
        assert.strictEqual(joined.answer.status, 201, joined.answer.text)
        // From now on the provider can sign the person in to this organisation, and can change nothing else of the person.
        const { browser: theirs, answer } = await signOn(own, victim)
        assert.deepStrictEqual([answer.json.organisation.id, answer.json.role], [own.organisationId, "Owner"])
        assert.deepStrictEqual(
          answer.json.organisations.map(({ id }: Json) => id),
          [own.organisationId]
        )
        const bound: ReadonlyArray<readonly [string, string, object]> = [
          ["PUT", "/me/organisation", { organisationId: other.organisationId }],
          ["PATCH", "/me", { name: "Eve" }],
          ["PUT", "/me/password", { currentPassword: password, newPassword: "green lamp under blue stairs" }],
          ["POST", "/me/totp", { password }]
        ]
        for (const [method, path, body] of bound) {
          assert.deepStrictEqual(
            [path, ...said(await theirs.ask(method, path, { body }))],
            [path, 409, "single_sign_on_only"]
          )
        }
        const seen = (await theirs.ask("GET", "/sign-ins")).json.items
        assert.deepStrictEqual(
          new Set(seen.map(({ organisationId }: Json) => organisationId)),
          new Set([own.organisationId])
        )
        const [elsewhere] = (await other.owner.ask("GET", "/sign-ins")).json.items.filter((one: Json) => one.current)
        assert.strictEqual((await theirs.ask("DELETE", `/sign-ins/${elsewhere.id}`)).status, 404)
        assert.strictEqual((await theirs.ask("DELETE", "/sign-ins")).status, 204)
        assert.strictEqual((await joined.browser.ask("GET", "/me")).status, 401)
        assert.strictEqual((await theirs.ask("DELETE", "/sign-ins/current")).status, 204)
        assert.strictEqual((await other.owner.ask("GET", "/me")).status, 200)
      })
    })
  )

  it.effect("voids the reset links of a person who joins by it from another organisation", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const other = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        await own.owner.post("/invitations", { email: other.address, roleId: "Viewer" })
        const second = await other.owner.post("/invitations", { email: emailAt(other.domain), roleId: "Owner" })
        const inviter = new Browser(other.ask)
        const accepted = { token: tokenOf(second.json.link), name: "Eve", password }
        assert.strictEqual((await inviter.post("/invitations/accept", accepted)).status, 201)
        const reset = await inviter.post(`/operators/${other.operatorId}/reset`, {})
        assert.strictEqual(reset.status, 201, reset.text)
        const browser = new Browser(own.ask)
        assert.strictEqual((await browser.post("/sign-ins", { email: other.address, password })).status, 201)
        const joined = await signOn(own, { sub: "max", email: other.address, groups: ["admins"] }, browser)
        assert.strictEqual(joined.answer.status, 201, joined.answer.text)
        const stolen = { token: tokenOf(reset.json.link), password: "green lamp under blue stairs" }
        assert.deepStrictEqual(said(await new Browser(own.ask).post("/invitations/accept", stolen)), [409, "link_void"])
        const back = await new Browser(own.ask).post("/sign-ins", { email: other.address, password })
        assert.strictEqual(back.status, 201, back.text)
      })
    })
  )

  it.effect("keeps a person disabled whom an owner disables after the groups have withdrawn them", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        const person = { sub: "nia", email: emailAt(own.domain) }
        const { answer } = await signOn(own, { ...person, groups: ["grid"] })
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(await refused(own, { ...person, groups: [] }), "no_role")
        const path = `/operators/${answer.json.operator.id}`
        assert.strictEqual((await own.owner.ask("GET", path)).json.state, "Disabled")
        const disabled = await own.owner.ask("PATCH", path, { body: { state: "Disabled" } })
        assert.deepStrictEqual([disabled.status, disabled.json.state], [200, "Disabled"])
        assert.strictEqual(await refused(own, { ...person, groups: ["grid"] }), "operator_disabled")
        assert.strictEqual((await own.owner.ask("GET", path)).json.state, "Disabled")
      })
    })
  )

  it.effect("is separate for each organisation: another one's provider, cookie and settings have no effect", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const other = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        await set(other)
        const person = { sub: "ivy", email: emailAt(own.domain), email_verified: true, groups: ["grid"] }
        assert.strictEqual((await signOn(own, person)).answer.status, 201)
        // The same subject at the other organisation's provider is a different person.
        assert.strictEqual(await refused(other, person), "domain_refused")
        const browser = new Browser(own.ask)
        own.provider.person = person
        const query = await gone(own, browser)
        await set(own, { issuer: other.provider.issuer })
        assert.deepStrictEqual(said(await back(browser, query)), [409, "single_sign_on_unknown"])
        assert.strictEqual((await other.owner.ask("DELETE", "/single-sign-on")).status, 204)
        assert.strictEqual((await other.owner.ask("GET", "/single-sign-on")).status, 404)
        assert.strictEqual((await own.owner.ask("GET", "/single-sign-on")).status, 200)
      })
    })
  )

  it.effect("can be configured only by people with all permissions of an owner", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        const few = ["organisation:write", "operators:write", "roles:write"]
        const role = (await own.owner.post("/roles", { name: "Office", permissions: few })).json
        const { link } = (await own.owner.post("/invitations", { email: emailAt(own.domain), roleId: role.id })).json
        const clerk = new Browser(own.ask)
        const token = new URL(link).hash.slice(1)
        await clerk.post("/invitations/accept", { token, name: "Jo", password })
        const body = settingsOf(own)
        assert.strictEqual((await clerk.ask("PUT", "/single-sign-on", { body })).status, 403)
        await set(own, { groupRoles: [{ group: "office", roleId: role.id }] })
        assert.strictEqual((await clerk.ask("DELETE", "/single-sign-on")).status, 403)
        assert.deepStrictEqual(said(await own.owner.ask("DELETE", `/roles/${role.id}`)), [409, "role_in_use"])
        // A local owner with a password must exist while the provider is configured.
        const keyed = await own.ask("PUT", "/cpo/v2/single-sign-on", { key: own.key, body: { ...body, more: 1 } })
        assert.strictEqual(keyed.status, 400)
      })
      const bare = yield* makeOrganisation(builtInRoles.Owner)
      yield* Effect.promise(async () => {
        const answer = await own.ask("PUT", "/cpo/v2/single-sign-on", { key: bare.key, body: settingsOf(own) })
        assert.deepStrictEqual(said(answer), [409, "local_owner_needed"])
      })
    })
  )

  it.effect("denies passwords to all but owners at once if the organisation requires that", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        const email = emailAt(own.domain)
        const { link } = (await own.owner.post("/invitations", { email, roleId: "Operations" })).json
        const browser = new Browser(own.ask)
        const token = new URL(link).hash.slice(1)
        await browser.post("/invitations/accept", { token, name: "Kim", password })
        assert.strictEqual((await browser.ask("GET", "/sites")).status, 200)
        await set(own, { passwordForOwnersOnly: true })
        assert.strictEqual((await browser.ask("GET", "/sites")).status, 403)
        const tried = await new Browser(own.ask).post("/sign-ins", { email, password })
        assert.deepStrictEqual(said(tried), [409, "single_sign_on_required"])
        const { answer, browser: theirs } = await signOn(own, { sub: "kim", email, groups: ["grid"] })
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual((await theirs.ask("GET", "/sites")).status, 200)
      })
    })
  )

  it.effect("counts the provider's second factor, and requires it if the organisation does", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        await own.owner.ask("PATCH", "/organisation", { body: { requireSecondFactor: true } })
        const person = { sub: "lou", email: emailAt(own.domain), groups: ["grid"] }
        assert.strictEqual(await refused(own, person), "second_factor_missing")
        assert.strictEqual(await refused(own, { ...person, amr: ["pwd"] }), "second_factor_missing")
        const { answer, browser } = await signOn(own, { ...person, amr: ["pwd", "mfa"] })
        assert.strictEqual(answer.status, 201, answer.text)
        assert.deepStrictEqual([answer.json.secondFactor.used, answer.json.secondFactor.required], [true, true])
        assert.strictEqual((await browser.ask("GET", "/sites")).status, 200)
      })
    })
  )

  it.effect("is found by the address's domain or the organisation's code, but not if two organisations match", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const other = yield* founded()
      const browser = new Browser(own.ask)
      const begin = (body: object) => Effect.promise(() => browser.post("/sign-ins/single-sign-on", body))
      yield* Effect.promise(() => set(own))
      const found = yield* begin({ email: `Someone@${own.domain.toUpperCase()}` })
      assert.strictEqual(found.status, 201, found.text)
      const url = new URL(found.json.url)
      assert.strictEqual(url.origin, own.provider.issuer)
      assert.deepStrictEqual(
        [
          url.searchParams.get("response_type"),
          url.searchParams.get("code_challenge_method"),
          url.searchParams.get("scope")
        ],
        ["code", "S256", "openid email profile"]
      )
      assert.strictEqual((yield* begin({ organisation: own.code.replace("-", "*").toLowerCase() })).status, 201)
      for (const body of [{ organisation: "no code" }, { organisation: other.code }, { email: "x@nowhere.example" }]) {
        assert.deepStrictEqual(said(yield* begin(body)), [409, "single_sign_on_unknown"])
      }
      // An organisation that names the domain too changes nothing.
      yield* Effect.promise(() => set(other, { domains: [own.domain] }))
      assert.strictEqual((yield* begin({ email: `x@${own.domain}` })).status, 201)
      // With several providers, strangers do not learn whose they are.
      const offer = yield* Effect.promise(() => browser.ask("GET", "/sign-ins/single-sign-on"))
      assert.deepStrictEqual(offer.json, { offered: true, organisationName: null })
    })
  )

  it.effect("reports what is wrong with a provider, and never calls a private address", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const closed = yield* founded(false)
      yield* Effect.promise(async () => {
        const test = async (issuer: string) => (await own.owner.post("/single-sign-on/test", { issuer })).json
        assert.deepStrictEqual(await test(own.provider.issuer), {
          ok: true,
          problems: [],
          authorizationEndpoint: `${own.provider.issuer}/authorize`,
          tokenEndpoint: `${own.provider.issuer}/token`
        })
        own.provider.about = { code_challenge_methods_supported: ["plain"], jwks_uri: `${own.provider.issuer}/gone` }
        const { ok, problems } = await test(own.provider.issuer)
        assert.strictEqual(ok, false)
        assert.match(problems.join(" "), /PKCE with S256.*answered 404/)
        own.provider.about = { issuer: "https://another.example" }
        assert.strictEqual((await test(own.provider.issuer)).ok, false)
        assert.match((await test(`${own.provider.issuer}/elsewhere`)).problems[0], /./)
        for (const issuer of [closed.provider.issuer, "https://127.0.0.1", "https://keycloak.internal"]) {
          const body = { ...settingsOf(closed), issuer }
          assert.strictEqual((await closed.owner.ask("PUT", "/single-sign-on", { body })).status, 400)
          assert.strictEqual((await closed.owner.post("/single-sign-on/test", { issuer })).status, 400)
        }
      })
    })
  )
})
