/** The endpoints that sign people in and out, and the set-up at the first start. */
import { Clock, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, NotFound } from "../../../domain/Errors.ts"
import { Accounts } from "../../../domain/operator/Accounts.ts"
import {
  needsSingleSignOn,
  type SignIn as StoredSignIn,
  secretHash,
  signInOf
} from "../../../domain/operator/SignIn.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import { audit } from "../requests/Caller.ts"
import { clearSignIn } from "../requests/Cookies.ts"
import { Caller } from "../requests/Middleware.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { SignIn } from "./SignInsApi.ts"
import { SigningIn } from "./SigningIn.ts"
import { pageOfAll } from "./WholeList.ts"

const shown =
  (current: string | undefined) =>
  ({
    agent,
    createdAt,
    id,
    network,
    organisationId,
    seenAt,
    singleSignOn,
    strength
  }: StoredSignIn): typeof SignIn.Type => ({
    id,
    current: id === current,
    organisationId,
    strength,
    singleSignOn,
    network,
    agent,
    createdAt,
    seenAt
  })

const signIns = HttpApiBuilder.group(
  Api,
  "sign-ins",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const signing = yield* SigningIn
    const publicUrl = yield* PublicUrl

    /** The caller's own sign-ins. By single sign-on only those in this organisation: its identity provider may not learn about others. */
    const seenBy = Effect.fnUntraced(function* (caller: Principal, now: number) {
      const own = caller.operatorId === undefined ? [] : yield* accounts.signIns(caller.operatorId, now)
      return caller.bySingleSignOn === true
        ? own.filter(({ organisationId }) => organisationId === caller.organisationId)
        : own
    })

    return handlers.handleAll({
      create: Effect.fn("v2.sign-ins.create")(function* ({ payload }) {
        const proved = yield* signing.prove(payload.email, payload.password, payload.code)
        const { operatorId, organisations } = proved.account
        // A person who no longer works for any organisation gets the same answer as an unknown person.
        const organisation = organisations.find((one) => !needsSingleSignOn(one)) ?? organisations[0]
        return yield* signing.begin({ operatorId, organisationId: organisation?.id ?? operatorId }, proved)
      }),
      list: Effect.fn("v2.sign-ins.list")(function* ({ query, request }) {
        const caller = yield* Caller
        const now = yield* Clock.currentTimeMillis
        const current = signInOf(caller)
        const own = current === undefined ? [] : yield* seenBy(caller, now)
        return yield* listed(publicUrl, request.url, yield* pageOfAll(own, pageRequest(query)), shown(current))
      }),
      removeOthers: Effect.fn("v2.sign-ins.removeOthers")(function* () {
        const { caller, signInId } = yield* signing.ownSignIn
        const by = yield* audit
        if (caller.bySingleSignOn !== true) return yield* accounts.endOtherSignIns(signInId, by)
        for (const { id } of yield* seenBy(caller, by.now)) {
          if (id !== signInId) yield* Effect.catchTag(accounts.endSignIn(id, by), "NotFound", () => Effect.void)
        }
      }),
      removeCurrent: Effect.fn("v2.sign-ins.removeCurrent")(function* () {
        const { signInId } = yield* signing.ownSignIn
        yield* Effect.catchTag(accounts.endSignIn(signInId, yield* audit), "NotFound", () => Effect.void)
        yield* clearSignIn(publicUrl)
      }),
      remove: Effect.fn("v2.sign-ins.remove")(function* ({ params }) {
        const { caller } = yield* signing.ownSignIn
        const by = yield* audit
        const seen = yield* seenBy(caller, by.now)
        const isSeen = caller.bySingleSignOn !== true || seen.some(({ id }) => id === params.signInId)
        if (!isSeen) return yield* new NotFound({ kind: "sign-in", id: params.signInId })
        yield* accounts.endSignIn(params.signInId, by)
      })
    })
  })
)

/** One error for every link that does not work, whatever the reason. */
export const linkVoid = new Conflict({
  code: "link_void",
  message: "This link was used or withdrawn, or has expired: ask for a new one."
})

const setUp = HttpApiBuilder.group(
  Api,
  "set-up",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const secrets = yield* Secrets
    const signing = yield* SigningIn
    return handlers.handleAll({
      create: Effect.fn("v2.set-up.create")(function* ({ payload }) {
        const { email, name, password, token } = payload
        const now = yield* Clock.currentTimeMillis
        const hash = secretHash(secrets, "account-link", token)
        const link = hash === undefined ? undefined : yield* accounts.findLink(hash, now)
        if (hash === undefined || link?.kind !== "SetUp") return yield* linkVoid
        const passwordHash = yield* signing.newHash("/password", password, email, [name])
        const who = yield* accounts.useLink(hash, { email, name, passwordHash }, now)
        return yield* signing.begin(who, undefined)
      })
    })
  })
)

export const layer = Layer.merge(signIns, setUp)
