/**
 * The endpoints of charger rows over the domain's ports. What this process holds in memory about a charger takes precedence over what is
 * stored.
 */
import { Clock, Effect } from "effect"
import { type ChargerRow, chargerRowOf, type ChargerSummary, fleetOf } from "../../../domain/charger/ChargerRow.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Presence, type Seen } from "../../../domain/charger/Presence.ts"
import { connectionOf } from "../../ChargerStatus.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { type counts, type Row, type rows, statesOf } from "./ChargerRowsApi.ts"

/** Text that a charger has reported; null for empty text, which means that it has not. */
const orNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

/** OCPP 1.6's error code for no error. */
const noError = "NoError"

const toConnector = ({
  connectorId,
  errorCode,
  evseId,
  info,
  powerW,
  sessionId,
  status,
  statusAt
}: ChargerRow["connectors"][number]): (typeof Row.Type)["connectors"][number] => ({
  evseId,
  connectorId,
  status,
  ...(errorCode === undefined || errorCode === noError ? {} : { errorCode }),
  ...(info === undefined || info === "" ? {} : { info }),
  since: statusAt,
  ...(powerW === undefined ? {} : { powerW }),
  ...(sessionId === undefined ? {} : { sessionId })
})

const toRow = (summary: ChargerSummary, seen: Seen | undefined, now: number): typeof Row.Type => {
  const { connected } = connectionOf({ ...summary, offlineSince: undefined }, seen)
  const lastSeen = Math.max(summary.lastSeen ?? 0, seen?.lastSeen ?? 0)
  const known = {
    connected,
    everConnected: connected || summary.epoch !== undefined,
    lastSeen: lastSeen === 0 ? undefined : lastSeen
  }
  const row = chargerRowOf(summary, known, now)
  return {
    id: row.chargerId,
    chargerId: row.chargerId,
    name: row.name,
    siteId: row.siteId,
    siteName: row.siteName,
    connected: row.connected,
    everConnected: row.everConnected,
    lastSeenAt: row.lastSeen ?? null,
    state: row.state,
    vendor: orNull(row.manufacturer),
    model: orNull(row.model),
    firmwareVersion: orNull(row.firmwareVersion),
    protocol: row.ocppVersion ?? null,
    connectors: row.connectors.map(toConnector),
    powerW: row.powerW,
    activeSessions: row.activeSessions
  }
}

type Asked<E extends { readonly "~Query": { readonly Type: unknown } }> = E["~Query"]["Type"]

export const chargerRows = Effect.gen(function* () {
  const chargers = yield* Chargers
  const presence = yield* Presence
  const publicUrl = yield* PublicUrl
  return {
    rows: Effect.fn("v2.chargers.rows")(function* ({
      query,
      request
    }: {
      query: Asked<typeof rows>
      request: { readonly url: string }
    }) {
      const { connected, firmware, q: text, siteId, state } = query
      const filter = { connected, firmwareVersion: firmware, siteId, states: statesOf(state), text }
      const page = yield* chargers.summaries(yield* organisationId, { ...pageRequest(query), ...filter })
      const now = yield* Clock.currentTimeMillis
      return yield* listed(publicUrl, request.url, page, (summary) =>
        toRow(summary, presence.peek(summary.chargerId), now)
      )
    }),
    counts: Effect.fn("v2.chargers.counts")(function* ({ query }: { query: Asked<typeof counts> }) {
      const { q: text, siteId } = query
      const now = yield* Clock.currentTimeMillis
      return fleetOf(yield* chargers.counts(yield* organisationId, { siteId, text }, now))
    })
  }
})
