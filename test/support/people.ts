/** Organisations with people who sign in, with real storage, for tests of accounts. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Commands } from "../../src/domain/command/Commands.ts"
import { Accounts } from "../../src/domain/operator/Accounts.ts"
import { builtInRoles } from "../../src/domain/operator/Role.ts"
import { newSecret, secretHash } from "../../src/domain/operator/SignIn.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import { Browser } from "./browser.ts"
import { beside } from "./fakePorts.ts"
import { FakeWorld } from "./fakeRecords.ts"
import { repositories, type Repositories } from "./repositories.ts"
import { type Answer, type Ask, makeOrganisation, restApp } from "./restApp.ts"

export const ports = CommandsStorage.layer({
  nodeId: "node-1",
  maxWaiting: 10,
  chargersPerMinute: 10,
  tls: true,
  clientCertificates: true
}).pipe(Layer.provideMerge(repositories))

/** REST with this suite's database; every client comes from the network that its header names. */
export const face = Effect.gen(function* () {
  const context = yield* Effect.context<Repositories | Commands | Database>()
  const services = Layer.merge(Layer.succeedContext(context), beside(new FakeWorld()))
  const rateLimits = {
    requestsPerMinute: 0,
    wrongKeysPerMinute: 0,
    networkOf: ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
      headers["x-test-network"] ?? "192.0.2.0/24"
  }
  return yield* Effect.acquireRelease(
    // No stream checks again by itself during a test.
    Effect.sync(() => restApp(services, { v2: { rateLimits, version: "1.2.3", streams } })),
    (app) => Effect.promise(() => app.close())
  )
})

const streams = { ending: Effect.never, keepAliveMillis: 3_600_000 }

export const password = "violet tram over nine hills"
let people = 0
export const email = (name: string): string => `${name}-${people++}@example.com`

/** An organisation whose owner has signed in by the link of the first start, with that email address. */
export const foundedBy = Effect.fnUntraced(function* (ask: Ask, address: string) {
  const accounts = yield* Accounts
  const secrets = yield* Secrets
  const given = yield* makeOrganisation(builtInRoles.Owner)
  const [operator] = (yield* accounts.operators(given.organisationId, { limit: 5 })).items
  const token = newSecret(secrets)
  yield* accounts.createSetUp(
    given.organisationId,
    operator!.id,
    secretHash(secrets, "account-link", token)!,
    Date.now()
  )
  const owner = new Browser(ask)
  const done = yield* Effect.promise(() => owner.post("/set-up", { token, email: address, name: "Ada", password }))
  assert.strictEqual(done.status, 201, done.text)
  return { ...given, ask, owner, address, token, operatorId: operator!.id, me: done.json }
})

export const founded = Effect.flatMap(face, ({ ask }) => foundedBy(ask, email("ada")))

export type Founded = Effect.Success<typeof founded>

/** The status and the code of an answer. */
export const said = ({ json, status }: Answer): ReadonlyArray<unknown> => [status, json?.code]

export const tokenOf = (link: string): string => new URL(link).hash.slice(1)

/** Another operator of the organisation, signed in. */
export const joined = async ({ ask, owner }: Founded, roleId: string, address = email("bo")) => {
  const invited = await owner.post("/invitations", { email: address, roleId })
  assert.strictEqual(invited.status, 201, invited.text)
  const browser = new Browser(ask)
  const token = tokenOf(invited.json.link)
  const accepted = await browser.post("/invitations/accept", { token, name: "Bo", password })
  assert.strictEqual(accepted.status, 201, accepted.text)
  return { browser, address, token, id: String(accepted.json.operator.id), me: accepted.json }
}
