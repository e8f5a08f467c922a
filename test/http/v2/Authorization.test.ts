/** Who may call REST v2, and with which permissions (T20, T22). */
import { HttpApi } from "effect/http-api"
import { Context } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { crc32, parseKey } from "../../../src/domain/values/KeyFormat.ts"
import { permissions } from "../../../src/domain/operator/Permission.ts"
import { Api } from "../../../src/http/v2/Api.ts"
import { Authorization, Open, RequiredPermissions } from "../../../src/http/v2/requests/Middleware.ts"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeAll(async () => {
  app = await fakeApp()
})
afterAll(() => app.close())

const sites = "/cpo/v2/sites"

/** Every endpoint as declared by the API. */
const endpoints: Array<{
  readonly name: string
  readonly permissions: ReadonlyArray<string> | undefined
  readonly guarded: boolean
  readonly isOpen: boolean
}> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    endpoints.push({
      name: `${group.identifier}.${endpoint.identifier}`,
      permissions: Context.getOrUndefined(endpoint.annotations, RequiredPermissions),
      guarded: endpoint.middlewares.has(Authorization),
      isOpen: Context.get(endpoint.annotations, Open)
    })
  }
})

describe("every endpoint", () => {
  it("requires a key or sign-in and at least one permission, except those about the caller's own account", () => {
    expect(endpoints.length).toBeGreaterThan(20)
    for (const endpoint of endpoints) expect([endpoint.name, endpoint.guarded]).toEqual([endpoint.name, true])
    const unpermitted = endpoints.filter((endpoint) => (endpoint.permissions ?? []).length === 0)
    // The exceptions: the caller's own account, and search and counts, which leave out what the caller may not read.
    expect(
      unpermitted.filter(
        ({ name }) =>
          !/^(?:me|passkeys|sign-ins|set-up)\.|^single-sign-on\.(?:offer|begin|complete)$|^invitations\.accept$|^search\.find$|^views\.|^work\.get$/.test(
            name
          )
      )
    ).toEqual([])
    const known = endpoints.filter(({ isOpen }) => isOpen).map(({ name }) => name)
    expect(known).toEqual([
      "passkeys.challenge",
      "passkeys.signIn",
      "sign-ins.create",
      "set-up.create",
      "invitations.accept",
      "single-sign-on.offer",
      "single-sign-on.begin",
      "single-sign-on.complete"
    ])
  })

  it("declares its permissions in the OpenAPI document", async () => {
    const { json } = await app.ask("GET", "/cpo/swagger.json")
    const said = Object.values<Json>(json.paths)
      .flatMap((item) => Object.values<Json>(item))
      .map((operation) => [operation.operationId, operation["x-required-permissions"]])
    expect(said.toSorted()).toEqual(endpoints.map((endpoint) => [endpoint.name, endpoint.permissions]).toSorted())
  })

  it("uses every permission that exists", () => {
    const used = new Set(endpoints.flatMap((endpoint) => endpoint.permissions ?? []))
    // It opens no endpoint: it shows what is masked in the answers of others.
    used.add("chargers:secrets")
    expect(permissions.filter((permission) => !used.has(permission))).toEqual([])
  })
})

