/** Makes the answer of `GET /v2/me`, which every way to sign in also answers. */
import { Clock, Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Access } from "../../../domain/operator/Access.ts"
import { Accounts } from "../../../domain/operator/Accounts.ts"
import { codeNotice } from "../../../domain/operator/CodeFailures.ts"
import { signInOf } from "../../../domain/operator/SignIn.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { deviceOf, devicePlace } from "../requests/Cookies.ts"
import { PublicUrl } from "../requests/Paging.ts"
import type { Me } from "./AccountFields.ts"

/** The version of the service, shown in the answer. */
export const ServiceVersion = Context.Reference<string>("voltlane/http/v2/ServiceVersion", {
  defaultValue: () => "0.0.0"
})

/** Street tiles, as configured for this service (`MAP_TILES`). */
export interface MapTiles {
  readonly template: string
  readonly attribution: string | undefined
}

export const MapTilesSetting = Context.Reference<MapTiles | undefined>("voltlane/http/v2/MapTiles", {
  defaultValue: () => undefined
})

export const answering = Effect.gen(function* () {
  const accounts = yield* Accounts
  const access = yield* Access
  const secrets = yield* Secrets
  const publicUrl = yield* PublicUrl
  const version = yield* ServiceVersion
  const tiles = yield* MapTilesSetting

  /** Wrong codes for the person's account, except those on the device in use. */
  const wrongCodes = Effect.fnUntraced(function* (operatorId: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const device = devicePlace(secrets, operatorId, deviceOf(publicUrl, secrets, operatorId, request))
    const counts = yield* accounts.codeFailures(operatorId)
    const notice = codeNotice(counts, device, yield* Clock.currentTimeMillis)
    return notice === undefined ? null : { count: notice.failures, lastAt: notice.at, lastNetwork: notice.network }
  })

  return Effect.fn("Me.answer")(function* (caller: Principal) {
    const organisation = yield* Effect.catchTag(access.organisation(caller.organisationId), "NotFound", Effect.die)
    const { countryCode, id, name, partyId, timeZone } = organisation
    const signInId = signInOf(caller)
    const account =
      signInId === undefined || caller.operatorId === undefined ? undefined : yield* accounts.byId(caller.operatorId)
    const member =
      account === undefined
        ? undefined
        : yield* Effect.catchTag(accounts.operator(id, account.operatorId), "NotFound", Effect.die)
    const current = account?.organisations.find((one) => one.id === id)
    const me: typeof Me.Type = {
      operator:
        account === undefined
          ? null
          : { id: account.operatorId, email: account.email, name: account.name, locale: account.locale },
      organisation: { id, name, countryCode, partyId, timeZone },
      // An identity provider may not learn about other organisations.
      organisations:
        account === undefined || caller.bySingleSignOn === true
          ? [{ id, name }]
          : account.organisations.map((one) => ({ id: one.id, name: one.name })),
      singleSignOn: caller.bySingleSignOn ?? false,
      permissions: caller.permissions,
      role: member === undefined ? null : (member.role ?? member.ownRole?.name ?? null),
      secondFactor:
        account === undefined || signInId === undefined
          ? null
          : {
              enrolled: account.totpSecret !== undefined,
              used: (yield* accounts.signIns(account.operatorId, yield* Clock.currentTimeMillis)).some(
                (one) => one.id === signInId && one.strength === "SecondFactor"
              ),
              required: current?.requiresSecondFactor ?? false,
              recoveryCodesLeft: account.recoveryCodesLeft,
              wrongCodes: caller.bySingleSignOn === true ? null : yield* wrongCodes(account.operatorId)
            },
      addresses: {
        rest: `${publicUrl}/cpo/v2`,
        ocpp: `${publicUrl.replace(/^http/, "ws")}/ocpp`,
        ocpi: `${publicUrl}/ocpi/versions`
      },
      mapTiles: tiles === undefined ? null : { template: tiles.template, attribution: tiles.attribution ?? null },
      version
    }
    return me
  })
})
