/**
 * Two organisations and every route: the stranger requests the owner's things by each operation of the OpenAPI documents, and must not learn or
 * change anything (T23). New routes are included automatically. A route with a path parameter or a body for which there is no recipe fails the walk,
 * so that none is forgotten.
 */
import type { Answer, Ask, Json, TestCredentials } from "./restApp.ts"

/** What the owner has, by the names of path and query parameters in the OpenAPI documents. */
export interface Owned {
  readonly siteId: string
  readonly groupId: string
  readonly chargerId: string
  readonly sessionId: string
  readonly uid: string
  /** The token of its session. */
  readonly tokenUid: string
  /** A search text that is in its records. */
  readonly q: string
  /** For a series, as it has no default. */
  readonly metric: string
  readonly keyId: string
  readonly tariffId: string
  readonly cdrId: string
  readonly partnerId: string
  /** For OCPI. */
  readonly module: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly eventId: string
  /** For a command. */
  readonly id: string
  readonly operatorId: string
  readonly roleId: string
  readonly invitationId: string
  /** Belongs to no one: the walk uses API keys. */
  readonly signInId: string
  /** The same. */
  readonly passkeyId: string
  readonly viewId: string
  /** A domain of its single sign-on. */
  readonly domain: string
}

/** A text that is in the owner's records and nowhere else. */
export const mark = "OWNERS-OWN"

interface Operation {
  readonly method: string
  /** As in the document, with `{name}` for parameters. */
  readonly path: string
  readonly operationId: string
  readonly query: ReadonlyArray<string>
  readonly hasBody: boolean
}

/** Every operation of a document. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: `${new URL(document.servers[0].url).pathname.replace(/\/$/, "")}${path}`,
      operationId: operation.operationId,
      query: (operation.parameters ?? []).filter((one: Json) => one.in === "query").map((one: Json) => one.name),
      hasBody: operation.requestBody !== undefined
    }))
  )

/** Bodies that would have an effect if the stranger were allowed to send them. Keyed by operationId. */
const bodies = (owned: Owned): Readonly<Record<string, Json>> => ({
  "organisations.create": { name: "Stranger's", countryCode: "FI", partyId: "STR" },
  "organisations.update": { name: "Stranger's own" },
  "sites.create": { name: "Stranger's site" },
  "sites.update": { name: "Taken over" },
  "chargers.create": { name: "Stranger's charger", chargerId: "STRANGER-1", siteId: owned.siteId },
  "chargers.update": { name: "Taken over", generatePassword: true },
  "commands.issue": { type: "Reset", resetType: "Hard", expiresIn: 60 },
  "command-batches.create": { command: { type: "Reset", resetType: "Hard" }, chargerIds: [owned.chargerId] },
  "firmware-campaigns.create": {
    name: "Stranger's",
    location: "https://stranger.example/fw.bin",
    chargerIds: [owned.chargerId]
  },
  "expectations.setTemplate": { keys: [{ key: "HeartbeatInterval", value: "1" }] },
  "expectations.setQuirks": { rules: [{ name: "all", vendor: "*", tolerances: { callTimeoutSeconds: 5 } }] },
  "expectations.apply": {},
  "tariffs.create": { currency: "EUR", elements: [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }] },
  "sessions.correct": { energyWh: 0, reason: "taken over" },
  "tariffs.update": { tariffAltUrl: "https://stranger.example" },
  "tariffs.assign": { default: true },
  "tariffs.preview": {
    tariff: { currency: "EUR", elements: [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }] },
    session: { startedAt: "2026-05-20T10:00:00Z", endedAt: "2026-05-20T11:00:00Z", readings: [] }
  },
  "tariffs.week": {
    tariff: { currency: "EUR", elements: [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }] },
    startDate: "2026-05-18"
  },
  "partners.create": { name: "Stranger's partner", countryCode: "DE", partyId: "STR", roles: ["EMSP"] },
  "partners.update": { name: "Taken over", suspended: true },
  "partners.register": { versionsUrl: "https://stranger.example/ocpi/versions", token: "stranger" },
  "webhooks.create": { url: "https://stranger.example/hook" },
  "webhooks.update": { url: "https://stranger.example/hook", active: false },
  "parties.create": { countryCode: "FI", partyId: "ST2", businessDetails: { name: "Stranger's party" } },
  "tokens.create": { uid: "CARD-OF-STRANGER" },
  "tokens.update": { status: "Blocked" },
  "api-keys.rotate": { overlapSeconds: 60 },
  "api-keys.create": { name: "Stranger's key" },
  "sign-ins.create": { email: "stranger@example.com", password: "a guess of the stranger" },
  "set-up.create": { token: "x".repeat(43), email: "stranger@example.com", name: "S", password: "a long one of his" },
  "me.update": { name: "Stranger" },
  "me.changePassword": { currentPassword: "a guess of the stranger", newPassword: "another one of the stranger" },
  "me.changeOrganisation": { organisationId: owned.operatorId },
  "me.beginTotp": { password: "a guess of the stranger" },
  "me.proveFactor": { code: "000000" },
  "views.create": { name: "Stranger's", path: "/chargers?is=offline", shared: true },
  "passkeys.begin": { password: "a guess of the stranger" },
  "passkeys.create": {
    name: "Stranger's",
    response: { clientDataJSON: "AAAA", attestationObject: "AAAA" }
  },
  "passkeys.rename": { name: "Taken over" },
  "passkeys.signIn": {
    credential: { id: "AAAA", response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" } }
  },
  "me.changeTotp": { enabled: false, code: "000000" },
  "me.createRecoveryCodes": { code: "000000" },
  "operators.update": { name: "Taken over" },
  "operators.closeAccess": { items: [{ kind: "ApiKey", id: "019a9f3e-0000-7000-8000-000000000000" }] },
  "roles.create": { name: "Stranger's role", permissions: ["sites:read"] },
  "roles.update": { name: "Taken over" },
  "invitations.create": { email: "friend@example.com", roleId: "Viewer" },
  "invitations.accept": { token: "x".repeat(43), name: "Stranger", password: "a long one of the stranger" },
  // With a role of the owner.
  "single-sign-on.set": {
    issuer: "https://login.stranger.example",
    clientId: "stranger",
    defaultRoleId: owned.roleId,
    enabled: false
  },
  "single-sign-on.verifyDomain": { by: "Dns" },
  "single-sign-on.test": { issuer: "https://login.stranger.example" },
  "single-sign-on.begin": { organisation: "NL-OWN" },
  "single-sign-on.complete": { query: "code=stranger&state=stranger" },
  "group.add": { name: "Stranger's group" },
  "charger.add": { chargerName: "Stranger's charger" }
})

