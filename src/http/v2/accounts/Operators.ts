/** The endpoints about an organisation's people: operators, roles and invitations. */
import { Clock, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, NotFound } from "../../../domain/Errors.ts"
import { Accounts, type Invitation as StoredInvitation, type RoleRef } from "../../../domain/operator/Accounts.ts"
import type { MadeItem } from "../../../domain/operator/MadeAccess.ts"
import type { Operator as StoredOperator } from "../../../domain/operator/Operator.ts"
import {
  builtInRoleNames,
  builtInRoles,
  isBuiltInRole,
  type Role as StoredRole
} from "../../../domain/operator/Role.ts"
import { newSecret, secretHash } from "../../../domain/operator/SignIn.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Api } from "../Api.ts"
import { audit, organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { Invitation, MadeAccess, Operator, Role } from "./OperatorsApi.ts"
import { SigningIn } from "./SigningIn.ts"
import { linkVoid } from "./SignIns.ts"
import { pageOfAll } from "./WholeList.ts"

const roleOf = ({ ownRole, role }: Pick<StoredInvitation, "ownRole" | "role">) =>
  role === undefined ? { id: ownRole?.id ?? "", name: ownRole?.name ?? "" } : { id: role, name: role }

const stateOf = ({ active, hasIdentity, hasPassword }: StoredOperator) =>
  active ? (hasPassword || hasIdentity ? "Active" : "Invited") : "Disabled"

const toOperator = (one: StoredOperator): typeof Operator.Type => ({
  id: one.id,
  email: one.email,
  name: one.name,
  locale: one.locale,
  state: stateOf(one),
  role: roleOf(one),
  additions: one.additions,
  removals: one.removals,
  permissions: one.permissions,
  secondFactor: one.hasSecondFactor,
  singleSignOn: one.hasIdentity,
  createdAt: one.createdAt
})

const toMadeAccess = ({ createdAt, expiresAt, id, kind, name, works }: MadeItem): typeof MadeAccess.Type => ({
  kind,
  id,
  name,
  works,
  createdAt,
  expiresAt: expiresAt ?? null
})

const refOf = (id: string): RoleRef => (isBuiltInRole(id) ? { role: id } : { roleId: id })

/** The secret follows `#`, since browsers do not send that part of a URL. */
const linkTo = (publicUrl: string, secret: string): string => `${publicUrl}/invitation#${secret}`

const newLink = Effect.gen(function* () {
  const secrets = yield* Secrets
  const publicUrl = yield* PublicUrl
  return () => {
    const secret = newSecret(secrets)
    return { hash: secretHash(secrets, "account-link", secret) ?? "", link: linkTo(publicUrl, secret) }
  }
})

const operators = HttpApiBuilder.group(
  Api,
  "operators",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const publicUrl = yield* PublicUrl
    const make = yield* newLink
    return handlers.handleAll({
      list: Effect.fn("v2.operators.list")(function* ({ query, request }) {
        const page = yield* accounts.operators(yield* organisationId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toOperator)
      }),
      get: Effect.fn("v2.operators.get")(function* ({ params }) {
        return toOperator(yield* accounts.operator(yield* organisationId, params.operatorId))
      }),
      update: Effect.fn("v2.operators.update")(function* ({ params, payload }) {
        const { roleId, state, ...rest } = payload
        const change = {
          ...rest,
          ...(state === undefined ? {} : { active: state === "Active" }),
          ...(roleId === undefined ? {} : { role: refOf(roleId) })
        }
        return toOperator(yield* accounts.changeOperator(params.operatorId, change, yield* audit))
      }),
      reset: Effect.fn("v2.operators.reset")(function* ({ params }) {
        const { hash, link } = make()
        return { link, ...(yield* accounts.createReset(params.operatorId, hash, yield* audit)) }
      }),
      access: Effect.fn("v2.operators.access")(function* ({ params, query, request }) {
        const made = yield* accounts.madeAccess(params.operatorId, yield* audit)
        return yield* listed(publicUrl, request.url, yield* pageOfAll(made, pageRequest(query)), toMadeAccess)
      }),
      closeAccess: Effect.fn("v2.operators.closeAccess")(function* ({ params, payload }) {
        const closed = yield* accounts.closeMade(params.operatorId, payload.items, yield* audit)
        return { closed: closed.map(toMadeAccess) }
      })
    })
  })
)

const builtIn: ReadonlyArray<typeof Role.Type> = builtInRoleNames.map((name) => ({
  id: name,
  name,
  builtIn: true,
  permissions: builtInRoles[name],
  createdAt: null
}))

