/** The electrical supply of an EVSE, as the operator has set it: for conversion between A and W, and for times without a limit. */
import { assumedEquipment, type Connector, type ConnectorEquipment } from "../site/Connector.ts"
import type { CompositeDefaults } from "./Composite.ts"

const phasesOf = ({ powerType }: ConnectorEquipment): number =>
  powerType === "AC_3_PHASE" ? 3 : powerType.startsWith("AC_2_PHASE") ? 2 : 1

/**
 * The supply of an EVSE; for the whole charger (0), the sum of its EVSEs' currents. Only one connector of an EVSE delivers power at a time, so the
 * strongest one counts.
 */
export const supplyOf = (
  connectors: ReadonlyArray<Pick<Connector, "evseId" | "equipment">>,
  evseId: number
): CompositeDefaults => {
  const strongest = new Map<number, ConnectorEquipment>()
  for (const one of connectors) {
    const { maxAmperage } = one.equipment ?? assumedEquipment
    if (evseId !== 0 && one.evseId !== evseId) continue
    if (maxAmperage > (strongest.get(one.evseId)?.maxAmperage ?? 0)) {
      strongest.set(one.evseId, one.equipment ?? assumedEquipment)
    }
  }
  const evses = strongest.size === 0 ? [assumedEquipment] : [...strongest.values()]
  const [first = assumedEquipment] = evses
  return {
    voltage: first.maxVoltage,
    phases: Math.max(...evses.map(phasesOf)),
    amps: evses.reduce((sum, { maxAmperage }) => sum + maxAmperage, 0)
  }
}
