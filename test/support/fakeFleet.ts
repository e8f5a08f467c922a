/** Rows and counts of chargers from a `FakeWorld`, by the domain's own rules. */
import {
  chargerRowOf,
  type ChargerSummary,
  type FleetCounts,
  noChargers,
  type OverallState
} from "../../src/domain/charger/ChargerRow.ts"
import type { FleetFilter } from "../../src/domain/charger/Chargers.ts"
import type { FakeWorld } from "./fakeRecords.ts"

/** The stored chargers of an organisation that match the filter. */
export const fleetOf = (
  world: FakeWorld,
  organisationId: string,
  { siteId, text }: FleetFilter
): ReadonlyArray<ChargerSummary> =>
  [...world.chargers.values()]
    .filter((charger) => charger.organisationId === organisationId && (siteId ?? charger.siteId) === charger.siteId)
    .map((charger) => ({
      ...charger,
      epoch: charger.epoch,
      siteName: world.sites.get(charger.siteId)?.name ?? "",
      sessions: [...world.sessions.values()]
        .filter((session) => session.chargerId === charger.chargerId && session.endedAt === undefined)
        .map(({ connectorId, evseId, id }) => ({
          sessionId: id,
          evseId,
          connectorId,
          powerW: undefined,
          powerAt: undefined
        }))
    }))
    .filter(({ chargerId, manufacturer, model, name, siteName }) =>
      [chargerId, name, siteName, `${manufacturer} ${model}`].some((one) =>
        one.toLowerCase().includes((text ?? "").toLowerCase())
      )
    )

const rowOf = (summary: ChargerSummary, now: number) =>
  chargerRowOf(summary, { ...summary, everConnected: summary.connected || summary.epoch !== undefined }, now)

export const stateOf = (summary: ChargerSummary): OverallState => rowOf(summary, 0).state

export const countsOf = (fleet: ReadonlyArray<ChargerSummary>, now: number): FleetCounts =>
  fleet
    .map((summary) => rowOf(summary, now))
    .reduce(
      ({ byState, powerW }, row) => ({
        byState: { ...byState, [row.state]: (byState[row.state] ?? 0) + 1 },
        powerW: powerW + row.powerW
      }),
      noChargers
    )
