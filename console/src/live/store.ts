/**
 * The live store. It opens the stream first, then reads everything once, and then the stream keeps it up to date. Readers are called at most once per
 * animation frame, so that a burst of events costs no more than the screen can show. Lists that the store does not hold are read again when an event
 * says that they changed.
 */
import { QueryClient } from "@tanstack/react-query"
import { useMemo, useSyncExternalStore } from "react"
import { call, Problem } from "../api/client.ts"
import type { Answer, LiveEvent, Name } from "../api/types.ts"
import { followCommands } from "./commands.ts"
import { type Line, followFeed } from "./feed.ts"
import { apply, emptyFleet, type Fleet, listedRow, place, rowOf, type Row } from "./fleet.ts"
import { readSites } from "./sites.ts"

export interface Snapshot {
  readonly rows: ReadonlyArray<Row>
  readonly isComplete: boolean
  readonly line: Line
  /** When the stream was lost. */
  readonly lostAt: number
  /** Why the chargers could not be read. */
  readonly problem: Error | undefined
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(error instanceof Problem && error.status < 500)
    }
  }
})

/** The lists and figures that an event of each kind changes. */
const touchedBy: Readonly<Record<string, ReadonlyArray<Name>>> = {
  charger: ["chargers.get", "statistics.get", "unknown-chargers.list", "history.connections", "sites.get"],
  transactions: ["history.countedTransactions"],
  authorization: ["tokens.explanation", "authorizations.list"],
  connector: ["history.connectors", "statistics.get"],
  session: [
    "sessions.list",
    "authorizations.list",
    "sessions.get",
    "sessions.price",
    "sessions.meterValues",
    "statistics.get",
    "statistics.series",
    "reservations.list",
    "tariffs.runningSessions"
  ],
  cdr: ["cdrs.list", "statistics.get"],
  command: [
    "commands.list",
    "commands.listOfCharger",
    "reservations.list",
    "chargers.configuration",
    "charging-profiles.standing",
    "charging-profiles.composite",
    "files.list"
  ],
  rollout: [
    "firmware-campaigns.list",
    "firmware-campaigns.get",
    "firmware-campaigns.targets",
    "command-batches.list",
    "command-batches.get",
    "command-batches.targets"
  ],
  token: ["tokens.list", "tokens.get", "tokens.explanation"],
  tariff: [
    "tariffs.list",
    "tariffs.get",
    "tariffs.assignments",
    "tariffs.listAssignments",
    "tariffs.ofCharger",
    "tariffs.runningSessions"
  ],
  site: ["sites.list", "sites.get"],
  partner: ["partners.list", "partners.get", "partner-records.health"],
  delivery: ["deliveries.parked", "partner-records.health", "webhooks.deliveries", "work.get"],
  work: ["work.get", "deliveries.parked", "token-conflicts.list", "expectations.drifts"]
}

/** A change is shown soon; while many events come, lists are read again only every few seconds. */
const soonMillis = 300
const betweenMillis = 3_000

const pageSize = 500
const rowsPerPage = 1000

let fleet: Fleet = emptyFleet()
let siteNames = new Map<string, string>()
let sorted: ReadonlyArray<Row> = []
let snapshot: Snapshot = { rows: [], isComplete: false, line: "connecting", lostAt: 0, problem: undefined }
let isScheduled = false
const listeners = new Set<() => void>()
const eventListeners = new Set<(event: LiveEvent) => void>()

const byName = new Intl.Collator(undefined, { numeric: true })
let order: ReadonlyArray<string> = []
let orderedCount = -1

const publish = (): void => {
  isScheduled = false
  if (orderedCount !== fleet.rows.size) {
    order = [...fleet.rows.values()].sort((a, b) => byName.compare(a.name, b.name)).map(({ id }) => id)
    orderedCount = fleet.rows.size
  }
  sorted = order.map((id) => fleet.rows.get(id)!)
  snapshot = { ...snapshot, rows: sorted }
  for (const listener of listeners) listener()
}

const touch = (): void => {
  if (isScheduled) return
  isScheduled = true
  // A tab in the background draws no frames, but must be up to date when it becomes visible.
  if (document.hidden) setTimeout(publish, 250)
  else requestAnimationFrame(publish)
}

const set = (change: Partial<Snapshot>): void => {
  snapshot = { ...snapshot, ...change }
  touch()
}

const reading = new Set<string>()
const changedWhileReading = new Set<string>()

/** Reads one charger; reads it again if an event about it came meanwhile, since the answer may be older than the event. */
const reread = async (id: string): Promise<void> => {
  if (reading.has(id)) {
    changedWhileReading.add(id)
    return
  }
  reading.add(id)
  do {
    changedWhileReading.delete(id)
    const charger = await call("chargers.get", { params: { chargerId: id } }).catch((error: unknown) =>
      error instanceof Problem && error.status === 404 ? null : undefined
    )
    if (charger === null) fleet.rows.delete(id)
    else if (charger !== undefined) {
      const isNew = !fleet.rows.has(id)
      fleet.rows.set(id, rowOf(charger, siteNames.get(charger.siteId) ?? "", fleet.rows.get(id)))
      if (isNew || fleet.rows.get(id)?.name !== charger.name) orderedCount = -1
    }
    touch()
  } while (changedWhileReading.has(id))
  reading.delete(id)
}

/** Called after an operator changed a charger in this tab. */
export const chargerChanged = (id: string): void => {
  orderedCount = -1
  void reread(id)
}

const stale = new Set<Name>()
let settling: ReturnType<typeof setTimeout> | undefined
let settledAt = 0

