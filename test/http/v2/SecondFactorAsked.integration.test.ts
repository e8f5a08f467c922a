/**
 * Which operations ask for the second factor again: all whose answer has a credential that is shown once, and all that give a person access. Each
 * write of REST v2 is in one of the lists below, so a new one cannot be forgotten.
 */
import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../../../src/http/v2/Api.ts"
import { AsksFactor, Open } from "../../../src/http/v2/requests/Middleware.ts"
import { Authenticator } from "../../support/authenticator.ts"
import { origin } from "../../support/browser.ts"
import { forEachDriver } from "../../support/databases.ts"
import { founded, password, ports, said } from "../../support/people.ts"
import type { Json } from "../../support/restApp.ts"

/** Ask always: a credential, access for a person, commands to many chargers, or the second factor itself. */
const asking = [
  "api-keys.create",
  "api-keys.rotate",
  "command-batches.create",
  "firmware-campaigns.approve",
  "firmware-campaigns.create",
  "invitations.create",
  "me.beginTotp",
  "me.changePassword",
  "operators.closeAccess",
  "operators.reset",
  "operators.update",
  "organisations.create",
  "partners.create",
  "partners.invite",
  "partners.register",
  "partners.renew",
  "passkeys.begin",
  "passkeys.create",
  "passkeys.remove",
  "roles.create",
  "roles.remove",
  "roles.update",
  "single-sign-on.remove",
  "single-sign-on.set",
  "single-sign-on.verifyDomain",
  "webhooks.create",
  "webhooks.rotateSecret"
]

/** Ask if the request does what they could do harm with. */
const askingIf = [
  "chargers.create",
  "chargers.update",
  "commands.issue",
  "me.changeTotp",
  "organisations.update",
  "webhooks.update"
]

const charging = "runs charging stations, cards, prices and records; makes no credential and gives no one access"
const revoking = "takes access away, which must be possible at once"
const resending = "sends again what its receiver is to get, to the address that was given with the second factor"
const own = "concerns the person's own settings or sign-ins"

/** Writes that do not ask, each with its reason. */
const notAsking: Readonly<Record<string, string>> = {
  "me.createRecoveryCodes": "has a code of the second factor in the request",
  "me.proveFactor": "is the proof itself",
  "me.changeOrganisation": "the sign-in keeps the strength and age of its proof, and is the same person's",
  "me.update": own,
  "views.create": own,
  "views.remove": own,
  "passkeys.rename": own,
  "sign-ins.remove": revoking,
  "sign-ins.removeCurrent": revoking,
  "sign-ins.removeOthers": revoking,
  "api-keys.revoke": revoking,
  "invitations.remove": revoking,
  "partners.remove": revoking,
  "webhooks.remove": revoking,
  "partners.update":
    "renames, suspends, or sets how the partner deviates from the standard; its tokens stay as they are",
  "parties.create":
    "a party is a name under which the organisation roams; partners get it with the tokens that they have",
  "single-sign-on.test": "reads what a provider publishes; stores nothing",
  "webhooks.ping": resending,
  "webhooks.replay": resending,
  "deliveries.replay": resending,
  "deliveries.replayAll": resending,
  "deliveries.discard": resending,
  "command-batches.pause": charging,
  "command-batches.resume": charging,
  "command-batches.cancel": charging,
  "firmware-campaigns.pause": charging,
  "firmware-campaigns.resume": charging,
  "firmware-campaigns.cancel": charging,
  "files.store": charging,
  "files.remove": charging,
  "sites.create": charging,
  "sites.update": charging,
  "sites.remove": charging,
  "chargers.remove": charging,
  "unknown-chargers.forget": charging,
  "expectations.setTemplate": charging,
  "expectations.apply": charging,
  "expectations.setQuirks": charging,
  "sessions.release": charging,
  "sessions.correct": charging,
  "cdrs.credit": charging,
  "tokens.create": charging,
  "tokens.update": charging,
  "tokens.remove": charging,
  "tariffs.create": charging,
  "tariffs.update": charging,
  "tariffs.remove": charging,
  "tariffs.assign": charging,
  "tariffs.unassign": charging,
  "tariffs.preview": charging,
  "tariffs.week": charging
}

