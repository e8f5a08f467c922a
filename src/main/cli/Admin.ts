/**
 * What the owner of the machine may do when keys are lost: the work behind `voltlane keys`, `operators` and
 * `organisations`. The service does it for callers of its control socket, or the command line does it itself if no
 * service runs. Answers are text for a terminal.
 */
import { Clock, Data, Effect, Schema } from "effect"
import {
  type Conflict,
  InvalidInput,
  type NotFound,
  type PermissionDenied,
  type StorageUnavailable
} from "../../domain/Errors.ts"
import { newKey, newV1Pair } from "../../domain/operator/Keys.ts"
import type { ApiKey, Organisation } from "../../domain/operator/Operator.ts"
import type { Principal, AuditContext } from "../../domain/values/AuditContext.ts"
import { type Permission, permissions } from "../../domain/operator/Permission.ts"
import { Access } from "../../domain/operator/Access.ts"
import { Accounts } from "../../domain/operator/Accounts.ts"
import { newSecret, secretHash } from "../../domain/operator/SignIn.ts"
import { SingleSignOns } from "../../domain/operator/SingleSignOns.ts"
import { Secrets } from "../../domain/values/Secrets.ts"

/** Longer than any name or id that means something. */
const Text = Schema.String.check(Schema.isMaxLength(256))
const organisation = Schema.optionalKey(Text)

export const AdminRequest = Schema.Union([
  Schema.Struct({ ask: Schema.Literal("organisations list"), user: Text }),
  Schema.Struct({ ask: Schema.Literal("keys list"), user: Text, organisation }),
  Schema.Struct({
    ask: Schema.Literal("keys create"),
    user: Text,
    organisation,
    name: Text,
    permissions: Schema.optionalKey(Schema.Array(Text).check(Schema.isMaxLength(permissions.length)))
  }),
  Schema.Struct({ ask: Schema.Literal("keys revoke"), user: Text, organisation, key: Text }),
  Schema.Struct({ ask: Schema.Literal("operators reset"), user: Text, organisation, revokeOthers: Schema.Boolean }),
  Schema.Struct({ ask: Schema.Literal("operators link"), user: Text, organisation, email: Text }),
  Schema.Struct({ ask: Schema.Literal("operators add-owner"), user: Text, organisation, email: Text }),
  Schema.Struct({ ask: Schema.Literal("single-sign-on verify-domain"), user: Text, organisation, domain: Text })
])
export type AdminRequest = typeof AdminRequest.Type

export const AdminAnswer = Schema.Struct({
  /** For standard output: the result, which may contain secrets. */
  out: Schema.Array(Schema.String),
  /** For standard error: what was done. */
  note: Schema.Array(Schema.String)
})
export type AdminAnswer = typeof AdminAnswer.Type

/** The request cannot be carried out. The message is one line that says what to do instead. */
export class AdminRefused extends Data.TaggedError("AdminRefused")<{ readonly message: string }> {}

const refuse = (message: string) => new AdminRefused({ message })

/** Removes control characters from names that others chose, so that they cannot control the terminal (CWE-150). */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?")

const time = (millis: number | undefined): string =>
  millis === undefined ? "never" : new Date(millis).toISOString().slice(0, 19).concat("Z")

/** Formats rows under their headings, in columns. */
const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [heads, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const party = ({ countryCode, partyId }: Organisation): string => `${countryCode}-${partyId}`

/** All items of a paged list. */
const all = <A, E>(
  read: (page: {
    readonly limit: number
    readonly cursor: string | undefined
  }) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly nextCursor: string | null }, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let cursor: string | undefined
    do {
      const page = yield* read({ limit: 500, cursor })
      items.push(...page.items)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return items
  })

const organisations = Effect.flatMap(Access, (access) => all(access.organisations))

/** The requested organisation, by its id or party (`NL-VLT`); without either, the only one there is. */
const meant = (wanted: string | undefined) =>
  Effect.gen(function* () {
    const known = yield* organisations
    if (known.length === 0) return yield* refuse("there is no organisation yet: start the service once")
    const plainly = (text: string) => text.toUpperCase().replace("*", "-")
    const found =
      wanted === undefined ? known : known.filter((one) => one.id === wanted || plainly(party(one)) === plainly(wanted))
    const [first, ...more] = found
    if (first !== undefined && more.length === 0) return first
    const some = known.slice(0, 10).map(party).join(", ")
    return yield* refuse(
      `${wanted === undefined ? "there are several organisations" : `there is no organisation ${JSON.stringify(wanted)}`}: add --organisation with one of ${some}${known.length > 10 ? ", …" : ""}`
    )
  })

