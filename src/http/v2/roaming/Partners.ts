/** The endpoints of roaming partners over the domain's ports. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  type Partner as DomainPartner,
  registrationTokenDays,
  shownConnection,
  switchedBy
} from "../../../domain/roaming/Partner.ts"
import { newPartnerToken, tokenVerifier } from "../../../domain/roaming/PartnerTokens.ts"
import { Retrying } from "../../../domain/operator/Idempotency.ts"
import { PartnerRegistrar } from "../../../domain/roaming/PartnerRegistrar.ts"
import { Partners } from "../../../domain/roaming/Partners.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import { waitingForOthers } from "../requests/FairShare.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { Partner } from "./PartnersApi.ts"

const dayMillis = 86_400_000

/** A partner as REST v2 shows it. `versionsUrl` is our URL, which the partner needs. */
const toPartner = ({ connection: stored, ...partner }: DomainPartner, versionsUrl: string): typeof Partner.Type => {
  const connection = stored && shownConnection(stored)
  return {
    id: partner.id,
    name: partner.name,
    countryCode: partner.expected?.countryCode ?? null,
    partyId: partner.expected?.partyId ?? null,
    roles: partner.expected?.roles ?? [],
    status: partner.status,
    ocpiVersion: connection?.version ?? null,
    versionsUrl,
    partnerVersionsUrl: connection?.versionsUrl ?? null,
    parties: (connection?.parties ?? []).map(({ businessDetails, countryCode, partyId, role }) => ({
      role,
      countryCode,
      partyId,
      name: businessDetails.name,
      website: businessDetails.website ?? null
    })),
    modules: [...new Set((connection?.endpoints ?? []).map(({ module }) => module))].toSorted(),
    registeredAt: connection?.registeredAt ?? null,
    switches: Object.fromEntries(Object.entries(partner.switches).filter(([, value]) => value !== undefined)),
    createdAt: partner.createdAt,
    updatedAt: partner.updatedAt
  }
}

export const layer = HttpApiBuilder.group(
  Api,
  "partners",
  Effect.fn(function* (handlers) {
    const partners = yield* Partners
    const registrar = yield* PartnerRegistrar
    const secrets = yield* Secrets
    const publicUrl = yield* PublicUrl
    const wire = (partner: DomainPartner) => toPartner(partner, `${publicUrl}/ocpi/versions`)

    /** A new registration token, and a function that shows it. */
    const invitation = (now: number) => {
      const token = newPartnerToken(secrets)
      const shown = (partner: DomainPartner) => ({ ...wire(partner), credentialsToken: token })
      return {
        shown,
        stored: { verifier: tokenVerifier(secrets, token), expiresAt: now + registrationTokenDays * dayMillis }
      }
    }

    /** Registers once: if an earlier try of this request registered the partner, it is only read. */
    const once = <E>(registration: Effect.Effect<DomainPartner, E>) =>
      Effect.gen(function* () {
        const { reached } = yield* Retrying
        return yield* reached === undefined
          ? waitingForOthers(registration)
          : partners.get(yield* organisationId, reached)
      })

    return handlers.handleAll({
      create: Effect.fn("v2.partners.create")(function* ({ payload }) {
        const by = yield* audit
        const { shown, stored } = invitation(by.now)
        const { countryCode, name, partyId, roles } = payload
        const switches = switchedBy({}, payload.switches ?? {})
        const expected = { countryCode, partyId, roles: [...new Set(roles)] }
        const partner = yield* partners.create({ name, expected, switches, invitation: stored }, by)
        return located(publicUrl, `/v2/partners/${partner.id}`, shown(partner))
      }),
      list: Effect.fn("v2.partners.list")(function* ({ query, request }) {
        const page = yield* partners.list(yield* organisationId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, wire)
      }),
      get: Effect.fn("v2.partners.get")(function* ({ params }) {
        return wire(yield* partners.get(yield* organisationId, params.partnerId))
      }),
      update: Effect.fn("v2.partners.update")(function* ({ params, payload }) {
        const { name, suspended, switches } = payload
        const patch = {
          ...(name === undefined ? {} : { name }),
          ...(suspended === undefined ? {} : { suspended }),
          ...(switches === undefined ? {} : { switches })
        }
        return wire(yield* partners.update(params.partnerId, patch, yield* audit))
      }),
      remove: Effect.fn("v2.partners.remove")(function* ({ params }) {
        yield* waitingForOthers(registrar.remove(params.partnerId, yield* audit))
      }),
      invite: Effect.fn("v2.partners.invite")(function* ({ params }) {
        const by = yield* audit
        const { shown, stored } = invitation(by.now)
        return shown(yield* partners.invite(params.partnerId, stored, by))
      }),
      renew: Effect.fn("v2.partners.renew")(function* ({ params }) {
        return wire(yield* once(registrar.renew(params.partnerId, yield* audit)))
      }),
      register: Effect.fn("v2.partners.register")(function* ({ params, payload }) {
        return wire(yield* once(registrar.register(params.partnerId, payload, yield* audit)))
      })
    })
  })
)