/** Answers with a secret of operations that do not ask. */
const secretsWithoutAsking = [
  // The codes replace those of the person who sends a code of the second factor.
  "me.createRecoveryCodes"
]

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly asks: boolean | string
  readonly isOpen: boolean
}

const operations: ReadonlyArray<Operation> = (() => {
  const found: Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const { annotations, identifier, method, path } = endpoint
      const asks = Context.get(annotations, AsksFactor)
      const isOpen = Context.get(annotations, Open)
      found.push({ name: `${group.identifier}.${identifier}`, method, path, asks, isOpen })
    }
  })
  return found
})()

/** Whether an answer has a property that is shown only once, or is named like a credential. */
const hasSecret = (schema: Json, components: Json, seen: ReadonlySet<string> = new Set()): boolean => {
  if (typeof schema !== "object" || schema === null) return false
  const ref = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined
  if (ref !== undefined) {
    return seen.has(ref) ? false : hasSecret(components[ref], components, new Set([...seen, ref]))
  }
  const fields = Object.entries<Json>(schema.properties ?? {})
  return (
    fields.some(
      ([name, field]) =>
        /shown (?:only )?once/.test(field?.description ?? "") ||
        (field?.type !== "boolean" &&
          /^(?:secret|password|link|code|codes|recoveryCodes|credentialsToken|apiKey)$/i.test(name))
    ) ||
    [...fields.map(([, field]) => field), schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some((one) =>
      hasSecret(one, components, seen)
    )
  )
}

const ids: Readonly<Record<string, string>> = { chargerId: "CP-1", passkeyId: "abc", roleId: "Viewer" }
const anyId = "0197f3a0-0000-7000-8000-000000000001"
const pathOf = ({ path }: Operation): string =>
  path.replace("/cpo/v2", "").replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? anyId)

/** Requests that must be refused for a stale factor, and ones of the same operation that need not. */
const conditions: ReadonlyArray<{
  readonly name: string
  readonly asking: ReadonlyArray<object>
  readonly free: object
}> = [
  {
    name: "chargers.create",
    asking: [
      { name: "One", chargerId: "CP-1", generatePassword: true },
      { name: "One", chargerId: "CP-1", password: "a-long-password-1" }
    ],
    free: { name: "One", chargerId: "CP-1" }
  },
  {
    name: "chargers.update",
    asking: [{ generatePassword: true }, { password: "a-long-password-1" }],
    free: { name: "Two" }
  },
  {
    name: "commands.issue",
    asking: [
      { type: "ChangeConfiguration", key: "AuthorizationKey" },
      { type: "ChangeConfiguration", key: " authorizationkey", value: "0123456789abcdef" }
    ],
    free: { type: "ClearCache" }
  },
  {
    name: "me.changeTotp",
    asking: [{ enabled: true, code: "000000" }],
    free: { enabled: false, code: "000000" }
  },
  { name: "organisations.update", asking: [{ requireSecondFactor: false }], free: { requireSecondFactor: true } },
  {
    name: "webhooks.update",
    asking: [{ url: "https://example.com/hook" }, { url: "https://example.com/hook", active: false }],
    free: { active: false }
  }
]