/** Bodies that are not JSON. Keyed by operationId. */
const raws: Readonly<Record<string, Json>> = {
  "files.store": { raw: "an image", headers: { "content-type": "application/octet-stream" } }
}

/**
 * Operations whose path parameters name something new besides what is the owner's. The stranger's own value is used for it, so that only the other
 * parameter can cause a refusal.
 */
const ownParameters: Readonly<Record<string, Partial<Owned>>> = { "charger.add": { chargerId: "STRANGER-2" } }

/** Statuses of answers to the stranger that are neither about something of its own nor, with a path parameter, 404. */
const expected: Readonly<Record<string, number>> = {
  "organisations.create": 403,
  "organisations.list": 403,
  "chargers.create": 404,
  "command-batches.create": 400,
  "firmware-campaigns.create": 400,
  // This needs a person, but the stranger uses a key.
  "sign-ins.create": 401,
  "sign-ins.removeOthers": 409,
  "sign-ins.removeCurrent": 409,
  "sign-ins.remove": 409,
  "set-up.create": 409,
  "me.update": 409,
  "me.changePassword": 409,
  "me.changeOrganisation": 409,
  "me.beginTotp": 409,
  "passkeys.list": 409,
  "passkeys.begin": 409,
  "passkeys.create": 409,
  "passkeys.rename": 409,
  "passkeys.remove": 409,
  "passkeys.signIn": 401,
  "me.changeTotp": 409,
  "me.proveFactor": 409,
  "me.createRecoveryCodes": 409,
  "invitations.accept": 409,
  "single-sign-on.get": 404,
  "single-sign-on.set": 404,
  "single-sign-on.remove": 404,
  "single-sign-on.begin": 409,
  "single-sign-on.complete": 409,
  "unknown-chargers.list": 403,
  "unknown-chargers.forget": 403
}

