/** The ports that REST needs, faked with a `FakeWorld`. Secrets are the real ones, since they need no database. */
import { Effect, Layer, Stream } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { Accounts } from "../../src/domain/operator/Accounts.ts"
import { Authorizations } from "../../src/domain/token/Authorizations.ts"
import { Passkeys } from "../../src/domain/operator/Passkeys.ts"
import { Search } from "../../src/domain/search/Search.ts"
import { Rollouts } from "../../src/domain/rollout/Rollouts.ts"
import { rollouts } from "./fakeRollouts.ts"
import { SavedViews } from "../../src/domain/search/SavedViews.ts"
import { Work } from "../../src/domain/work/Work.ts"
import { AuditLog } from "../../src/domain/operator/AuditLog.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import { Certificates } from "../../src/domain/charger/Certificates.ts"
import { Events } from "../../src/domain/event/Events.ts"
import { Drifts } from "../../src/domain/charger/Drifts.ts"
import { Expectations } from "../../src/domain/charger/Expectations.ts"
import { Files } from "../../src/domain/file/Files.ts"
import { noFiles } from "./fakeFiles.ts"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { availabilityOf, noAvailability } from "../../src/domain/charger/Series.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { Idempotency, type Claim } from "../../src/domain/operator/Idempotency.ts"
import { UnknownChargerAttempts } from "../../src/domain/charger/UnknownChargerAttempts.ts"
import { LocalLists } from "../../src/domain/command/LocalLists.ts"
import { Locations } from "../../src/domain/site/Locations.ts"
import { MessageLog } from "../../src/domain/charger/MessageLog.ts"
import { Exchanges } from "../../src/domain/roaming/Exchanges.ts"
import { HubClients } from "../../src/domain/roaming/HubClients.ts"
import { Parties } from "../../src/domain/roaming/Parties.ts"
import { PartnerRegistrar } from "../../src/domain/roaming/PartnerRegistrar.ts"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { PartnerView } from "../../src/domain/roaming/PartnerView.ts"
import { Presence } from "../../src/domain/charger/Presence.ts"
import { Reservations } from "../../src/domain/reservation/Reservations.ts"
import { RoamingCdrs } from "../../src/domain/cdr/RoamingCdrs.ts"
import { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import { Ledgers } from "../../src/domain/session/Ledgers.ts"
import { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { needsCorrection } from "../../src/domain/session/ChargingSession.ts"
import { ChargingProfiles } from "../../src/domain/command/ChargingProfiles.ts"
import { testSecrets } from "./databases.ts"
import { chargingProfiles } from "./fakeProfiles.ts"
import { access } from "./fakeAccess.ts"
import { accounts } from "./fakeAccounts.ts"
import { noProvider, noRecords, singleSignOns } from "./fakeSingleSignOn.ts"
import { auditLog } from "./fakeAudit.ts"
import { commands } from "./fakeCommands.ts"
import { events } from "./fakeEvents.ts"
import { noSubscriptions, webhookPoster, webhooks } from "./fakeWebhooks.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import { WebhookPoster } from "../../src/domain/event/WebhookPoster.ts"
import { Webhooks } from "../../src/domain/event/Webhooks.ts"
import { driftsIn, expectations } from "./fakeExpectations.ts"
import { unknownChargers } from "./fakeUnknownChargers.ts"
import { noClients, noExchanges, parties, partners, registrar } from "./fakePartners.ts"
import { tariffs } from "./fakeTariffs.ts"
import { locations, partnerView } from "./fakeLocations.ts"
import { localLists } from "./fakeLocalLists.ts"
import { tokenKey } from "../../src/domain/token/Token.ts"
import { type FakeWorld, owned, paged, tokenId } from "./fakeRecords.ts"
import { chargers, sites } from "./fakeChargers.ts"
import { tokens } from "./fakeTokens.ts"

const sessions = (world: FakeWorld) =>
  Sessions.of({
    get: (organisationId, id) => world.ask(() => owned(world.sessions.get(id), organisationId, "session", id)),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...world.sessions.values()].filter(
            (session) =>
              session.organisationId === organisationId &&
              (page.chargerId === undefined || session.chargerId === page.chargerId) &&
              (page.transactionId === undefined || session.transactionId === page.transactionId) &&
              (page.siteId === undefined || session.siteId === page.siteId) &&
              (page.tokenUid === undefined || tokenKey(session.tokenUid) === tokenKey(page.tokenUid)) &&
              (page.status === undefined || session.status === page.status) &&
              (page.held === undefined || (session.heldReason !== undefined) === page.held) &&
              (page.needsCorrection === undefined || needsCorrection(session) === page.needsCorrection) &&
              (page.from === undefined || session.startedAt >= page.from) &&
              (page.to === undefined || session.startedAt < page.to)
          ),
          (session) => session.id,
          page
        )
      ),
    readings: (organisationId, id, page) =>
      world.ask(() =>
        Effect.flatMap(owned(world.sessions.get(id), organisationId, "session", id), () =>
          paged(world.readings.get(id) ?? [], (reading) => String(reading.at).padStart(16, "0"), page)
        )
      )
  })