describe("a key", () => {
  it("that is missing, unknown or broken is refused with 401 and a hint how to send one", async () => {
    const broken = `${app.key.slice(0, -1)}${app.key.endsWith("0") ? "1" : "0"}`
    // The public id of an existing key with a wrong secret and a correct checksum.
    const body = app.key.replace(/_.{43}_.{8}$/, `_${"0".repeat(43)}`)
    const wrongSecret = `${body}_${crc32(body)}`
    expect(parseKey(wrongSecret)?.publicId).toBe(parseKey(app.key)?.publicId)
    for (const key of [undefined, "", "x", "an unknown key of good length", broken, wrongSecret, "x".repeat(5000)]) {
      const answer = await app.ask("GET", sites, { key })
      expect([answer.status, answer.json.code]).toEqual([401, "unauthorized"])
      expect(answer.headers.get("www-authenticate")).toContain("x-api-key")
    }
  })

  it("of REST v1 is refused, alone and as a pair", async () => {
    expect((await app.ask("GET", sites, { key: app.own.code })).status).toBe(401)
    expect((await app.ask("GET", `${sites}?code=${app.own.code}&clientId=${app.own.clientId}`)).status).toBe(401)
  })

  it("costs one storage call if it could be a key, and none if it is too long", async () => {
    app.world.calls = 0
    await app.ask("GET", sites, { key: "x".repeat(257) })
    expect(app.world.calls).toBe(0)
    await app.ask("GET", sites, { key: "a key that does not exist" })
    expect(app.world.calls).toBe(1)
  })

  it("is recorded as used", async () => {
    app.world.used.length = 0
    await app.ask("GET", sites, { key: app.key })
    expect(app.world.used).toEqual([expect.stringMatching(/^key:/)])
    await app.ask("GET", sites, { key: "a key that does not exist" })
    expect(app.world.used).toHaveLength(1)
  })

  it("without the permission is refused with 403 that names it, before the body is read", async () => {
    const { key } = await app.organise(["sites:read"])
    const refused = await app.ask("POST", sites, { key, raw: "not even JSON" })
    expect([refused.status, refused.json.code, refused.json.requiredPermissions]).toEqual([
      403,
      "permission_denied",
      ["sites:write"]
    ])
    expect((await app.ask("GET", sites, { key })).status).toBe(200)
  })

  it("loses a permission at the next call after its operator has lost it", async () => {
    const { key, organisationId } = await app.organise(["sites:read", "chargers:read"])
    expect((await app.ask("GET", sites, { key })).status).toBe(200)
    const operator = [...app.world.operators.values()].find((one) => one.organisationId === organisationId)
    if (operator !== undefined) operator.permissions = ["chargers:read"]
    const refused = await app.ask("GET", sites, { key })
    expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["sites:read"]])
  })

  it("can create and revoke only keys with no more permissions than its own, and says which it lacks", async () => {
    const make = (key: string, permissions: ReadonlyArray<string> | undefined) =>
      app.ask("POST", "/cpo/v2/api-keys", { key, body: { name: "A key", ...(permissions && { permissions }) } })
    const { key } = await app.organise(["sites:read", "sites:write", "api-keys:read", "api-keys:write"])
    const narrow = (await make(key, ["sites:read", "api-keys:read", "api-keys:write"])).json
    const writer = (await make(key, ["sites:write"])).json
    const lacking = { status: 403, code: "permission_denied", requiredPermissions: ["sites:write"] }
    const said = ({ json, status }: Awaited<ReturnType<typeof make>>) => ({
      status,
      code: json.code,
      requiredPermissions: json.requiredPermissions
    })
    const refused = await make(narrow.key, ["sites:read", "sites:write"])
    expect([said(refused), refused.json.detail]).toEqual([lacking, "Missing permissions: sites:write."])
    const revoke = (id: string) => app.ask("DELETE", `/cpo/v2/api-keys/${id}`, { key: narrow.key })
    const first = (await app.ask("GET", "/cpo/v2/api-keys", { key })).json.items.find(
      (one: Json) => one.permissions === null
    )
    for (const id of [first.id, writer.id]) {
      const answer = await revoke(id)
      expect([said(answer), answer.json.detail]).toEqual([lacking, "Missing permissions: sites:write."])
    }
    expect((await app.ask("GET", sites, { key })).status).toBe(200)
    // A key that is created without permissions gets those of its creator.
    const copy = (await make(narrow.key, undefined)).json
    expect(copy.permissions).toEqual(["sites:read", "api-keys:read", "api-keys:write"])
    expect([(await revoke(copy.id)).status, (await revoke(narrow.id)).status]).toEqual([204, 204])
    expect((await revoke(writer.id)).status).toBe(401)
  })

  it("appears in no log and no answer", async () => {
    app.logged.length = 0
    app.world.defect = new Error("something broke")
    const failed = await app.ask("GET", sites, { key: app.key })
    app.world.defect = undefined
    expect(failed.status).toBe(500)
    expect(app.logged).toHaveLength(1)
    expect(`${app.logged.join()}${failed.text}`).not.toContain(app.key)
  })
})

it("requires no key for the OpenAPI document and the documentation page", async () => {
  expect((await app.ask("GET", "/cpo/swagger.json")).status).toBe(200)
  expect((await app.ask("GET", "/cpo/docs")).status).toBe(200)
})