const filled = (operation: Operation, owned: Owned): string =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const known: Readonly<Record<string, string>> = { ...owned, ...ownParameters[operation.operationId] }
    const value = known[name]
    if (value === undefined) {
      throw new Error(
        `${operation.operationId} has the path parameter ${name}: add it to Owned in test/support/tenantWalk.ts`
      )
    }
    return encodeURIComponent(value)
  })

const filter = (operation: Operation, owned: Owned): string => {
  const known: Readonly<Record<string, string>> = { ...owned }
  const own = operation.query.filter((name) => known[name] !== undefined)
  return own.map((name) => `${name}=${encodeURIComponent(known[name] ?? "")}`).join("&")
}

/** A request to every operation of a document, about what the owner has. */
export const requestsOf = (document: Json, owned: Owned) =>
  operationsOf(document).map((operation) => ({
    operation,
    path: filled(operation, owned),
    asked: raws[operation.operationId] ?? (operation.hasBody ? { body: bodies(owned)[operation.operationId] } : {})
  }))

export interface Step {
  readonly operation: Operation
  readonly answer: Answer
}

/** Calls every operation as the stranger; `wrong` lists the violations. */
export const walk = async (
  ask: Ask,
  document: Json,
  stranger: TestCredentials,
  owned: Owned
): Promise<{ readonly steps: ReadonlyArray<Step>; readonly wrong: ReadonlyArray<string> }> => {
  const steps: Array<Step> = []
  const wrong: Array<string> = []
  const isV1 = document.servers[0].url.endsWith("/cpo") === false
  for (const operation of operationsOf(document)) {
    const body = bodies(owned)[operation.operationId]
    const raw = raws[operation.operationId]
    if (operation.hasBody && body === undefined && raw === undefined) {
      throw new Error(`${operation.operationId} has a body: add one to bodies in test/support/tenantWalk.ts`)
    }
    const query = [
      filter(operation, owned),
      ...(isV1 ? [`clientId=${stranger.clientId}`, `code=${stranger.code}`] : [])
    ]
    const path = `${filled(operation, owned)}?${query.filter((part) => part !== "").join("&")}`
    const answer = await ask(operation.method, path, {
      ...(isV1 ? {} : { key: stranger.key }),
      ...(raw ?? (operation.hasBody ? { body } : {}))
    })
    steps.push({ operation, answer })
    wrong.push(...findings(operation, answer, owned))
  }
  return { steps, wrong }
}

const findings = (operation: Operation, answer: Answer, owned: Owned): ReadonlyArray<string> => {
  const name = `${operation.method} ${operation.path}`
  const hasParameter = operation.path.includes("{")
  const wanted = expected[operation.operationId] ?? (hasParameter ? 404 : undefined)
  const found: Array<string> = []
  if (wanted !== undefined && answer.status !== wanted) found.push(`${name} answered ${answer.status}, not ${wanted}`)
  if (wanted === undefined && answer.status >= 300) found.push(`${name} answered ${answer.status}: ${answer.text}`)
  if (answer.text.includes(mark)) found.push(`${name} shows what is not the stranger's: ${answer.text}`)
  // A refusal may contain what was requested; any other answer with the owner's ids shows that they were looked up.
  if (answer.status < 300) {
    for (const id of Object.values(owned).filter((value) => value.length > 8)) {
      if (answer.text.includes(id)) found.push(`${name} shows the owner's ${id}`)
    }
  }
  return found
}

