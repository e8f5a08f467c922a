/** The session that a start begins, as the actor knows it. */
import type { KnownSession } from "../charger/ChargerState.ts"
import type { SessionStarted } from "../charger/Fact.ts"

export const startedSession = ({ at, body, heardAt }: SessionStarted): KnownSession => ({
  sessionId: body.sessionId,
  transactionId: body.transactionId,
  place: { evseId: body.evseId, connectorId: body.connectorId },
  tokenUid: body.tokenUid,
  startedAt: at,
  heardAt,
  ...(body.clockIgnored === true ? { clockIgnored: true } : {}),
  meterStartWh: body.meterStartWh,
  authorization: body.authorization.status,
  authorizedUntil: body.authorization.expiresAt,
  parentUid: body.authorization.parentUid,
  status: body.supersededBy === undefined ? "Open" : "Superseded",
  registerWh: undefined,
  registerAt: undefined,
  reportedStop: undefined
})
