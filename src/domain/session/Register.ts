/** A session's newest energy register, while it runs and until its stop arrives. */
import type { KnownSession } from "../charger/ChargerState.ts"

/** A register and when it was read, ms epoch; undefined if readings have none. */
type Registered = Pick<KnownSession, "registerWh" | "registerAt">

/**
 * The session with the newest register by the charger's time, in whatever order readings arrive. Of two with the same time, the last to arrive
 * counts. Storage uses the same order (`journal_commit`), because readings of two connections may reach it at the same time.
 */
export const withRegister = (session: KnownSession, { registerAt, registerWh }: Registered): KnownSession => {
  if (registerAt === undefined || registerWh === undefined) return session
  const isOlder = session.registerAt !== undefined && session.registerAt > registerAt
  return isOlder ? session : { ...session, registerWh, registerAt }
}

/**
 * True for a start register of a meter that begins anew with each session: it shows no order. A few Wh are rounding. All other meters count on, so a
 * start with a register below that of an earlier stop is older.
 */
export const restarts = (meterStartWh: number): boolean => meterStartWh <= 10

/** The Wh that a session has taken according to a register; 0 if the register is below the start's. */
export const takenBy = ({ meterStartWh }: Pick<KnownSession, "meterStartWh">, registerWh: number): number =>
  Math.max(0, registerWh - meterStartWh)