/** Everything of its own that the owner can read, for a comparison before and after. */
export const ownersView = async (ask: Ask, owner: TestCredentials, owned: Owned): Promise<ReadonlyArray<string>> => {
  const paths = [
    "/cpo/v2/organisation",
    "/cpo/v2/sites",
    `/cpo/v2/sites/${owned.siteId}`,
    "/cpo/v2/chargers",
    `/cpo/v2/chargers/${owned.chargerId}`,
    `/cpo/v2/chargers/${owned.chargerId}/messages`,
    `/cpo/v2/chargers/${owned.chargerId}/commands`,
    `/cpo/v2/commands/${owned.id}`,
    "/cpo/v2/audit-log",
    "/cpo/v2/configuration-template",
    "/cpo/v2/quirks",
    "/cpo/v2/tariffs",
    "/cpo/v2/cdrs",
    `/cpo/v2/tariffs/${owned.tariffId}/assignments`,
    "/cpo/v2/partners",
    `/cpo/v2/partners/${owned.partnerId}`,
    `/cpo/v2/partners/${owned.partnerId}/health`,
    "/cpo/v2/parties",
    "/cpo/v2/operators",
    `/cpo/v2/roles/${owned.roleId}`,
    "/cpo/v2/invitations",
    "/cpo/v2/sessions",
    `/cpo/v2/sessions/${owned.sessionId}?include=meterValues`,
    "/cpo/v2/tokens",
    "/cpo/v2/events?limit=2",
    `/cpo/v2/webhooks/${owned.webhookId}`,
    `/cpo/v2/webhooks/${owned.webhookId}/deliveries`,
    `/cpo/v2/tokens/${encodeURIComponent(owned.uid)}`,
    "/cpo/v2/me/views"
  ]
  const answers: Array<string> = []
  for (const path of paths) {
    const answer = await ask("GET", path, { key: owner.key })
    answers.push(`${path} ${answer.status} ${answer.text}`)
  }
  const keys = await ask("GET", "/cpo/v2/api-keys", { key: owner.key })
  // Reading with a key changes its last use.
  const lasting = keys.json.items.map(({ lastUsedAt: _at, lastUsedFrom: _from, ...key }: Json) => key)
  return [...answers, JSON.stringify(lasting)]
}

let made = 0

/** Creates what the owner has, over REST; the session is created by the function that the caller passes. */
export const makeOwned = async (
  ask: Ask,
  owner: TestCredentials,
  makeSession: (charger: { readonly chargerId: string; readonly siteId: string }) => Promise<string>
): Promise<Owned> => {
  const key = owner.key
  const post = async (path: string, body: Json): Promise<Json> => {
    const answer = await ask("POST", `/cpo/v2/${path}`, { key, body })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.json
  }
  await ask("PATCH", "/cpo/v2/organisation", { key, body: { name: `${mark} organisation` } })
  const site = await post("sites", { name: `${mark} site`, streetAddress: `${mark} street` })
  const chargerId = `CHARGER-OF-OWNER-${made++}`
  await post("chargers", { name: `${mark} charger`, chargerId, siteId: site.id })
  const token = await post("tokens", { uid: "CARD-OF-OWNER", note: `${mark} note` })
  const template = { keys: [{ key: "LocalPreAuthorize", value: mark }] }
  await ask("PUT", "/cpo/v2/configuration-template", { key, body: template })
  const quirk = { name: mark, vendor: mark, tolerances: { callTimeoutSeconds: 90 } }
  await ask("PUT", "/cpo/v2/quirks", { key, body: { rules: [quirk] } })
  const element = { priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }
  const tariffAltText = [{ language: "en", text: `${mark} tariff` }]
  const tariff = await post("tariffs", { currency: "EUR", elements: [element], tariffAltText })
  const partner = await post("partners", {
    name: `${mark} partner`,
    countryCode: "DE",
    partyId: "OWN",
    roles: ["EMSP"]
  })
  const webhook = await post("webhooks", { url: `https://hooks.example/${mark}`, siteIds: [site.id] })
  const apiKey = await post("api-keys", { name: `${mark} key` })
  const [operator] = (await ask("GET", "/cpo/v2/operators", { key })).json.items
  const role = await post("roles", { name: `${mark} role`, permissions: ["sites:read"] })
  const invitation = await post("invitations", { email: `${mark}@example.com`.toLowerCase(), roleId: role.id })
  const view = await post("me/views", { name: `${mark} view`, path: "/chargers", shared: true })
  const [event] = (await ask("GET", "/cpo/v2/events?limit=1", { key })).json.items
  const command = await post(`chargers/${chargerId}/commands`, { type: "DataTransfer", vendorId: mark, expiresIn: 60 })
  return {
    siteId: site.id,
    groupId: String(site.groupId),
    chargerId,
    sessionId: await makeSession({ chargerId, siteId: site.id }),
    uid: token.uid,
    tokenUid: "Card",
    q: mark,
    metric: "energy",
    keyId: apiKey.id,
    tariffId: tariff.id,
    cdrId: tariff.id,
    partnerId: partner.id,
    module: "locations",
    webhookId: webhook.id,
    deliveryId: tariff.id,
    // In a world without a journal there are no events.
    eventId: event?.id ?? "1",
    id: command.id,
    operatorId: operator.id,
    roleId: role.id,
    invitationId: invitation.id,
    signInId: operator.id,
    passkeyId: operator.id,
    viewId: view.id,
    domain: "owner.example"
  }
}
