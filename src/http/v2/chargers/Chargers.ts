/**
 * The endpoints of chargers over the domain's ports. What this process holds in memory about a charger takes precedence over what is
 * stored.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Charger as DomainCharger, ChargerPatch } from "../../../domain/charger/Charger.ts"
import { compare } from "../../../domain/charger/Template.ts"
import { InvalidInput } from "../../../domain/Errors.ts"
import { ChargerLink } from "../../../domain/charger/ChargerLink.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Presence } from "../../../domain/charger/Presence.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { shownValue } from "../../../domain/values/SecretText.ts"
import { Sites } from "../../../domain/site/Sites.ts"
import type { Page } from "../../../domain/values/Page.ts"
import { Api } from "../Api.ts"
import { askFactor, audit, organisationId, seesSecrets } from "../requests/Caller.ts"
import { changedCredentials, newCredentials, type Credentials } from "./ChargerCredentials.ts"
import type { ChargerChange } from "./ChargersApi.ts"
import { placeOf } from "../../../domain/site/Connector.ts"
import { listedMessage } from "../../ChargerStatus.ts"
import { chargerRows } from "./ChargerRows.ts"
import { toCharger } from "./ChargerSchema.ts"
import { powerOf } from "./ConnectorStatus.ts"
import { chargerMessages } from "./Messages.ts"
import { expecting } from "./Expectations.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"

const noCredentials: Credentials = { securityProfile: undefined, passwordVerifier: undefined, generated: undefined }

/** Translates a change into the domain's patch. */
const toPatch = (change: typeof ChargerChange.Type, credentials: Credentials): ChargerPatch => ({
  ...(change.name === undefined ? {} : { name: change.name }),
  ...(change.siteId === undefined ? {} : { siteId: change.siteId }),
  ...(change.registration === undefined ? {} : { registration: change.registration }),
  ...(change.registeredSerialNumber === undefined ? {} : { registeredSerialNumber: change.registeredSerialNumber }),
  ...(credentials.securityProfile === undefined ? {} : { securityProfile: credentials.securityProfile }),
  ...(credentials.passwordVerifier === undefined ? {} : { passwordVerifier: credentials.passwordVerifier }),
  ...(change.connectors === undefined
    ? {}
    : {
        equipment: change.connectors.map((given) => ({
          ...given,
          ...placeOf(given),
          maxPowerW: given.maxPowerW ?? powerOf(given.powerType, given.maxVoltage, given.maxAmperage)
        }))
      }),
  ...(change.evses === undefined ? {} : { evses: change.evses })
})

const shown = Effect.gen(function* () {
  const sites = yield* Sites
  const presence = yield* Presence

  const one = (charger: DomainCharger) =>
    Effect.map(sites.byIds(charger.organisationId, [charger.siteId]), ([site]) =>
      toCharger(charger, site, presence.peek(charger.chargerId))
    )

  /** Reads the sites of a page together. */
  const many = Effect.fnUntraced(function* (organisation: string, chargers: ReadonlyArray<DomainCharger>) {
    const ids = [...new Set(chargers.map((charger) => charger.siteId))]
    const byId = new Map((yield* sites.byIds(organisation, ids)).map((site) => [site.id, site]))
    return (charger: DomainCharger) => {
      const shown = toCharger(charger, byId.get(charger.siteId), presence.peek(charger.chargerId))
      return { ...shown, lastMessage: listedMessage(shown.lastMessage) }
    }
  })

  return { one, many }
})

const changing = Effect.gen(function* () {
  const chargers = yield* Chargers
  const secrets = yield* Secrets
  const link = yield* ChargerLink
  const { one } = yield* shown

  const credentialsOf = Effect.fnUntraced(function* (chargerId: string, change: typeof ChargerChange.Type) {
    if (change.password === undefined && change.generatePassword !== true && change.securityProfile === undefined) {
      return noCredentials
    }
    const current = yield* chargers.get(yield* organisationId, chargerId)
    const credentials = changedCredentials(secrets, change, current.securityProfile)
    return credentials instanceof InvalidInput ? yield* credentials : credentials
  })

  return Effect.fnUntraced(function* (chargerId: string, change: typeof ChargerChange.Type) {
    const credentials = yield* credentialsOf(chargerId, change)
    const charger = yield* chargers.update(chargerId, toPatch(change, credentials), yield* audit)
    // The open connection was authenticated with credentials that are no longer valid.
    const provesAnew = credentials !== noCredentials || change.registeredSerialNumber !== undefined
    if (provesAnew) yield* link.disconnect(chargerId, "credentials changed")
    if (change.registration !== undefined) yield* link.reconsider(chargerId)
    const body = yield* one(charger)
    return credentials.generated === undefined ? body : { ...body, password: credentials.generated }
  })
})

