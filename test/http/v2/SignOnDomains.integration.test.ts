/** Domains of single sign-on count once they are verified, by a record in a real DNS answer or by an operator of the platform. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { domainChecking } from "../../../src/actors/background/DomainChecking.ts"
import { Accounts } from "../../../src/domain/operator/Accounts.ts"
import { SingleSignOns } from "../../../src/domain/operator/SingleSignOns.ts"
import { administer } from "../../../src/main/cli/Admin.ts"
import * as DnsRecords from "../../../src/outbound/DnsRecords.ts"
import { Browser } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { password, ports, said, tokenOf } from "../../support/people.ts"
import type { Json } from "../../support/restApp.ts"
import {
  dns,
  emailAt,
  founded,
  logOf,
  publish,
  refused,
  set,
  settingsOf,
  signOn,
  verify
} from "../../support/singleSignOns.ts"

const day = 24 * 3_600_000

/** The state of a domain, from the organisation's settings. */
const stateOf = async ({ owner }: Effect.Success<ReturnType<typeof founded>>, domain: string): Promise<Json> =>
  (await owner.ask("GET", "/single-sign-on")).json.verifications.find((one: Json) => one.domain === domain)

forEachDriver("A domain of single sign-on", ports, (it) => {
  it.effect("does nothing until its record is found in the DNS", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        const domain = `unverified-${own.domain}`
        await set(own, { domains: [domain] })
        const person = { sub: "bo", email: emailAt(domain), groups: ["grid"] }
        const begin = () => new Browser(own.ask).post("/sign-ins/single-sign-on", { email: person.email })
        assert.deepStrictEqual(said(await begin()), [409, "single_sign_on_unknown"])
        assert.strictEqual(await refused(own, person), "domain_refused")
        assert.deepStrictEqual(said(await verify(own, domain)), [409, "domain_record_missing"])
        const { texts } = await dns()
        const { recordName, recordValue, state } = await stateOf(own, domain)
        assert.deepStrictEqual([recordName, state], [`_voltlane-challenge.${domain}`, "Unverified"])
        assert.match(recordValue, /^voltlane-verification=[0-9A-Za-z]{33}$/)
        texts.set(recordName, ["voltlane-verification=another"])
        assert.deepStrictEqual(said(await verify(own, domain)), [409, "domain_record_missing"])
        await publish(own, domain)
        const { json } = await verify(own, domain)
        assert.deepStrictEqual([json.verifications[0].state, json.verifications[0].verifiedBy], ["Verified", "Dns"])
        assert.strictEqual((await begin()).status, 201)
        assert.strictEqual((await signOn(own, person)).answer.status, 201)
        // It stays verified when the settings are stored again, and its token stays the same; another domain begins anew.
        await set(own, { domains: ["more.example", domain] })
        const kept = await stateOf(own, domain)
        assert.deepStrictEqual([kept.state, kept.recordValue], ["Verified", recordValue])
        assert.strictEqual((await stateOf(own, "more.example")).state, "Unverified")
        assert.include(
          (await logOf(own)).map(({ action }) => action),
          "SignOnDomainVerified"
        )
      })
    })
  )

  it.effect("belongs to one organisation, until another one proves it and its own record is gone", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const other = yield* founded()
      yield* Effect.promise(async () => {
        await set(own)
        await set(other, { domains: [own.domain] })
        assert.deepStrictEqual(said(await verify(other, own.domain)), [409, "domain_record_missing"])
        await publish(other, own.domain)
        assert.deepStrictEqual(said(await verify(other, own.domain)), [409, "domain_taken"])
        const { recordName, recordValue } = await stateOf(own, own.domain)
        const { texts } = await dns()
        texts.set(
          recordName,
          (texts.get(recordName) ?? []).filter((one) => one !== recordValue)
        )
        assert.strictEqual((await verify(other, own.domain)).status, 201)
        assert.strictEqual((await stateOf(own, own.domain)).state, "Unverified")
        assert.include(
          (await logOf(own)).map(({ action }) => action),
          "SignOnDomainLost"
        )
        assert.strictEqual(
          await refused(own, { sub: "bo", email: emailAt(own.domain), groups: ["grid"] }),
          "domain_refused"
        )
      })
    })
  )

  it.effect("is looked up again each day, and is lost after a week without its record or a month without answers", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      const singleSignOns = yield* SingleSignOns
      const server = yield* Effect.promise(() => dns())
      yield* Effect.promise(() => set(own))
      const { recordName } = yield* Effect.promise(() => stateOf(own, own.domain))
      const state = Effect.map(
        Effect.promise(() => stateOf(own, own.domain)),
        ({ state }) => state as string
      )
      const lookUpAfter = (days: number, values: ReadonlyArray<string> | undefined) =>
        Effect.andThen(
          singleSignOns.recheckDomain(own.organisationId, own.domain, values, Date.now() + days * day),
          state
        )
      assert.deepStrictEqual(yield* singleSignOns.dueDomains(Date.now() - day, 10), [])
      assert.strictEqual(yield* lookUpAfter(6.9, []), "Verified")
      assert.strictEqual(yield* lookUpAfter(29, undefined), "Verified")
      // Found again: the time begins anew.
      assert.strictEqual(yield* lookUpAfter(29, server.texts.get(recordName)), "Verified")
      assert.strictEqual(yield* lookUpAfter(35, []), "Verified")
      assert.strictEqual(yield* lookUpAfter(37, []), "Unverified")
      const verified = yield* Effect.promise(() => verify(own, own.domain))
      assert.strictEqual(verified.status, 201)
      assert.strictEqual(yield* lookUpAfter(31, undefined), "Unverified")
      // Those who have joined still sign in; no new person is led there.
      const answer = yield* Effect.promise(() =>
        new Browser(own.ask).post("/sign-ins/single-sign-on", { email: emailAt(own.domain) })
      )
      assert.deepStrictEqual(said(answer), [409, "single_sign_on_unknown"])
    })
  )

  it.effect("is verified without a record only by an operator of the platform", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        await set(own, { domains: ["closed.example.com"] })
        const denied = await own.owner.post("/single-sign-on/domains/closed.example.com/verify", { by: "Operator" })
        assert.deepStrictEqual([denied.status, denied.json.requiredPermissions], [403, ["platform:admin"]])
        for (const domain of ["unknown.example.com", "localhost", "%00.example", "x".repeat(300)]) {
          assert.include([400, 404], (await verify(own, domain)).status, domain)
        }
      })
      const { countryCode, partyId } = own.me.organisation
      const asked = (domain: string) =>
        administer(
          { ask: "single-sign-on verify-domain", user: "me", organisation: `${countryCode}-${partyId}`, domain },
          "https://cpo.example"
        )
      assert.match((yield* asked("closed.example.com")).note[0] ?? "", /closed\.example\.com is verified/)
      assert.include((yield* Effect.flip(asked("unknown.example.com"))).message, "there is no domain")
      yield* Effect.promise(async () => {
        const { state, verifiedBy } = await stateOf(own, "closed.example.com")
        assert.deepStrictEqual([state, verifiedBy], ["Verified", "Operator"])
      })
    })
  )

  it.effect("is refused if no one can prove it, and asks the DNS for nothing else", () =>
    Effect.gen(function* () {
      const own = yield* founded()
      yield* Effect.promise(async () => {
        const put = (domain: string) =>
          own.owner.ask("PUT", "/single-sign-on", { body: settingsOf(own, { domains: [domain] }) })
        for (const domain of ["localhost", "10.0.0.1", "db.internal", "printer.local", "a.1", "com", "x y.example"]) {
          assert.strictEqual((await put(domain)).status, 400, domain)
        }
        const server = await dns()
        const domain = `silent-${own.domain}`
        await set(own, { domains: [domain] })
        server.trouble = "silent"
        assert.deepStrictEqual(said(await verify(own, domain)), [409, "domain_lookup_failed"])
        server.trouble = "failing"
        // Deno does not tell a server's failure from a missing record.
        const failed = "Deno" in globalThis ? "domain_record_missing" : "domain_lookup_failed"
        assert.deepStrictEqual(said(await verify(own, domain)), [409, failed])
        server.trouble = undefined
        assert.isTrue(server.asked.every((name) => name.startsWith("_voltlane-challenge.")))
      })
      // The loop looks up what is due, with the same client.
      const records = DnsRecords.layer({ servers: [(yield* Effect.promise(() => dns())).address] })
      assert.isFalse(yield* Effect.provide(domainChecking({ atOnce: 5 }), Layer.fresh(records)))
    })
  )
})

