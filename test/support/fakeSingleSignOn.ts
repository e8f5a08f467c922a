/** Single sign-on, faked: no organisation has configured it, and no provider is called. */
import { Effect, Layer } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { DomainRecords } from "../../src/domain/operator/DomainRecords.ts"
import { IdentityProvider } from "../../src/domain/operator/IdentityProvider.ts"
import { SingleSignOns } from "../../src/domain/operator/SingleSignOns.ts"
import type { FakeWorld } from "./fakeRecords.ts"

export const singleSignOns = (world: FakeWorld) =>
  Layer.mock(SingleSignOns, {
    find: () => world.ask(() => Effect.undefined),
    offers: () => world.ask(() => Effect.succeed([])),
    set: ({ defaultRole, domains, ...given }, { by, now }) =>
      world.write(() =>
        defaultRole?.roleId === undefined
          ? Effect.succeed({
              ...given,
              domains: domains.map((domain) => ({
                domain,
                token: "token",
                verifiedAt: undefined,
                verifiedBy: undefined,
                checkedAt: undefined,
                confirmedAt: undefined
              })),
              defaultRole,
              clientSecret: given.clientSecret,
              organisationId: by.organisationId,
              updatedAt: now
            })
          : Effect.fail(new NotFound({ kind: "role", id: defaultRole.roleId }))
      ),
    verifyDomain: (domain) => world.write(() => Effect.fail(new NotFound({ kind: "domain", id: domain }))),
    remove: ({ by }) => world.write(() => Effect.fail(new NotFound({ kind: "single sign-on", id: by.organisationId })))
  })

/** A DNS without records. */
export const noRecords = Layer.succeed(DomainRecords, DomainRecords.of({ texts: () => Effect.succeed([]) }))

/** A provider that does not exist. */
export const noProvider = Layer.mock(IdentityProvider, {
  refusal: () => undefined,
  test: () =>
    Effect.succeed({
      authorizationEndpoint: undefined,
      tokenEndpoint: undefined,
      problems: ["The identity provider was not reached."]
    })
})
