/** The port `Access`, faked with a `FakeWorld`: organisations, their operators and keys. */
import { Effect } from "effect"
import { Conflict, NotFound, PermissionDenied } from "../../src/domain/Errors.ts"
import { isLastFull } from "../../src/domain/operator/FullKey.ts"
import type { Operator, Organisation } from "../../src/domain/operator/Operator.ts"
import type { Principal } from "../../src/domain/values/AuditContext.ts"
import { beyond } from "../../src/domain/operator/Permission.ts"
import { ownerWith } from "../../src/domain/operator/Role.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { type FakeKey, type FakeOperator, type FakeWorld, owned, paged, patched } from "./fakeRecords.ts"

const organisationOf = (world: FakeWorld, id: string): Effect.Effect<Organisation, NotFound> => {
  const organisation = world.organisations.get(id)
  return organisation === undefined
    ? Effect.fail(new NotFound({ kind: "organisation", id }))
    : Effect.succeed(organisation)
}

/** An operator from the few fields that a world stores. */
export const operatorOf = (one: FakeOperator): Operator => ({
  ...one,
  ...ownerWith(one.permissions),
  email: "operator@example.com",
  name: one.name ?? "",
  locale: "en",
  active: true,
  hasPassword: false,
  hasSecondFactor: false,
  hasIdentity: false,
  createdAt: 0
})

const principalOf = (world: FakeWorld, key: FakeKey): Principal => {
  const operator = world.operators.get(key.operatorId)
  const held = operator?.permissions ?? []
  return {
    organisationId: key.organisationId,
    actor: `key:${key.id}`,
    keyId: key.id,
    operatorId: key.operatorId,
    permissions: held.filter((permission) => key.permissions === undefined || key.permissions.includes(permission))
  }
}

export const access = (world: FakeWorld) => {
  const addKey = (
    key: {
      readonly name: string
      readonly publicId: string
      readonly prefix: string
      readonly verifier: Uint8Array
    } & {
      readonly permissions: ReadonlyArray<string> | undefined
      readonly operatorId: string
      readonly expiresAt?: number | undefined
      readonly networks?: ReadonlyArray<string> | undefined
    },
    organisationId: string,
    now: number
  ): FakeKey => {
    const made = {
      ...key,
      id: world.uuid(),
      organisationId,
      createdAt: now,
      lastUsedAt: undefined,
      lastUsedFrom: undefined,
      revokedAt: undefined,
      expiresAt: key.expiresAt,
      networks: key.networks
    }
    world.keys.set(made.id, made)
    return made
  }
  return Access.of({
    isEmpty: Effect.sync(() => world.organisations.size === 0),
    createOrganisation: (input, now) =>
      world.write(() => {
        const taken = [...world.organisations.values()].some((one) => one.partyId === input.partyId)
        if (taken) return Effect.fail(new Conflict({ code: "party_exists", message: "That party is taken." }))
        const organisation: Organisation = {
          id: world.uuid(),
          name: input.name,
          countryCode: input.countryCode,
          partyId: input.partyId,
          timeZone: "UTC",
          closeSilentHours: 24,
          standbyPowerW: 100,
          requireSecondFactor: false,
          policy: { unknownTokens: "Refuse", concurrentTransactions: "Refuse", heartbeatIntervalSeconds: 300 },
          createdAt: now
        }
        const operatorId = world.uuid()
        world.organisations.set(organisation.id, organisation)
        world.operators.set(operatorId, {
          id: operatorId,
          organisationId: organisation.id,
          permissions: input.operatorPermissions
        })
        addKey({ ...input.key, operatorId }, organisation.id, now)
        const actor = `v1:${input.v1.clientId}`
        world.v1.set(input.v1.clientId, {
          verifier: input.v1.codeVerifier,
          principal: { organisationId: organisation.id, actor, keyId: actor, operatorId: undefined, permissions: [] }
        })
        return Effect.succeed({ organisation, operatorId })
      }),
    organisation: (id) => world.ask(() => organisationOf(world, id)),
    organisations: (page) => world.ask(() => paged([...world.organisations.values()], ({ id }) => id, page)),
    operators: (organisationId) =>
      world.ask(() =>
        Effect.succeed(
          [...world.operators.values()].filter((one) => one.organisationId === organisationId).map(operatorOf)
        )
      ),
    updateOrganisation: ({ policy, ...patch }, { by, now }) =>
      world.write(() =>
        Effect.map(organisationOf(world, by.organisationId), (organisation) => {
          const changed = { ...patched(organisation, patch, now), policy: { ...organisation.policy, ...policy } }
          world.organisations.set(changed.id, changed)
          return changed
        })
      ),
    findKey: (publicId) =>
      world.ask(() => {
        const key = [...world.keys.values()].find((one) => one.publicId === publicId && one.revokedAt === undefined)
        return Effect.succeed(
          key === undefined ? undefined : { verifier: key.verifier, principal: principalOf(world, key), bounds: key }
        )
      }),
    findV1: (clientId) => world.ask(() => Effect.succeed(world.v1.get(clientId))),
    used: (actor) => void world.used.push(actor),
    createKey: (key, { by, now }) => world.write(() => Effect.succeed(addKey(key, by.organisationId, now))),
    getKey: (organisationId, id) => world.ask(() => owned(world.keys.get(id), organisationId, "api key", id)),
    rotateKey: (id, { overlapMillis, ...next }, { by, now }) =>
      world.write(() =>
        Effect.map(owned(world.keys.get(id), by.organisationId, "api key", id), (key) => {
          world.keys.set(id, {
            ...key,
            expiresAt: Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMillis)
          })
          const { name, networks, operatorId } = key
          return addKey({ ...next, name, networks, operatorId }, by.organisationId, now)
        })
      ),
    listKeys: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...world.keys.values()].filter((key) => key.organisationId === organisationId),
          (key) => key.id,
          page
        )
      ),
    revokeKey: (id, { by, now }, options) =>
      world.write(() =>
        Effect.flatMap(
          owned(world.keys.get(id), by.organisationId, "api key", id),
          (key): Effect.Effect<void, Conflict | PermissionDenied> => {
            const lacking = beyond(by.permissions, principalOf(world, key).permissions)
            if (lacking.length > 0) return Effect.fail(new PermissionDenied({ requiredPermissions: lacking }))
            const working = [...world.keys.values()]
              .filter((one) => one.organisationId === by.organisationId && one.revokedAt === undefined)
              .map((one) => ({
                id: one.id,
                active: true,
                keyPermissions: one.permissions,
                operatorPermissions: world.operators.get(one.operatorId)?.permissions ?? []
              }))
            if (options?.lastToo !== true && isLastFull(id, working)) {
              return Effect.fail(
                new Conflict({ code: "last_full_key", message: "The last: see voltlane keys revoke." })
              )
            }
            return Effect.sync(() => void world.keys.set(id, { ...key, revokedAt: now }))
          }
        )
      ),
    restore: () => Effect.die("not in memory")
  })
}
