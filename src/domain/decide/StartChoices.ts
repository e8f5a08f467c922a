/**
 * What a start decides besides the authorisation of its card: the tariff that its session is priced by. The fact of the start carries it,
 * and storage only projects it.
 */
import type { TransactionStarted } from "../charger/ChargerEvent.ts"
import type { StartFacts } from "../charger/Decision.ts"
import type { SessionTariff } from "../charger/Fact.ts"
import { tariffOf } from "../tariff/Choice.ts"

/** The tariff of a session that starts at `at` (ms epoch), by which it is priced also where the tariff changes later. */
export const tariffFor = (
  chargerId: string,
  { place }: Pick<TransactionStarted, "place">,
  { tariffs, timeZone }: StartFacts,
  at: number
): SessionTariff | undefined => {
  const chosen = tariffOf({ chargerId, ...place }, tariffs, at)
  return chosen && { tariffId: chosen.tariffId, version: chosen.version, timeZone }
}