forEachDriver("A second factor that was proved long ago", ports, (it) => {
  it.effect("is asked for by each operation that gives a credential or access, and by no other", () =>
    Effect.gen(function* () {
      const writes = operations.filter(({ isOpen, method }) => method !== "GET" && !isOpen)
      const named = (wanted: (asks: boolean | string) => boolean) =>
        operations.flatMap(({ asks, name }) => (wanted(asks) ? [name] : [])).toSorted()
      assert.deepStrictEqual(
        named((asks) => asks === true),
        asking
      )
      assert.deepStrictEqual(
        named((asks) => typeof asks === "string"),
        askingIf
      )
      assert.deepStrictEqual(
        writes.map(({ name }) => name).toSorted(),
        [...asking, ...askingIf, ...Object.keys(notAsking)].toSorted()
      )

      const { ask } = yield* founded
      const { components, paths } = (yield* Effect.promise(() => ask("GET", "/cpo/swagger.json"))).json
      const revealing = operations.flatMap(({ asks, isOpen, method, name, path }) => {
        const described = paths[path.replace("/cpo", "").replaceAll(/:(\w+)/g, "{$1}")][method.toLowerCase()]
        const condition = described["x-second-factor"]
        assert.deepStrictEqual([name, condition ?? false], [name, asks])
        const answers = Object.entries<Json>(described.responses).filter(([status]) => status.startsWith("2"))
        const isRevealing = answers.some(([, { content }]) =>
          hasSecret(content?.["application/json"]?.schema, components.schemas)
        )
        return isRevealing && asks === false && !isOpen ? [name] : []
      })
      assert.deepStrictEqual(revealing, secretsWithoutAsking)
    })
  )

  it.effect("refuses each of them with 403 until it is proved again, and no request with a key", () =>
    Effect.gen(function* () {
      const { ask, key, operatorId, organisationId, owner } = yield* founded
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE membership SET additions = ARRAY['platform:admin']
        WHERE operator_id = ${operatorId} AND organisation_id = ${organisationId}`
      const device = new Authenticator(origin)
      const age = sql`UPDATE sign_in SET factor_at = now() - interval '16 minutes' WHERE operator_id = ${operatorId}`
      yield* Effect.promise(async () => {
        const { id, response } = device.create((await owner.post("/me/passkeys/options", { password })).json)
        const made = await owner.ask("PUT", `/me/passkeys/${id}`, { body: { name: "Mine", response } })
        assert.strictEqual(made.status, 200, made.text)
      })
      yield* age
      yield* Effect.promise(async () => {
        for (const one of operations.filter(({ asks }) => asks === true)) {
          const answer = await owner.ask(one.method, pathOf(one), one.method === "DELETE" ? {} : { body: {} })
          assert.deepStrictEqual([one.name, ...said(answer)], [one.name, 403, "second_factor_stale"])
        }
        const site = await owner.post("/sites", { name: "Site" })
        assert.strictEqual(site.status, 200, site.text)
        for (const { asking: bodies, free, name } of conditions) {
          const { method, path } = operations.find((one) => one.name === name) ?? assert.fail(name)
          const at = pathOf({ path } as Operation)
          for (const body of bodies) {
            const headers = { "idempotency-key": `${name} ${JSON.stringify(body)}` }
            const refused = await owner.ask(method, at, { body, headers })
            assert.deepStrictEqual([name, body, ...said(refused)], [name, body, 403, "second_factor_stale"])
          }
          const allowed = await owner.ask(method, at, { body: free })
          assert.notStrictEqual(allowed.json?.code, "second_factor_stale", `${name}: ${allowed.text}`)
        }
        const newWebhook = { url: "https://example.com/hook" }
        const byKey = await ask("POST", "/cpo/v2/webhooks", { key, body: newWebhook })
        assert.deepStrictEqual(said(byKey), [201, undefined])

        // After the proof the same request, with the same Idempotency-Key, is processed.
        const options = (await owner.post("/sign-ins/passkey-challenges", {})).json
        const shown = await owner.ask("PUT", "/me/second-factor", { body: { credential: device.get(options) } })
        assert.strictEqual(shown.status, 200, shown.text)
        const body = { name: "Two", chargerId: "CP-2", generatePassword: true }
        const headers = { "idempotency-key": "once" }
        assert.strictEqual((await owner.ask("POST", "/chargers", { body, headers })).status, 200)
        assert.deepStrictEqual(said(await owner.post("/webhooks", newWebhook)), [201, undefined])
      })
      yield* age
      yield* Effect.promise(async () => {
        const body = { name: "Three", chargerId: "CP-3", generatePassword: true }
        const headers = { "idempotency-key": "again" }
        const create = () => owner.ask("POST", "/chargers", { body, headers })
        assert.deepStrictEqual(said(await create()), [403, "second_factor_stale"])
        const options = (await owner.post("/sign-ins/passkey-challenges", {})).json
        await owner.ask("PUT", "/me/second-factor", { body: { credential: device.get(options) } })
        assert.strictEqual((await create()).status, 200)
      })
    })
  )
})
