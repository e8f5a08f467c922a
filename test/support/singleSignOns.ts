/** An organisation whose people sign in by a provider of its own, and what they do in their browsers. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Commands } from "../../src/domain/command/Commands.ts"
import { Accounts } from "../../src/domain/operator/Accounts.ts"
import { builtInRoles } from "../../src/domain/operator/Role.ts"
import { newSecret, secretHash } from "../../src/domain/operator/SignIn.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import * as OpenIdConnect from "../../src/outbound/OpenIdConnect.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { Browser } from "./browser.ts"
import { beside } from "./fakePorts.ts"
import { FakeWorld } from "./fakeRecords.ts"
import { clientSecret, Provider } from "./identityProvider.ts"
import { repositories, type Repositories } from "./repositories.ts"
import { type Answer, type Json, makeOrganisation, restApp } from "./restApp.ts"

export const ports = CommandsStorage.layer({
  maxWaiting: 10,
  chargersPerMinute: 10,
  tls: true,
  clientCertificates: true
}).pipe(Layer.provideMerge(repositories))

const outbound = { allowPrivate: true, timeoutMillis: 5_000, maxResponseBytes: 1_000_000 }

const face = Effect.fnUntraced(function* (allowPrivate: boolean) {
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const services = Layer.mergeAll(
    Layer.succeedContext(context),
    beside(new FakeWorld()),
    OpenIdConnect.layer({ ...outbound, allowPrivate })
  )
  return yield* Effect.acquireRelease(
    Effect.sync(() => restApp(services)),
    (app) => Effect.promise(() => app.close())
  )
})

export const password = "violet tram over nine hills"
let people = 0
export const emailAt = (domain: string, name = "bo"): string => `${name}-${people++}@${domain}`

/** Another domain for each: the tests share one database. */
const newDomain = (): string => `d${people++}.example`

/** An organisation whose owner has signed in by password, with a provider that nothing was said of yet. */
export const founded = Effect.fnUntraced(function* (allowPrivate = true) {
  const { ask, logged } = yield* face(allowPrivate)
  const accounts = yield* Accounts
  const secrets = yield* Secrets
  const given = yield* makeOrganisation(builtInRoles.Owner)
  const [operator] = (yield* accounts.operators(given.organisationId, { limit: 5 })).items
  const token = newSecret(secrets)
  const hash = secretHash(secrets, "account-link", token)!
  yield* accounts.createSetUp(given.organisationId, operator!.id, hash, Date.now())
  const owner = new Browser(ask)
  const domain = newDomain()
  const address = emailAt(domain, "ada")
  const done = yield* Effect.promise(() => owner.post("/set-up", { token, email: address, name: "Ada", password }))
  assert.strictEqual(done.status, 201, done.text)
  const provider = yield* Effect.acquireRelease(
    Effect.promise(() => Provider.start()),
    (one) => Effect.promise(() => one.stop())
  )
  const { countryCode, partyId } = done.json.organisation
  return { ...given, ask, logged, owner, address, domain, provider, code: `${countryCode}-${partyId}` }
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
  return answer
}

/** To the provider; answers what it sends back. */
export const gone = async ({ code, provider }: Founded, browser: Browser): Promise<string> => {
  const begun = await browser.post("/sign-ins/single-sign-on", { organisation: code })
  assert.strictEqual(begun.status, 201, begun.text)
  return provider.authorize(begun.json.url)
}

export const back = (browser: Browser, query: string): Promise<Answer> =>
  browser.post("/sign-ins/single-sign-on/return", { query })

/** The whole way, as a person of whom the provider says so much. */
export const signOn = async (own: Founded, person: object, browser = new Browser(own.ask)) => {
  own.provider.person = { sub: `subject-${people}`, email_verified: true, ...person }
  return { browser, answer: await back(browser, await gone(own, browser)) }
}

export const said = ({ json, status }: Answer): ReadonlyArray<unknown> => [status, json?.code]

export const refused = async (own: Founded, person: object): Promise<unknown> =>
  said((await signOn(own, person)).answer)[1]

export const logOf = async ({ owner }: Founded): Promise<ReadonlyArray<Json>> =>
  (await owner.ask("GET", "/audit-log?limit=100")).json.items