const idempotency = (world: FakeWorld) =>
  Idempotency.of({
    claim: (keyId, key, fingerprint) =>
      world.ask((): Effect.Effect<Claim> => {
        const known = world.answers.get(`${keyId}/${key}`)
        if (known === undefined) {
          world.answers.set(`${keyId}/${key}`, { fingerprint, answer: undefined })
          return Effect.succeed({ _tag: "Claimed" })
        }
        if (known.fingerprint !== fingerprint) return Effect.succeed({ _tag: "Reused" })
        return Effect.succeed(
          known.answer === undefined ? { _tag: "InProgress" } : { _tag: "Replay", answer: known.answer }
        )
      }),
    complete: (keyId, key, answer) =>
      Effect.sync(() => {
        const known = world.answers.get(`${keyId}/${key}`)
        if (known !== undefined) known.answer = answer
      }),
    release: (keyId, key) => Effect.sync(() => void world.answers.delete(`${keyId}/${key}`)),
    within: (keyId, key, work, answerOf) =>
      Effect.tap(work, (result) =>
        Effect.sync(() => {
          const name = `${keyId}/${key}`
          const answer = answerOf(result)
          const known = world.answers.get(name)
          if (answer === undefined) world.answers.delete(name)
          else if (known !== undefined) known.answer = answer
        })
      ),
    reach: (_keyId, _key, write) => write
  })

/** Ports that use no database in the real service either: memory and sockets. */
export const beside = (world: FakeWorld) =>
  Layer.mergeAll(
    Layer.succeed(PartnerView, partnerView(world)),
    Layer.succeed(
      MessageLog,
      MessageLog.of({
        append: () => {},
        written: Stream.empty,
        tail: () => Effect.succeed([]),
        search: (organisationId, chargerId, search) => {
          world.pagesOfFrames += 1
          return paged(
            world.frames.filter(
              (frame) =>
                frame.organisationId === organisationId &&
                frame.chargerId === chargerId &&
                (search.actions === undefined || search.actions.includes(frame.action)) &&
                (search.kinds === undefined || search.kinds.includes(frame.kind)) &&
                (search.text === undefined || frame.frame.includes(search.text)) &&
                (search.from === undefined || frame.at >= search.from) &&
                (search.to === undefined || frame.at < search.to)
            ),
            (frame) => frame.id,
            search
          )
        }
      })
    ),
    Layer.succeed(
      Presence,
      Presence.of({
        opened: () => {},
        heard: () => {},
        closed: () => {},
        stored: () => {},
        peek: (chargerId) => world.seen.get(chargerId)
      })
    ),
    Layer.succeed(PartnerRegistrar, registrar(world)),
    Layer.succeed(WebhookPoster, webhookPoster),
    noProvider,
    noRecords,
    Layer.succeed(Exchanges, noExchanges),
    Layer.succeed(
      ChargerLink,
      ChargerLink.of({
        wake: (chargerId) => Effect.sync(() => void world.woken.push(chargerId)),
        sending: (_, chargerId, store) =>
          Effect.map(
            Effect.tap(store(undefined), () => Effect.sync(() => void world.woken.push(chargerId))),
            ({ result }) => result
          ),
        reconsider: (chargerId) => Effect.sync(() => void world.reconsidered.push(chargerId)),
        reconsiderAll: (organisationId) => Effect.sync(() => void world.reconsidered.push(organisationId)),
        disconnect: (chargerId, reason) => Effect.sync(() => void world.disconnected.push({ chargerId, reason })),
        connectedCount: () => 0
      })
    )
  )

const noPages = () => Effect.succeed({ items: [], nextCursor: null })

/** Prices need real readings: they are tested on real databases. */
const noLedgers = Ledgers.of({
  ofSession: () => Effect.undefined,
  read: () => Effect.succeed([]),
  changed: () => Effect.succeed({ sessionIds: [], metered: [], plainlyEnded: [], upTo: undefined, facts: 0 }),
  keep: () => Effect.void
})

/** Records come from sessions: they are tested on real databases. */
const noCdrs = Cdrs.of({
  issue: () => Effect.void,
  get: (_, id) => Effect.fail(new NotFound({ kind: "cdr", id })),
  list: () => Effect.succeed({ items: [], nextCursor: null }),
  credit: (id) => Effect.fail(new NotFound({ kind: "cdr", id }))
})

const reviews = (world: FakeWorld) => {
  const own = (organisationId: string, id: string) =>
    world.write(() => Effect.asVoid(owned(world.sessions.get(id), organisationId, "session", id)))
  return SessionReviews.of({
    hold: () => Effect.void,
    release: (id, { by }) => own(by.organisationId, id),
    correct: (id, _, { by }) => own(by.organisationId, id)
  })
}

