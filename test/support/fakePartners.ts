/** Partners and parties in a `FakeWorld`. Tokens and handshakes are tested on real databases and over real HTTP. */
import { Effect } from "effect"
import { Conflict, NotFound } from "../../src/domain/Errors.ts"
import { type Partner, switchedBy } from "../../src/domain/roaming/Partner.ts"
import type { CpoParty } from "../../src/domain/roaming/Party.ts"
import { Exchanges } from "../../src/domain/roaming/Exchanges.ts"
import { HubClients } from "../../src/domain/roaming/HubClients.ts"
import { Parties } from "../../src/domain/roaming/Parties.ts"
import { PartnerRegistrar } from "../../src/domain/roaming/PartnerRegistrar.ts"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { type FakeWorld, owned, paged } from "./fakeRecords.ts"

const find = (world: FakeWorld, organisationId: string, id: string) =>
  owned(world.partners.get(id), organisationId, "partner", id)

const changed = (world: FakeWorld, organisationId: string, id: string, change: (before: Partner) => Partner) =>
  world.write(() =>
    Effect.map(find(world, organisationId, id), (before) => {
      const after = change(before)
      world.partners.set(id, after)
      return after
    })
  )

const isTaken = (world: FakeWorld, organisationId: string, wanted: NonNullable<Partner["expected"]>): boolean =>
  [...world.partners.values()].some(
    (one) =>
      one.organisationId === organisationId &&
      one.expected?.countryCode === wanted.countryCode &&
      one.expected.partyId === wanted.partyId &&
      one.expected.roles.some((role) => wanted.roles.includes(role))
  )

export const partners = (world: FakeWorld) =>
  Partners.of({
    create: ({ expected, name, switches }, { by, now }) =>
      world.write(() => {
        const { organisationId } = by
        if (isTaken(world, organisationId, expected))
          return Effect.fail(new Conflict({ code: "party_in_use", message: "That party is another partner." }))
        const times = { createdAt: now, updatedAt: now }
        const id = world.uuid()
        const partner = { id, organisationId, name, expected, switches, connection: undefined, ...times }
        const invited: Partner = { ...partner, status: "Invited" }
        world.partners.set(id, invited)
        return Effect.succeed(invited)
      }),
    get: (organisationId, id) => world.ask(() => find(world, organisationId, id)),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...world.partners.values()].filter((one) => one.organisationId === organisationId),
          ({ id }) => id,
          page
        )
      ),
    update: (id, { suspended, switches = {}, ...patch }, { by, now }) =>
      changed(world, by.organisationId, id, (before) => ({
        ...before,
        ...patch,
        switches: switchedBy(before.switches, switches),
        status: suspended === true ? "Suspended" : suspended === false ? "Invited" : before.status,
        updatedAt: now
      })),
    remove: (id, { by }) =>
      world.write(() =>
        Effect.map(find(world, by.organisationId, id), () => {
          world.partners.delete(id)
        })
      ),
    invite: (id, _, { by, now }) =>
      changed(world, by.organisationId, id, (before) => ({ ...before, status: "Invited", updatedAt: now })),
    bearer: () => world.ask(() => Effect.undefined),
    register: (id, { connection }, { by, now }) =>
      changed(world, by.organisationId, id, (before) => ({
        ...before,
        status: "Registered",
        connection,
        updatedAt: now
      })),
    renew: (id, { connection }, { by, now }) =>
      changed(world, by.organisationId, id, (before) => ({ ...before, connection, updatedAt: now })),
    unregister: (id, { by, now }) =>
      Effect.asVoid(
        changed(world, by.organisationId, id, (before) => ({
          ...before,
          status: "Unregistered",
          connection: undefined,
          updatedAt: now
        }))
      ),
    theirToken: () => world.ask(() => Effect.undefined),
    expect: (id, _, { by }) => world.write(() => Effect.asVoid(find(world, by.organisationId, id))),
    withdraw: () => world.write(() => Effect.void)
  })

/** There is no partner to register with. */
export const registrar = (world: FakeWorld) =>
  PartnerRegistrar.of({
    register: (id, _, { by }) =>
      world.write(() =>
        Effect.andThen(
          find(world, by.organisationId, id),
          Effect.fail(new Conflict({ code: "partner_unusable", message: "The partner could not be asked." }))
        )
      ),
    renew: (id, { by }) =>
      world.write(() =>
        Effect.andThen(
          find(world, by.organisationId, id),
          Effect.fail(new Conflict({ code: "not_registered", message: "Only a registered one." }))
        )
      ),
    remove: (id, writing) => partners(world).remove(id, writing)
  })

export const parties = (world: FakeWorld) => {
  const more: Array<CpoParty> = []
  const all = (organisationId: string): ReadonlyArray<CpoParty> => {
    const organisation = world.organisations.get(organisationId)
    if (organisation === undefined) return []
    const { countryCode, createdAt, id, name, partyId } = organisation
    const own = { id, organisationId, countryCode, partyId, businessDetails: { name }, isDefault: true, createdAt }
    return [own, ...more.filter((one) => one.organisationId === organisationId)]
  }
  return Parties.of({
    list: (organisationId) => world.ask(() => Effect.succeed(all(organisationId))),
    create: (input, { by, now }) =>
      world.write(() => {
        const id = world.uuid()
        const party = { ...input, id, organisationId: by.organisationId, isDefault: false, createdAt: now }
        more.push(party)
        return Effect.succeed(party)
      }),
    ofSite: (organisationId, siteId) =>
      world.ask(() =>
        Effect.flatMap(owned(world.sites.get(siteId), organisationId, "site", siteId), () =>
          Effect.succeed(all(organisationId)[0]!)
        )
      )
  })
}

/** Logs need a database: they are tested on real ones. */
export const noExchanges = Exchanges.of({
  record: () => {},
  search: () => Effect.succeed({ items: [], nextCursor: null }),
  health: () => Effect.succeed([])
})

export const noClients = HubClients.of({
  put: () => Effect.succeed(true),
  get: (_, __, { partyId }) => Effect.fail(new NotFound({ kind: "client", id: partyId })),
  holder: () => Effect.undefined,
  list: () => Effect.succeed({ items: [], nextCursor: null })
})
