/** What a session's energy register comes to while it runs, and until its stop has come. */
import type { KnownSession } from "../charger/ChargerState.ts"

/** A register and when it was read, ms epoch; undefined where readings have none. */
type Registered = Pick<KnownSession, "registerWh" | "registerAt">

/**
 * The session with the newest register by the charger's time, whatever order the readings come in; of two of one time the later to come.
 * Storage has the same order (`journal_commit`), since readings of two connections may reach it at one time.
 */
export const withRegister = (session: KnownSession, { registerAt, registerWh }: Registered): KnownSession => {
  if (registerAt === undefined || registerWh === undefined) return session
  const isOlder = session.registerAt !== undefined && session.registerAt > registerAt
  return isOlder ? session : { ...session, registerWh, registerAt }
}

/** Wh that a session has taken by a register; one that fell below the start's shows that nothing was, as far as is known. */
export const takenBy = ({ meterStartWh }: Pick<KnownSession, "meterStartWh">, registerWh: number): number =>
  Math.max(0, registerWh - meterStartWh)
