/**
 * A journal small enough to be obviously correct: a list of facts with unique keys, and the tables that follow from it. It returns what the real one
 * returns, and loads an actor's state from its tables, without the function (`evolve`) that maintains the state in memory.
 */
import {
  type ChargerState,
  type ConnectorState,
  endedSessionsKept,
  type KnownSession,
  type Orphan,
  orphansKept,
  supersededSessionsKept
} from "../../src/domain/charger/ChargerState.ts"
import type { CommitOutcome, FoundToken, OrphanReadings, StartFacts } from "../../src/domain/charger/Decision.ts"
import type {
  ChargerFact,
  NegligibleTransactions,
  ProvisionalChanged,
  ProvisionalTransaction,
  SessionEnded,
  SessionStarted
} from "../../src/domain/charger/Fact.ts"
import type { ReservationFacts } from "../../src/domain/reservation/Reservation.ts"
import type { Reading } from "../../src/domain/charger/MeterValue.ts"
import { type Token, tokenKey } from "../../src/domain/token/Token.ts"

/** A session as a row of the table. */
export interface SessionRow {
  readonly start: SessionStarted
  status: KnownSession["status"]
  supersededAt: number | undefined
  end: SessionEnded | undefined
  /** An end that came without a stop; the session's own stop still ends it. */
  unheardEnd: SessionEnded | undefined
  registerWh: number | undefined
  registerAt: number | undefined
}

interface OrphanRow extends Orphan {
  readonly chargerId: string
  readonly heardAt: number
  readonly readings?: ReadonlyArray<Reading> | undefined
  /** The session that this stop contradicts: it differs from the stop that ended the session. */
  readonly contradicts?: string | undefined
  sessionId: string | undefined
}

export class ModelJournal {
  readonly facts: Array<ChargerFact> = []
  readonly sessions: Array<SessionRow> = []
  readonly orphans: Array<OrphanRow> = []
  readonly tokens = new Map<string, Token>()
  /** The reservations in force, of every charger. */
  readonly reservations: Array<ReservationFacts> = []
  /** The facts that every start gets. */
  start: StartFacts = { timeZone: undefined, tariffs: [], remoteStarts: [] }
  /** The registered data by charger, with the epoch of its connection. */
  readonly chargers = new Map<string, ChargerState>()
  readonly provisional = new Map<string, Map<number, ProvisionalTransaction>>()
  readonly negligible = new Map<string, Map<number, NegligibleTransactions>>()
  private readonly keys = new Set<string>()
  private readonly connectors = new Map<string, Array<ConnectorState>>()

  commit(facts: ReadonlyArray<ChargerFact>): CommitOutcome {
    const fresh = new Set<string>()
    let existing: KnownSession | undefined
    const recorded = facts.map((fact) => {
      if (fact.type === "ProvisionalChanged") return this.provisionalChanged(fact)
      const fenced = "epoch" in fact && fact.epoch !== this.chargers.get(fact.chargerId)?.epoch
      const loose = "requires" in fact && fact.requires !== undefined && !fresh.has(fact.requires)
      if (fenced || loose || this.keys.has(fact.key)) {
        if (fact.type === "SessionStarted")
          existing = this.known(this.sessions.find((row) => row.start.key === fact.key))
        return false
      }
      this.keys.add(fact.key)
      fresh.add(fact.key)
      this.facts.push(fact)
      this.project(fact)
      return true
    })
    return { recorded, existing }
  }

  private provisionalChanged({ body, chargerId }: ProvisionalChanged): true {
    const rows = this.provisional.get(chargerId) ?? new Map<number, ProvisionalTransaction>()
    for (const id of body.gone) rows.delete(id)
    for (const one of body.kept) rows.set(one.start.body.transactionId, one)
    this.provisional.set(chargerId, rows)
    const days = this.negligible.get(chargerId) ?? new Map<number, NegligibleTransactions>()
    if (body.counted !== undefined) days.set(body.counted.day, body.counted)
    this.negligible.set(chargerId, days)
    return true
  }