/** The actor and time for the audit log. */
const auditFor = (organisationId: string, user: string): Effect.Effect<AuditContext> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const actor = `command-line:${user}`
    const by: Principal = { organisationId, actor, keyId: actor, operatorId: undefined, permissions }
    return { by, now }
  })

const listKeys = ({ organisation: wanted }: { readonly organisation?: string }) =>
  Effect.gen(function* () {
    const access = yield* Access
    const { id } = yield* meant(wanted)
    const keys = yield* all((page) => access.listKeys(id, page))
    const row = (key: ApiKey) => [
      key.id,
      plain(key.prefix),
      key.revokedAt === undefined ? "works" : `revoked ${time(key.revokedAt)}`,
      time(key.lastUsedAt),
      plain(key.name),
      key.permissions?.join(",") ?? "every permission of its operator"
    ]
    return { out: table(["ID", "START", "STATE", "LAST USED", "NAME", "PERMISSIONS"], keys.map(row)), note: [] }
  })

const isPermission = (text: string): text is Permission => permissions.some((known) => known === text)

const createKey = (asked: Extract<AdminRequest, { readonly ask: "keys create" }>) =>
  Effect.gen(function* () {
    const access = yield* Access
    const own = yield* meant(asked.organisation)
    const unknown = asked.permissions?.find((permission) => !isPermission(permission))
    if (unknown !== undefined)
      return yield* refuse(
        `there is no permission ${JSON.stringify(unknown)}; permissions are ${permissions.join(", ")}`
      )
    const operator = (yield* access.operators(own.id)).find(({ active }) => active)
    if (operator === undefined) return yield* refuse(`${party(own)} has no active operator`)
    const { text, ...stored } = newKey(yield* Secrets)
    const made = yield* access.createKey(
      { name: asked.name, ...stored, permissions: asked.permissions, operatorId: operator.id },
      yield* auditFor(own.id, asked.user)
    )
    return { out: [text], note: [`Created key ${made.id} of ${party(own)}. It is shown only once.`] }
  })

const revokeKey = (asked: Extract<AdminRequest, { readonly ask: "keys revoke" }>) =>
  Effect.gen(function* () {
    const access = yield* Access
    const own = yield* meant(asked.organisation)
    const keys = yield* all((page) => access.listKeys(own.id, page))
    const [key, ...more] = keys.filter(({ id, prefix }) => id === asked.key || prefix === asked.key)
    if (key === undefined || more.length > 0) {
      const what = key === undefined ? "no key" : "more than one key"
      return yield* refuse(`${party(own)} has ${what} ${JSON.stringify(asked.key)}: see voltlane keys list for the ids`)
    }
    if (key.revokedAt !== undefined) return { out: [], note: [`Key ${key.id} was already revoked.`] }
    yield* access.revokeKey(key.id, yield* auditFor(own.id, asked.user), { lastToo: true })
    return { out: [], note: [`Revoked key ${key.id} (${plain(key.name)}) of ${party(own)}.`] }
  })

const reset = (asked: Extract<AdminRequest, { readonly ask: "operators reset" }>) =>
  Effect.gen(function* () {
    const access = yield* Access
    const secrets = yield* Secrets
    const own = yield* meant(asked.organisation)
    const { text, ...stored } = newKey(secrets)
    const { clientId, code, codeVerifier } = newV1Pair(secrets)
    const { key, revoked } = yield* access.restore(
      { key: { name: "reset", ...stored }, v1: { clientId, codeVerifier }, revokeOthers: asked.revokeOthers },
      yield* auditFor(own.id, asked.user)
    )
    const ended = asked.revokeOthers
      ? `All others were revoked: ${revoked.keys} of v2, ${revoked.pairs} of v1. Open invitations and reset links that ended: ${revoked.links}.`
      : "The others still work; --revoke-others ends them."
    return {
      out: [`API key (v2)    ${text}`, `v1 clientId     ${clientId}`, `v1 code         ${code}`],
      note: [`Created key ${key.id} and a v1 pair of ${party(own)}. They are shown only once. ${ended}`]
    }
  })

/** A link that a person opens, and the hash of its secret. The secret follows `#`, which browsers do not send. */
const newLink = (publicUrl: string) =>
  Effect.map(Secrets, (secrets) => {
    const secret = newSecret(secrets)
    return {
      hash: secretHash(secrets, "account-link", secret) ?? "",
      link: `${publicUrl.replace(/\/+$/, "")}/invitation#${secret}`
    }
  })

const until = (expiresAt: number): string => `It works once, until ${time(expiresAt)}.`