/** How a person of this address is known before. */
const before = ["no account", "a password elsewhere", "provided elsewhere", "a member here"] as const
const arrivals = ["invited", "provided, own domain", "provided, foreign domain"] as const

/** What happens to a person who has proved nothing else, and to one who is signed in by password in the browser. */
const outcomes: Readonly<
  Record<(typeof before)[number], Readonly<Record<(typeof arrivals)[number], readonly [string, string?]>>>
> = {
  "no account": {
    invited: ["a new account"],
    "provided, own domain": ["a new account"],
    "provided, foreign domain": ["domain_refused"]
  },
  "a password elsewhere": {
    invited: ["a new account", "the same account"],
    "provided, own domain": ["a new account", "the same account"],
    "provided, foreign domain": ["domain_refused", "domain_refused"]
  },
  "provided elsewhere": {
    invited: ["a new account"],
    "provided, own domain": ["a new account"],
    "provided, foreign domain": ["domain_refused"]
  },
  "a member here": {
    invited: ["operator_exists"],
    "provided, own domain": ["the same account", "the same account"],
    "provided, foreign domain": ["the same account", "the same account"]
  }
}

forEachDriver("A person's address", ports, (it) => {
  it.effect("is admitted by this table", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const elsewhere = yield* founded()
      const own = yield* founded()
      const found: Record<string, Record<string, ReadonlyArray<string>>> = {}
      yield* Effect.promise(async () => {
        await set(own)
        await set(elsewhere)
      })
      let subjects = 0
      const invited = (organisation: typeof own, address: string) =>
        Effect.promise(() => organisation.owner.post("/invitations", { email: address, roleId: "Viewer" }))
      const accepted = (organisation: typeof own, link: string, body: object) =>
        Effect.promise(() =>
          new Browser(organisation.ask).post("/invitations/accept", { token: tokenOf(link), ...body })
        )
      for (const known of before) {
        for (const arrival of arrivals) {
          const results: Array<string> = []
          for (const isProved of outcomes[known][arrival].length === 2 ? [false, true] : [false]) {
            // A person provided elsewhere has an address there, which this organisation may have verified since.
            const isForeign = arrival === "provided, foreign domain"
            const address = emailAt(isForeign ? elsewhere.domain : own.domain)
            if (known === "provided elsewhere") {
              if (isForeign) {
                const given = { sub: `subject ${subjects++}`, email: address, groups: ["grid"] }
                assert.strictEqual((yield* Effect.promise(() => signOn(elsewhere, given))).answer.status, 201)
              } else {
                yield* accountWithoutPassword(elsewhere, address)
              }
            }
            if (known === "a password elsewhere" || known === "a member here") {
              const organisation = known === "a member here" ? own : elsewhere
              const { json } = yield* invited(organisation, address)
              assert.strictEqual((yield* accepted(organisation, json.link, { name: "Bo", password })).status, 201)
            }
            const had = (yield* accounts.byEmail(address)).map(({ operatorId }) => operatorId)
            const answer = yield* Effect.gen(function* () {
              if (arrival === "invited") {
                const made = yield* invited(own, address)
                if (made.status !== 201) return made
                return yield* accepted(
                  own,
                  made.json.link,
                  isProved ? { password } : { name: "Bo", password: "green lamp under blue stairs" }
                )
              }
              const browser = new Browser(own.ask)
              if (isProved) yield* Effect.promise(() => browser.post("/sign-ins", { email: address, password }))
              const person = { sub: `subject ${subjects++}`, email: address, groups: ["grid"] }
              return (yield* Effect.promise(() => signOn(own, person, browser))).answer
            })
            const id = answer.json.operator?.id as string | undefined
            results.push(
              id === undefined ? String(answer.json.code) : had.includes(id) ? "the same account" : "a new account"
            )
            // Whatever happened, accounts that were there before are as they were.
            if (known === "a password elsewhere") {
              const back = yield* Effect.promise(() =>
                new Browser(own.ask).post("/sign-ins", { email: address, password })
              )
              assert.strictEqual(back.json.operator?.id, had[0])
            }
          }
          found[known] = { ...found[known], [arrival]: results }
        }
      }
      assert.deepStrictEqual(found, outcomes as unknown)
    })
  )
})

/** Someone whom another organisation's provider admitted while that organisation had the domain. */
const accountWithoutPassword = (organisation: Effect.Success<ReturnType<typeof founded>>, address: string) =>
  Effect.gen(function* () {
    const domain = `was-${organisation.domain}`
    const given = { sub: `was ${address}`, email: emailAt(domain), groups: ["grid"] }
    yield* Effect.promise(async () => {
      await set(organisation, { domains: [organisation.domain, domain] })
      await publish(organisation, domain)
      await verify(organisation, domain)
    })
    const { answer } = yield* Effect.promise(() => signOn(organisation, given))
    assert.strictEqual(answer.status, 201, answer.text)
    yield* setAddress(String(answer.json.operator.id), address)
  })

const setAddress = (operatorId: string, address: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE operator SET email = ${address} WHERE id = ${operatorId}`)