  private project(fact: ChargerFact): void {
    switch (fact.type) {
      case "SessionStarted": {
        for (const row of this.sessions) {
          if (!fact.body.supersedes.includes(row.start.body.sessionId) || row.status !== "Open") continue
          row.status = "Superseded"
          row.supersededAt = Math.max(row.start.at, fact.at)
        }
        const newer = this.sessions.find((row) => row.start.body.sessionId === fact.body.supersededBy)
        this.sessions.push({
          start: fact,
          status: newer === undefined ? "Open" : "Superseded",
          supersededAt: newer?.start.at,
          end: undefined,
          unheardEnd: undefined,
          registerWh: undefined,
          registerAt: undefined
        })
        return
      }
      case "SessionEnded": {
        const row = this.sessions.find(({ start }) => start.body.sessionId === fact.body.sessionId)
        if (row === undefined) throw new Error("a session that was never started ended")
        if (row.end !== undefined) throw new Error("a session ended twice")
        if (fact.body.unheard === true) {
          if (row.status !== "Open") throw new Error("a session that was over ended unheard")
          row.status = "Superseded"
          row.supersededAt = fact.at
          row.unheardEnd = fact
          return
        }
        row.end = fact
        row.status = "Ended"
        const orphan = this.orphans.find(({ orphanId }) => orphanId === fact.body.orphanId)
        if (orphan?.sessionId !== undefined) throw new Error("an orphan ended two sessions")
        if (orphan !== undefined) orphan.sessionId = fact.body.sessionId
        return
      }
      case "MeterRead": {
        const { registerAt, registerWh, sessionId } = fact.body
        const row = this.sessions.find(({ start }) => start.body.sessionId === sessionId)
        if (row === undefined || registerAt === undefined) return
        if (row.registerAt !== undefined && row.registerAt > registerAt) return
        row.registerAt = registerAt
        row.registerWh = registerWh
        return
      }
      case "OrphanRecorded":
        this.orphans.push({
          ...fact.body,
          hasReadings: (fact.body.readings ?? []).length > 0,
          heardAt: fact.heardAt,
          chargerId: fact.chargerId,
          at: fact.at,
          sessionId: undefined
        })
        return
      case "ConnectorStatusChanged": {
        const { body } = fact
        const rows = this.connectors.get(fact.chargerId) ?? []
        this.connectors.set(fact.chargerId, [
          ...rows.filter((row) => row.evseId !== body.evseId || row.connectorId !== body.connectorId),
          { ...body, at: fact.at, heardAt: fact.heardAt, byOwnClock: fact.at !== fact.heardAt }
        ])
        return
      }
      default:
        return
    }
  }

  private known(row: SessionRow | undefined): KnownSession | undefined {
    if (row === undefined) return undefined
    const { at, body } = row.start
    return {
      sessionId: body.sessionId,
      transactionId: body.transactionId,
      place: { evseId: body.evseId, connectorId: body.connectorId },
      tokenUid: body.tokenUid,
      startedAt: at,
      heardAt: row.start.heardAt,
      meterStartWh: row.end?.body.meterStartWh ?? body.meterStartWh,
      authorization: body.authorization.status,
      authorizedUntil: body.authorization.expiresAt,
      parentUid: body.authorization.parentUid,
      status: row.status,
      registerWh: row.registerWh,
      registerAt: row.registerAt,
      supersededAt: row.supersededAt,
      endedAt: row.end?.at,
      reportedStop: row.end?.body.reported
    }
  }

  findSession(chargerId: string, transactionId: number): KnownSession | null {
    const found = this.sessions.find(
      ({ start }) => start.chargerId === chargerId && start.body.transactionId === transactionId
    )
    return this.known(found) ?? null
  }

  findOrphan(chargerId: string, orphanId: string): OrphanReadings {
    const found = this.orphans.find((orphan) => orphan.chargerId === chargerId && orphan.orphanId === orphanId)
    return { readings: found?.readings ?? [] }
  }

  findToken(uid: string): FoundToken {
    const key = tokenKey(uid)
    return {
      token: this.tokens.get(key),
      openSessions: this.sessions
        .filter((row) => row.status === "Open" && tokenKey(row.start.body.tokenUid) === key)
        .filter((row) => row.start.body.authorization.status === "Accepted")
        .map(({ start }) => ({
          chargerId: start.chargerId,
          evseId: start.body.evseId,
          sessionId: start.body.sessionId,
          startedAt: start.at,
          source: start.body.authorization.source
        })),
      reservations: this.reservations,
      roaming: [],
      start: this.start
    }
  }

  /** Loads the state of a charger's actor from the tables. */
  load(chargerId: string): ChargerState {
    const registered = this.chargers.get(chargerId)
    if (registered === undefined) throw new Error(`${chargerId} is not registered`)
    const rows = this.sessions.filter(({ start }) => start.chargerId === chargerId)
    const superseded = rows.filter((row) => row.status === "Superseded").slice(-supersededSessionsKept)
    const last = rows.slice(-endedSessionsKept)
    const kept = rows.filter((row) => row.status === "Open" || superseded.includes(row) || last.includes(row))
    const provisional = [...(this.provisional.get(chargerId)?.values() ?? [])]
    return {
      ...registered,
      provisional: provisional.length === 0 ? undefined : provisional,
      negligible: [...(this.negligible.get(chargerId)?.values() ?? [])].at(-1),
      connectors: this.connectors.get(chargerId) ?? registered.connectors,
      sessions: kept.flatMap((row) => this.known(row) ?? []),
      orphans: this.orphans
        .filter((orphan) => orphan.chargerId === chargerId && orphan.sessionId === undefined)
        .filter(({ action, meterStopWh, rawTransactionId, tokenUid }) => {
          const unnamed = Number(rawTransactionId) < 1 || Number(rawTransactionId) >= 2 ** 31
          return action === "StartTransaction" || (unnamed && tokenUid !== undefined && meterStopWh !== undefined)
        })
        .slice(-orphansKept)
    }
  }
}