const toRole = ({ createdAt, id, name, permissions }: StoredRole): typeof Role.Type => ({
  id,
  name,
  builtIn: false,
  permissions,
  createdAt
})

const fixed = new Conflict({
  code: "built_in_role",
  message: "Built-in roles cannot be changed: create a role of your own."
})

const roles = HttpApiBuilder.group(
  Api,
  "roles",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const publicUrl = yield* PublicUrl
    const all = Effect.gen(function* () {
      return [...builtIn, ...(yield* accounts.roles(yield* organisationId)).map(toRole)]
    })
    return handlers.handleAll({
      list: Effect.fn("v2.roles.list")(function* ({ query, request }) {
        return yield* listed(publicUrl, request.url, yield* pageOfAll(yield* all, pageRequest(query)), (role) => role)
      }),
      get: Effect.fn("v2.roles.get")(function* ({ params }) {
        const found = (yield* all).find(({ id }) => id === params.roleId)
        return found ?? (yield* new NotFound({ kind: "role", id: params.roleId }))
      }),
      create: Effect.fn("v2.roles.create")(function* ({ payload }) {
        if (isBuiltInRole(payload.name)) return yield* fixed
        return toRole(yield* accounts.createRole(payload, yield* audit))
      }),
      update: Effect.fn("v2.roles.update")(function* ({ params, payload }) {
        if (isBuiltInRole(params.roleId) || isBuiltInRole(payload.name ?? "")) return yield* fixed
        return toRole(yield* accounts.changeRole(params.roleId, payload, yield* audit))
      }),
      remove: Effect.fn("v2.roles.remove")(function* ({ params }) {
        if (isBuiltInRole(params.roleId)) return yield* fixed
        yield* accounts.removeRole(params.roleId, yield* audit)
      })
    })
  })
)

const toInvitation = (one: StoredInvitation): typeof Invitation.Type => ({
  id: one.id,
  email: one.email,
  role: roleOf(one),
  createdAt: one.createdAt,
  expiresAt: one.expiresAt
})

const invitations = HttpApiBuilder.group(
  Api,
  "invitations",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const secrets = yield* Secrets
    const signing = yield* SigningIn
    const publicUrl = yield* PublicUrl
    const make = yield* newLink
    return handlers.handleAll({
      list: Effect.fn("v2.invitations.list")(function* ({ query, request }) {
        const now = yield* Clock.currentTimeMillis
        const page = yield* accounts.invitations(yield* organisationId, now, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toInvitation)
      }),
      create: Effect.fn("v2.invitations.create")(function* ({ payload }) {
        const { hash, link } = make()
        const input = { email: payload.email, role: refOf(payload.roleId), hash }
        return { ...toInvitation(yield* accounts.createInvitation(input, yield* audit)), link }
      }),
      remove: Effect.fn("v2.invitations.remove")(function* ({ params }) {
        yield* accounts.revokeInvitation(params.invitationId, yield* audit)
      }),
      accept: Effect.fn("v2.invitations.accept")(function* ({ payload }) {
        const { code, name, password, token } = payload
        const now = yield* Clock.currentTimeMillis
        const hash = secretHash(secrets, "account-link", token)
        const link = hash === undefined ? undefined : yield* accounts.findLink(hash, now)
        if (hash === undefined || link === undefined || link.kind === "SetUp") return yield* linkVoid
        // The link proves who was invited, not who owns an account: an organisation can invite any address. So the answer is the same whether or
        // not the address has an account, except for those who know its password.
        if (link.kind === "Invitation" && name === undefined) {
          const proved = yield* signing.prove(link.email, password, code)
          return yield* signing.begin(
            yield* accounts.useLink(hash, { operatorId: proved.account.operatorId }, now),
            proved
          )
        }
        const account = link.operatorId === undefined ? undefined : yield* accounts.byId(link.operatorId)
        const about = [name ?? account?.name ?? "", link.organisationName]
        const passwordHash = yield* signing.newHash("/password", password, link.email, about)
        if (link.kind === "Invitation") {
          // A person who chooses an existing password of the address means the account that has it.
          const proved = yield* signing.proveIfKnown(link.email, password, code)
          if (proved !== undefined) {
            return yield* signing.begin(
              yield* accounts.useLink(hash, { operatorId: proved.account.operatorId }, now),
              proved
            )
          }
        }
        const given = { passwordHash, ...(name === undefined ? {} : { name }) }
        return yield* signing.begin(yield* accounts.useLink(hash, given, now), undefined)
      })
    })
  })
)

export const layer = Layer.mergeAll(operators, roles, invitations)
