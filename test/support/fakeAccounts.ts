/** The port `Accounts`, faked with a `FakeWorld` as far as keys need it: no person signs in here, and no link is used. */
import { Effect } from "effect"
import type { Accounts, Invitation } from "../../src/domain/operator/Accounts.ts"
import type { Role } from "../../src/domain/operator/Role.ts"
import { operatorOf } from "./fakeAccess.ts"
import { type FakeWorld, owned, paged } from "./fakeRecords.ts"

type FakeRole = Role & { readonly organisationId: string }

export const accounts = (world: FakeWorld): Partial<Accounts["Service"]> => {
  const roles = new Map<string, FakeRole>()
  const invitations = new Map<string, Invitation>()
  const operator = (organisationId: string, id: string) =>
    owned(world.operators.get(id), organisationId, "operator", id)
  const expiresAt = Date.UTC(2026, 10, 23)
  return {
    byEmail: () => world.ask(() => Effect.succeed([])),
    passwordsOf: () => world.ask(() => Effect.succeed([])),
    findSignIn: () => world.ask(() => Effect.undefined),
    findLink: () => world.ask(() => Effect.undefined),
    operators: (organisationId, page) =>
      world.ask(() => {
        const own = [...world.operators.values()].filter((one) => one.organisationId === organisationId)
        return paged(own.map(operatorOf), ({ id }) => id, page)
      }),
    operator: (organisationId, id) => world.ask(() => Effect.map(operator(organisationId, id), operatorOf)),
    changeOperator: (id, { name }, { by }) =>
      world.write(() =>
        Effect.map(operator(by.organisationId, id), (one) => {
          const changed = { ...one, ...(name === undefined ? {} : { name }) }
          world.operators.set(id, changed)
          return operatorOf(changed)
        })
      ),
    createReset: (id, _, { by }) => world.write(() => Effect.as(operator(by.organisationId, id), { expiresAt })),
    madeAccess: (id, { by }) => world.ask(() => Effect.as(operator(by.organisationId, id), [])),
    closeMade: (id, _, { by }) => world.write(() => Effect.as(operator(by.organisationId, id), [])),
    roles: (organisationId) =>
      world.ask(() => Effect.succeed([...roles.values()].filter((one) => one.organisationId === organisationId))),
    createRole: (input, { by, now }) =>
      world.write(() => {
        const role = { ...input, id: world.uuid(), organisationId: by.organisationId, createdAt: now }
        roles.set(role.id, role)
        return Effect.succeed(role)
      }),
    changeRole: (id, patch, { by }) =>
      world.write(() =>
        Effect.map(owned(roles.get(id), by.organisationId, "role", id), (role) => {
          const changed = { ...role, ...patch }
          roles.set(id, changed)
          return changed
        })
      ),
    removeRole: (id, { by }) =>
      world.write(() => Effect.map(owned(roles.get(id), by.organisationId, "role", id), () => void roles.delete(id))),
    invitations: (organisationId, _, page) =>
      world.ask(() =>
        paged(
          [...invitations.values()].filter((one) => one.organisationId === organisationId),
          ({ id }) => id,
          page
        )
      ),
    createInvitation: ({ email, role }, { by, now }) =>
      world.write(() => {
        const { organisationId } = by
        const found = role.roleId === undefined ? undefined : roles.get(role.roleId)
        const names = { role: role.role, ownRole: found }
        const made = { id: world.uuid(), organisationId, email, ...names, createdAt: now, expiresAt }
        invitations.set(made.id, made)
        return Effect.succeed(made)
      }),
    revokeInvitation: (id, { by }) =>
      world.write(() =>
        Effect.map(owned(invitations.get(id), by.organisationId, "invitation", id), () => void invitations.delete(id))
      )
  }
}