/** Makes lists be read again. Names of queries are names of operations. */
export const changed = (...names: ReadonlyArray<Name>): void => {
  for (const name of names) stale.add(name)
  const wait = Math.max(soonMillis, settledAt + betweenMillis - Date.now())
  settling ??= setTimeout(() => {
    settling = undefined
    settledAt = Date.now()
    const now = new Set(stale)
    stale.clear()
    void queries.invalidateQueries({ predicate: ({ queryKey }) => now.has(queryKey[0] as Name) })
  }, wait)
}

const onEvent = (event: LiveEvent): void => {
  const chargerId = "chargerId" in event.data ? event.data.chargerId : null
  if (chargerId !== null && reading.has(chargerId)) changedWhileReading.add(chargerId)
  const unread = apply(fleet, event)
  if (unread !== undefined) void reread(unread)
  if (event.type === "site.changed") siteNames.set(event.data.siteId, event.data.name)
  const [group = ""] = event.type.split(".")
  // Readings come every few seconds from each connector; the pages that show a session in detail follow them on their own.
  if (event.type !== "session.updated" || event.data.reason !== "MeterRead") changed(...(touchedBy[group] ?? []))
  for (const listener of eventListeners) listener(event)
  touch()
}

/** Calls `listener` with each event while a component is shown. */
export const onLiveEvent = (listener: (event: LiveEvent) => void): (() => void) => {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

const readAll = async (may: (name: Name) => boolean, isCurrent: () => boolean): Promise<void> => {
  const next = emptyFleet()
  const names = new Map<string, string>()
  if (may("sites.list")) {
    for (const site of await readSites()) names.set(site.id, site.name)
  }
  if (!isCurrent()) return
  siteNames = names
  fleet = next
  orderedCount = -1
  if (may("chargers.rows")) {
    let cursor: string | null = null
    do {
      const page: Answer<"chargers.rows"> = await call("chargers.rows", {
        query: { limit: rowsPerPage, ...(cursor === null ? {} : { cursor }) }
      })
      if (!isCurrent()) return
      for (const one of page.items) next.rows.set(one.chargerId, listedRow(one, undefined))
      orderedCount = -1
      cursor = page.nextCursor
      touch()
    } while (cursor !== null)
  }
  if (may("sessions.list")) {
    let cursor: string | null = null
    do {
      const page: Answer<"sessions.list"> = await call("sessions.list", {
        query: { status: "ACTIVE", limit: pageSize, ...(cursor === null ? {} : { cursor }) }
      })
      if (!isCurrent()) return
      for (const session of page.items) place(next, session)
      cursor = page.nextCursor
    } while (cursor !== null)
  }
}

/** Time after the stream has opened until the answers to a page's earlier requests have arrived. */
const settledMillis = 700

let stop: () => void = () => undefined

/** Begins to follow an organisation. Data of another organisation is dropped. */
export const startLive = (organisationId: string, may: (name: Name) => boolean, onLeft: () => void): void => {
  stop()
  let generation = 0
  let early: Array<LiveEvent> | undefined
  let isStopped = false
  let wasLive = false
  const rereadLists = (): void => {
    if (!isStopped) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" })
  }
  snapshot = { rows: [], isComplete: false, line: "connecting", lostAt: 0, problem: undefined }
  fleet = emptyFleet()
  const load = async (): Promise<void> => {
    generation++
    const mine = generation
    const isCurrent = () => !isStopped && mine === generation
    early = []
    try {
      await readAll(may, isCurrent)
      if (!isCurrent()) return
      set({ isComplete: true, problem: undefined })
    } catch (error) {
      if (!isCurrent()) return
      set({ isComplete: true, problem: error as Error })
    }
    const waiting: ReadonlyArray<LiveEvent> = early ?? []
    early = undefined
    for (const event of waiting) onEvent(event)
  }
  const unfollowCommands = followCommands(onLiveEvent)
  const unfollow = may("events.list")
    ? followFeed(organisationId, {
        onEvent: (event) => (early === undefined ? onEvent(event) : void early.push(event)),
        onGap: () => {
          void load()
          void queries.invalidateQueries()
        },
        onLeft,
        onLine: (line) => {
          set({ line, lostAt: line === "live" ? 0 : snapshot.lostAt || Date.now() })
          // A page reads its lists while the stream is still opening; a change in between would be in neither.
          if (line === "live" && !wasLive) setTimeout(rereadLists, settledMillis)
          wasLive ||= line === "live"
        }
      })
    : () => undefined
  if (!may("events.list")) set({ line: "lost", lostAt: Date.now() })
  stop = () => {
    isStopped = true
    unfollow()
    unfollowCommands()
  }
  void load()
}

export const stopLive = (): void => {
  stop()
  stop = () => undefined
  fleet = emptyFleet()
  snapshot = { rows: [], isComplete: false, line: "connecting", lostAt: 0, problem: undefined }
  queries.clear()
}

export const useLive = (): Snapshot =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => snapshot
  )

/** The chargers by name, once all of them have been read (or the read failed): before that, a missing one may still come. */
export const allRows = (): Promise<ReadonlyArray<Row>> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!snapshot.isComplete) return
      listeners.delete(look)
      resolve(snapshot.rows)
    }
    listeners.add(look)
    look()
  })

/** One charger of the store. */
export const useCharger = (id: string): Row | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => fleet.rows.get(id)
  )

/** The name of the charger if it is known, otherwise its id. */
export const useChargerName = (id: string): string => useCharger(id)?.name ?? id

/** The names of all chargers by id, updated as they are read. */
export const useChargerNames = (): ReadonlyMap<string, string> => {
  const { rows } = useLive()
  return useMemo(() => new Map(rows.map(({ id, name }) => [id, name])), [rows])
}

export const siteName = (id: string): string => siteNames.get(id) ?? ""
