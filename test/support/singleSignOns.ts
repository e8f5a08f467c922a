/** An organisation whose people sign in by an identity provider of its own, and what they do in their browsers. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Commands } from "../../src/domain/command/Commands.ts"
import * as DnsRecords from "../../src/outbound/DnsRecords.ts"
import * as OpenIdConnect from "../../src/outbound/OpenIdConnect.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { Browser } from "./browser.ts"
import { beside } from "./fakePorts.ts"
import { FakeWorld } from "./fakeRecords.ts"
import { DnsServer } from "./dnsServer.ts"
import { clientSecret, Provider } from "./identityProvider.ts"
import { foundedBy, said } from "./people.ts"
import type { Repositories } from "./repositories.ts"
import { type Answer, type Json, restApp } from "./restApp.ts"

const outbound = { allowPrivate: true, timeoutMillis: 5_000, maxResponseBytes: 1_000_000 }

let started: Promise<DnsServer> | undefined
/** The DNS of all tests of one process. */
export const dns = (): Promise<DnsServer> => (started ??= DnsServer.start())

const face = Effect.fnUntraced(function* (allowPrivate: boolean) {
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const services = Layer.mergeAll(
    Layer.succeedContext(context),
    beside(new FakeWorld()),
    OpenIdConnect.layer({ ...outbound, allowPrivate }),
    DnsRecords.layer({ servers: [(yield* Effect.promise(() => dns())).address], timeoutMillis: 200, tries: 1 })
  )
  return yield* Effect.acquireRelease(
    Effect.sync(() => restApp(services)),
    (app) => Effect.promise(() => app.close())
  )
})

let people = 0
export const emailAt = (domain: string, name = "bo"): string => `${name}-${people++}@${domain}`

/** A different domain for each test, since the tests share one database. */
const newDomain = (): string => `d${people++}.example`

/** An organisation whose owner has signed in by password, with a provider that is not configured yet. */
export const founded = Effect.fnUntraced(function* (allowPrivate = true) {
  const { ask, logged } = yield* face(allowPrivate)
  const domain = newDomain()
  const own = yield* foundedBy(ask, emailAt(domain, "ada"))
  const provider = yield* Effect.acquireRelease(
    Effect.promise(() => Provider.start()),
    (one) => Effect.promise(() => one.stop())
  )
  const { countryCode, partyId } = own.me.organisation
  return { ...own, logged, domain, provider, code: `${countryCode}-${partyId}` }
})

type Founded = Effect.Success<ReturnType<typeof founded>>

export const settingsOf = ({ domain, provider }: Founded, more: object = {}): Json => ({
  issuer: provider.issuer,
  clientId: provider.clientId,
  clientSecret,
  groupRoles: [
    { group: "admins", roleId: "Owner" },
    { group: "grid", roleId: "Operations" }
  ],
  domains: [domain],
  enabled: true,
  ...more
})

export const set = async (own: Founded, more: object = {}): Promise<Answer> => {
  const answer = await own.owner.ask("PUT", "/single-sign-on", { body: settingsOf(own, more) })
  assert.strictEqual(answer.status, 200, answer.text)
  // The organisation's own domain is its own, also in the DNS.
  if (!answer.json.verifications.some((one: Json) => one.domain === own.domain && one.state === "Unverified"))
    return answer
  await publish(own, own.domain)
  const verified = await verify(own, own.domain)
  assert.strictEqual(verified.status, 201, verified.text)
  return answer
}

/** Puts the record of a domain into the DNS, as far as this organisation is concerned. */
export const publish = async (own: Founded, domain: string): Promise<void> => {
  const { json } = await own.owner.ask("GET", "/single-sign-on")
  const found = json.verifications.find((one: Json) => one.domain === domain)
  const { texts } = await dns()
  texts.set(found.recordName, [...(texts.get(found.recordName) ?? []), "v=spf1 -all", found.recordValue])
}

export const verify = (own: Founded, domain: string): Promise<Answer> =>
  own.owner.post(`/single-sign-on/domains/${domain}/verify`, {})

/** Goes to the provider; returns the query with which it sends the browser back. */
export const gone = async ({ code, provider }: Founded, browser: Browser): Promise<string> => {
  const begun = await browser.post("/sign-ins/single-sign-on", { organisation: code })
  assert.strictEqual(begun.status, 201, begun.text)
  return provider.authorize(begun.json.url)
}

export const back = (browser: Browser, query: string): Promise<Answer> =>
  browser.post("/sign-ins/single-sign-on/return", { query })

/** The whole sign-in of a person, about whom the provider returns these claims. */
export const signOn = async (own: Founded, person: object, browser = new Browser(own.ask)) => {
  own.provider.person = { sub: `subject-${people}`, email_verified: true, ...person }
  return { browser, answer: await back(browser, await gone(own, browser)) }
}

export const refused = async (own: Founded, person: object): Promise<unknown> =>
  said((await signOn(own, person)).answer)[1]

export const logOf = async ({ owner }: Founded): Promise<ReadonlyArray<Json>> =>
  (await owner.ask("GET", "/audit-log?limit=100")).json.items
