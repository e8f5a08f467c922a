/** The endpoints of organisations. The platform creates them, and each reads and changes its own. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { newKey, newV1Pair } from "../../../domain/operator/Keys.ts"
import type { Organisation as DomainOrganisation } from "../../../domain/operator/Operator.ts"
import { permissions } from "../../../domain/operator/Permission.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { ChargerLink } from "../../../domain/charger/ChargerLink.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { timeZoneSpelled } from "../../../domain/values/TimeZone.ts"
import { Api } from "../Api.ts"
import { askFactor, audit, organisationId } from "../requests/Caller.ts"
import type { NewOrganisation, Organisation, OrganisationChange } from "./OrganisationsApi.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

/** Permissions of an organisation's first operator: everything in the organisation, and nothing on the platform. */
const firstOperatorPermissions = permissions.filter((permission) => permission !== "platform:admin")

const toOrganisation = (organisation: DomainOrganisation): typeof Organisation.Type => ({
  id: organisation.id,
  name: organisation.name,
  countryCode: organisation.countryCode,
  partyId: organisation.partyId,
  timeZone: organisation.timeZone,
  unknownTokens: organisation.policy.unknownTokens,
  concurrentTransactions: organisation.policy.concurrentTransactions,
  heartbeatIntervalSeconds: organisation.policy.heartbeatIntervalSeconds,
  localLists: organisation.policy.localLists ?? "Manual",
  closeSilentSessionsAfterHours: organisation.closeSilentHours,
  standbyPowerW: organisation.standbyPowerW,
  requireSecondFactor: organisation.requireSecondFactor,
  createdAt: organisation.createdAt
})

/** An address as unique as the party, under a domain that can never receive mail (RFC 2606). */
const madeUpEmail = (given: typeof NewOrganisation.Type): string =>
  `operator@${given.partyId}.${given.countryCode}.invalid`.toLowerCase()

const toPatch = (change: typeof OrganisationChange.Type) => {
  const { closeSilentSessionsAfterHours, name, requireSecondFactor, standbyPowerW, timeZone, ...policy } = change
  return {
    ...(name === undefined ? {} : { name }),
    ...(timeZone === undefined ? {} : { timeZone: timeZoneSpelled(timeZone) }),
    ...(standbyPowerW === undefined ? {} : { standbyPowerW }),
    ...(requireSecondFactor === undefined ? {} : { requireSecondFactor }),
    ...(closeSilentSessionsAfterHours === undefined ? {} : { closeSilentHours: closeSilentSessionsAfterHours }),
    ...(Object.keys(policy).length === 0 ? {} : { policy })
  }
}

export const layer = HttpApiBuilder.group(
  Api,
  "organisations",
  Effect.fn(function* (handlers) {
    const access = yield* Access
    const secrets = yield* Secrets
    const link = yield* ChargerLink
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      create: Effect.fn("v2.organisations.create")(function* ({ payload }) {
        const { text, ...key } = newKey(secrets)
        const { clientId, code, codeVerifier } = newV1Pair(secrets)
        const { organisation } = yield* access.createOrganisation(
          {
            name: payload.name,
            countryCode: payload.countryCode,
            partyId: payload.partyId,
            operatorEmail: payload.operatorEmail ?? madeUpEmail(payload),
            operatorPasswordHash: undefined,
            operatorPermissions: firstOperatorPermissions,
            key: { name: "First key", ...key, permissions: undefined },
            v1: { clientId, codeVerifier }
          },
          yield* Clock.currentTimeMillis
        )
        return { ...toOrganisation(organisation), apiKey: text, clientId, code }
      }),
      list: Effect.fn("v2.organisations.list")(function* ({ query, request }) {
        return yield* listed(publicUrl, request.url, yield* access.organisations(pageRequest(query)), toOrganisation)
      }),
      // The caller's own organisation always exists, so a missing one is a defect.
      get: Effect.fn("v2.organisations.get")(function* () {
        const read = access.organisation(yield* organisationId)
        return toOrganisation(yield* Effect.catchTag(read, "NotFound", Effect.die))
      }),
      update: Effect.fn("v2.organisations.update")(function* ({ payload }) {
        if (payload.requireSecondFactor === false) yield* askFactor
        const patch = toPatch(payload)
        const changed = access.updateOrganisation(patch, yield* audit)
        const organisation = yield* Effect.catchTag(changed, "NotFound", Effect.die)
        if ("policy" in patch) yield* link.reconsiderAll(organisation.id)
        return toOrganisation(organisation)
      })
    })
  })
)