/** Only the organisation's own cards: what partners and chargers add is tested on real databases. */
const authorizations = (world: FakeWorld) =>
  Authorizations.of({
    evidence: (organisationId, { tokenUid }) =>
      world.ask(() => {
        const token = world.tokens.get(tokenId(organisationId, tokenUid))
        const policy = { unknownTokens: "Refuse", concurrentTransactions: "Refuse" } as const
        return Effect.succeed({
          facts: { token, reservations: [], roaming: [], openSessions: [] },
          policy,
          partnerNames: new Map<string, string>()
        })
      }),
    attempts: () => world.ask(() => Effect.succeed([])),
    list: () => world.ask(() => Effect.succeed({ items: [], nextCursor: null }))
  })

/** Only sites: the other kinds are tested on real databases. */
const search = (world: FakeWorld) =>
  Search.of({
    find: (organisationId, text, kinds) =>
      world.ask(() =>
        Effect.succeed(
          [...world.sites.values()]
            .filter((site) => kinds.includes("site") && site.organisationId === organisationId)
            .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
            .map(({ id, name }) => ({ kind: "site" as const, id, title: name, subtitle: "", rank: 2 }))
        )
      )
  })

const noHistory = ChargerHistory.of({
  connectors: noPages,
  connections: noPages,
  countedDays: noPages,
  uptime: noPages,
  availability: (_, range, now) => Effect.succeed(availabilityOf(noAvailability(range, now), range))
})

/** The expected configuration of chargers, and the chargers with drift. */
const expectedOf = (world: FakeWorld) => {
  const expected = expectations(world)
  return Layer.mergeAll(
    Layer.succeed(Expectations, expected),
    Layer.mock(Drifts, { list: (organisationId) => driftsIn(world, expected, organisationId) })
  )
}

/** Every port that REST needs, with one world. */
export const fakePorts = (world: FakeWorld) =>
  Layer.mergeAll(
    Layer.succeed(Sites, sites(world)),
    Layer.succeed(LocalLists, localLists(world)),
    Layer.succeed(Locations, locations(world)),
    Layer.succeed(UnknownChargerAttempts, unknownChargers(world)),
    Layer.succeed(Events, events(world)),
    Layer.succeed(Subscriptions, noSubscriptions),
    Layer.succeed(Webhooks, webhooks(world)),
    expectedOf(world),
    Layer.succeed(Tariffs, tariffs(world)),
    Layer.succeed(Parties, parties(world)),
    Layer.succeed(Partners, partners(world)),
    Layer.succeed(HubClients, noClients),
    Layer.succeed(Ledgers, noLedgers),
    Layer.succeed(Cdrs, noCdrs),
    Layer.succeed(SessionReviews, reviews(world)),
    Layer.succeed(Files, noFiles),
    Layer.succeed(ChargingProfiles, chargingProfiles(world)),
    Layer.succeed(ChargerHistory, noHistory),
    Layer.succeed(Chargers, chargers(world)),
    Layer.succeed(Authorizations, authorizations(world)),
    Layer.mock(Passkeys, {
      list: () => Effect.succeed([]),
      find: () => Effect.undefined,
      answered: () => Effect.succeed(false)
    }),
    Layer.succeed(Search, search(world)),
    Layer.succeed(Rollouts, rollouts(world)),
    Layer.mock(SavedViews, {
      list: () => world.ask(() => Effect.succeed([])),
      create: (view, operatorId, { now }) =>
        world.write(() => Effect.succeed({ ...view, id: world.uuid(), operatorId, createdAt: now })),
      remove: (_, __, id) => world.ask(() => Effect.fail(new NotFound({ kind: "view", id })))
    }),
    Layer.mock(Work, {
      counts: (_, queues) =>
        world.ask(() => Effect.succeed(Object.fromEntries(queues.map((queue) => [queue, 0])) as never))
    }),
    Layer.succeed(AuditLog, auditLog(world)),
    Layer.succeed(Commands, commands(world)),
    Layer.mock(RoamingCdrs, {
      withheld: () => Effect.succeed(new Set()),
      ofPlainTariffs: () => Effect.succeed(new Set())
    }),
    Layer.mock(RoamingTokens, {
      conflicts: () => Effect.succeed({ items: [], nextCursor: null }),
      pullState: () => Effect.undefined
    }),
    Layer.succeed(Reservations, Reservations.of({ list: () => Effect.succeed({ items: [], nextCursor: null }) })),
    Layer.succeed(
      Certificates,
      Certificates.of({
        requests: () => Effect.succeed({ items: [], nextCursor: null }),
        installed: () => Effect.succeed([])
      })
    ),
    Layer.succeed(Sessions, sessions(world)),
    Layer.succeed(Tokens, tokens(world)),
    Layer.succeed(Access, access(world)),
    Layer.mock(Accounts, accounts(world)),
    singleSignOns(world),
    Layer.succeed(Idempotency, idempotency(world)),
    testSecrets,
    beside(world)
  )
