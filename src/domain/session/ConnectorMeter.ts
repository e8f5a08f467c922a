/** What the readings of a session show about its connector's meter. Operators need it to judge whether parking can be billed there. */
import { resolutionOf } from "../tariff/Evidence.ts"
import type { Observed } from "./Ledger.ts"
import { measuredOf } from "../charger/MeterValue.ts"

export interface ConnectorMeter {
  readonly organisationId: string
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
  /** The step in which the register counts, Wh. */
  readonly stepWh: number
  /** True if it reports power or current besides its register. */
  readonly reportsPower: boolean
}

/** The meter that a session's readings show. Undefined while the session runs, and if its readings show nothing for certain. */
export const connectorMeterOf = ({
  readings,
  session
}: Pick<Observed, "readings" | "session">): ConnectorMeter | undefined => {
  const { chargerId, connectorId, endedAt, evseId, organisationId } = session
  if (endedAt === undefined) return undefined
  const registers = readings.flatMap(({ registerWh }) => registerWh ?? []).filter((wh) => wh !== 0)
  const { isProven, wh } = resolutionOf(registers)
  if (registers.length === 0 || !isProven) return undefined
  const reportsPower = readings.some(
    ({ samples = [] }) =>
      measuredOf(samples, "Power.Active.Import") !== undefined || measuredOf(samples, "Current.Import") !== undefined
  )
  return { organisationId, chargerId, evseId, connectorId, stepWh: wh, reportsPower }
}
