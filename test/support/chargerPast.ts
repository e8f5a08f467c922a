/** A charger with a history: the statuses that it reported for its connectors, and its connections, as tests of histories write and read them. */
import { Effect, Layer } from "effect"
import type { ConnectorStatus } from "../../src/domain/site/Connector.ts"
import type { ConnectorStatusChanged, PastStatusReported } from "../../src/domain/charger/Fact.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { directoryAndJournal } from "./commandedCharger.ts"
import { opening } from "./directoryRows.ts"
import { freshId, seedChargers, type Seeded } from "./journalFacts.ts"
import { besideRepositories } from "./repositories.ts"

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
/** The first of a month in UTC, the zone of the sites here. */
export const october = Date.UTC(2026, 9, 1)

/** The layers that a test of histories needs. */
export const live = Layer.mergeAll(directoryAndJournal, besideRepositories)

export interface World extends Seeded {
  readonly id: string
  epoch: number
}

let made = 0

export const connect = (world: World, at: number) =>
  Effect.gen(function* () {
    const directory = yield* ChargerDirectory
    const state = yield* directory.open(opening(world, world.id, { at }))
    world.epoch = state?.epoch ?? 0
  })

export const disconnect = ({ epoch, id: chargerId, organisationId }: World, at: number, reason = "the line was cut") =>
  Effect.flatMap(ChargerDirectory, (directory) => directory.close({ chargerId, organisationId, epoch, at, reason }))

/** A charger of an organisation of its own, connected since the beginning of October. */
export const aCharger = Effect.gen(function* () {
  const id = `HIST-${made++}`
  const seeded = yield* seedChargers([id])
  const world: World = { ...seeded, id, epoch: 0 }
  yield* connect(world, october)
  return world
})

export const status = (
  world: World,
  evseId: number,
  at: number,
  word: ConnectorStatus,
  more: { readonly past?: boolean; readonly heardAt?: number; readonly key?: string } = {}
): ConnectorStatusChanged | PastStatusReported => ({
  type: more.past === true ? "PastStatusReported" : "ConnectorStatusChanged",
  key: more.key ?? freshId(),
  organisationId: world.organisationId,
  chargerId: world.id,
  epoch: world.epoch,
  at,
  heardAt: more.heardAt ?? at + 500,
  body: {
    evseId,
    connectorId: evseId === 0 ? 0 : 1,
    status: word,
    rawStatus: word,
    errorCode: word === "Faulted" ? "GroundFailure" : "NoError",
    info: word === "Faulted" ? "F3" : undefined,
    vendorId: undefined,
    vendorErrorCode: word === "Faulted" ? "17" : undefined
  }
})

export const storeFacts = (...facts: ReadonlyArray<ConnectorStatusChanged | PastStatusReported>) =>
  Effect.flatMap(Journal, (journal) => Effect.forEach(facts, (fact) => journal.commit([fact]), { discard: true }))

export const statuses = (world: World, more: object = {}) =>
  Effect.gen(function* () {
    const history = yield* ChargerHistory
    const { items } = yield* history.connectors(world.organisationId, world.id, { limit: 500, ...more })
    return items.map((one) => [one.evseId, (one.at - october) / minute, one.status])
  })

export const connections = (world: World) =>
  Effect.gen(function* () {
    const history = yield* ChargerHistory
    const { items } = yield* history.connections(world.organisationId, world.id, { limit: 500 })
    return items.map((one) => [
      (one.connectedAt - october) / minute,
      one.disconnectedAt === undefined ? undefined : (one.disconnectedAt - october) / minute,
      one.reason
    ])
  })

export const uptime = (world: World, now: number, more: object = {}) =>
  Effect.flatMap(ChargerHistory, (history) => history.uptime(world.organisationId, { limit: 50, ...more }, now))