const resetOperator = (asked: Extract<AdminRequest, { readonly ask: "operators link" }>, publicUrl: string) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const wanted = asked.organisation === undefined ? undefined : yield* meant(asked.organisation)
    const found = (yield* accounts.byEmail(asked.email)).filter(({ organisations }) =>
      organisations.some(({ id }) => wanted === undefined || id === wanted.id)
    )
    const [account] = found
    const [first] = account?.organisations ?? []
    if (account === undefined || first === undefined)
      return yield* refuse(
        `there is no active operator ${JSON.stringify(asked.email)}: use voltlane operators add-owner to create one`
      )
    if (found.length > 1) {
      const names = found.slice(0, 10).map(({ organisations }) => plain(organisations[0]?.name ?? ""))
      return yield* refuse(
        `several accounts have the address ${JSON.stringify(asked.email)} (${names.join(", ")}): add --organisation`
      )
    }
    const { hash, link } = yield* newLink(publicUrl)
    const audit = yield* auditFor(first.id, asked.user)
    const { expiresAt } = yield* accounts.createReset(account.operatorId, hash, audit, { machine: true })
    return {
      out: [link],
      note: [
        `With this link ${plain(account.email)} sets a new password. ${until(expiresAt)} Using it ends all sign-ins and removes the second factor.`
      ]
    }
  })

const addOwner = (asked: Extract<AdminRequest, { readonly ask: "operators add-owner" }>, publicUrl: string) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const own = yield* meant(asked.organisation)
    const audit = yield* auditFor(own.id, asked.user)
    const wanted = asked.email.toLowerCase()
    const operators = yield* all((page) => accounts.operators(own.id, page))
    const known = operators.find(({ email }) => email.toLowerCase() === wanted)
    if (known !== undefined) {
      const change = { active: true, role: { role: "Owner" }, removals: [] } as const
      yield* accounts.changeOperator(known.id, change, audit)
      return { out: [], note: [`${plain(known.email)} is already an active owner of ${party(own)}.`] }
    }
    if (!/^[^\s@]+@[^\s@]+$/.test(asked.email))
      return yield* refuse(`${JSON.stringify(asked.email)} is not an email address`)
    const { hash, link } = yield* newLink(publicUrl)
    const input = { email: asked.email, role: { role: "Owner" }, hash } as const
    const { expiresAt } = yield* accounts.createInvitation(input, audit)
    return {
      out: [link],
      note: [`With this link ${plain(asked.email)} becomes an owner of ${party(own)}. ${until(expiresAt)}`]
    }
  })

const verifyDomain = (asked: Extract<AdminRequest, { readonly ask: "single-sign-on verify-domain" }>) =>
  Effect.gen(function* () {
    const singleSignOns = yield* SingleSignOns
    const own = yield* meant(asked.organisation)
    const domain = asked.domain.toLowerCase()
    yield* singleSignOns.verifyDomain(domain, undefined, yield* auditFor(own.id, asked.user))
    return { out: [], note: [`${plain(domain)} is verified for the single sign-on of ${party(own)}.`] }
  })

const listOrganisations = Effect.map(organisations, (known) => ({
  out: table(
    ["ID", "PARTY", "NAME"],
    known.map((one) => [one.id, party(one), plain(one.name)])
  ),
  note: []
}))

const done = (
  request: AdminRequest,
  publicUrl: string
): Effect.Effect<
  AdminAnswer,
  AdminRefused | Conflict | InvalidInput | NotFound | PermissionDenied | StorageUnavailable,
  Access | Accounts | Secrets | SingleSignOns
> => {
  switch (request.ask) {
    case "organisations list":
      return listOrganisations
    case "keys list":
      return listKeys(request)
    case "keys create":
      return createKey(request)
    case "keys revoke":
      return revokeKey(request)
    case "operators reset":
      return reset(request)
    case "operators link":
      return resetOperator(request, publicUrl)
    case "operators add-owner":
      return addOwner(request, publicUrl)
    case "single-sign-on verify-domain":
      return verifyDomain(request)
  }
}

const saying = (error: Conflict | InvalidInput | NotFound | PermissionDenied | StorageUnavailable): string => {
  if (error._tag === "PermissionDenied") return `missing permissions: ${error.requiredPermissions.join(", ")}`
  if (error instanceof InvalidInput) return `${error.pointer.slice(1)}: ${error.detail}`
  return error._tag === "NotFound" ? `there is no ${error.kind} ${error.id}` : error.message
}

/** Carries out a request. Links lead to `publicUrl`. A refusal is one line for the terminal. */
export const administer = (
  request: AdminRequest,
  publicUrl: string
): Effect.Effect<AdminAnswer, AdminRefused, Access | Accounts | Secrets | SingleSignOns> =>
  Effect.mapError(done(request, publicUrl), (error) => (error._tag === "AdminRefused" ? error : refuse(saying(error))))