/** With a password of a charger one can connect in its place. */
const askForPassword = (given: { readonly password?: string; readonly generatePassword?: boolean }) =>
  given.password !== undefined || given.generatePassword === true ? askFactor : Effect.void

/** All keys from a cursor on. A charger has about a hundred, and only one with very long values needs a second page. */
const keysBehind = <A>(cursor: string | undefined, keys: ReadonlyArray<A>): Effect.Effect<Page<A>, InvalidInput> => {
  const start = cursor === undefined ? 0 : /^[1-9]\d{0,6}$/.test(cursor) ? Number(cursor) : undefined
  if (start === undefined)
    return Effect.fail(new InvalidInput({ pointer: "/cursor", detail: "is not a cursor of this list" }))
  return Effect.succeed({
    items: keys.slice(start),
    nextCursor: null,
    cursorAfter: (count: number) => String(start + count)
  })
}

export const layer = HttpApiBuilder.group(
  Api,
  "chargers",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    const messages = yield* chargerMessages
    const link = yield* ChargerLink
    const secrets = yield* Secrets
    const publicUrl = yield* PublicUrl
    const { many, one } = yield* shown
    const change = yield* changing
    const expected = yield* expecting
    const rows = yield* chargerRows
    return handlers.handleAll({
      ...rows,
      ...messages,
      create: Effect.fn("v2.chargers.create")(function* ({ payload }) {
        yield* askForPassword(payload)
        const { generated, passwordVerifier, securityProfile } = newCredentials(secrets, payload)
        const { chargerId, name, registeredSerialNumber, registration, siteId } = payload
        const proof = { securityProfile, passwordVerifier, registeredSerialNumber }
        const wanted = { chargerId, name, siteId, registration, ...proof }
        const body = yield* one(yield* chargers.register(wanted, yield* audit))
        const withPassword = generated === undefined ? body : { ...body, password: generated }
        return located(publicUrl, `/v2/chargers/${chargerId}`, withPassword)
      }),
      list: Effect.fn("v2.chargers.list")(function* ({ query, request }) {
        const organisation = yield* organisationId
        const { connected, firmwareVersion, model, q: text, siteId, status } = query
        const filter = { connected, firmwareVersion, model, siteId, status, text }
        const page = yield* chargers.list(organisation, { ...pageRequest(query), ...filter })
        return yield* listed(publicUrl, request.url, page, yield* many(organisation, page.items))
      }),
      get: Effect.fn("v2.chargers.get")(function* ({ params }) {
        return yield* one(yield* chargers.get(yield* organisationId, params.chargerId))
      }),
      update: Effect.fn("v2.chargers.update")(function* ({ params, payload }) {
        yield* askForPassword(payload)
        return yield* change(params.chargerId, payload)
      }),
      remove: Effect.fn("v2.chargers.remove")(function* ({ params }) {
        yield* chargers.remove(params.chargerId, yield* audit)
        yield* link.disconnect(params.chargerId, "charger removed")
      }),
      configuration: Effect.fn("v2.chargers.configuration")(function* ({ params, query, request }) {
        const charger = yield* chargers.withSecrets(yield* organisationId, params.chargerId)
        const shown = (yield* seesSecrets) ? (_: string, value: string) => value : shownValue
        // Before the charger's first report it is not known which keys it lacks.
        const template = charger.configuration.length === 0 ? [] : yield* expected(charger)
        const page = yield* keysBehind(query.cursor, compare(template, charger.configuration))
        return yield* listed(publicUrl, request.url, page, (one) => ({
          ...one,
          value: one.value === undefined ? null : shown(one.key, one.value),
          expected: one.expected === undefined ? null : shown(one.key, one.expected)
        }))
      })
    })
  })
)
