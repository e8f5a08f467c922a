/** Subscriptions in memory, for the engine in virtual time: the journal is a list, and tests can read what is stored. */
import { Effect, Queue, Stream } from "effect"
import { NotFound, StorageUnavailable } from "../../src/domain/Errors.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import type { Due, DueItem, JournaledFact, ObjectRef, Subscription } from "../../src/domain/event/Subscription.ts"

interface Row extends DueItem {
  position: number
  since: number
  dueAt: number
  nextAt: number | undefined
  claimedUntil: number
  tries: number
  refusals: number
  hash: Uint8Array | undefined
  parked: string | undefined
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const order = (one: Row, other: Row): number => one.since - other.since || (one.id < other.id ? -1 : 1)

export const memorySubscriptions = () => {
  const journal: Array<JournaledFact> = []
  const subscriptions = new Map<string, Mutable<Subscription> & { active: boolean; probedAt: number }>()
  const rows = new Map<string, Row>()
  const commits = Effect.runSync(Queue.sliding<void>(16))
  let made = 0
  /** How many of the next `settle` calls fail because storage is unavailable. */
  const failures = { settle: 0 }
  /** Problems that cannot be stored: parking an item with one of them dies. */
  const unstorable = new Set<string>()

  const keyOf = (subscriptionId: string, { id, kind }: Pick<ObjectRef, "kind" | "id">) =>
    `${subscriptionId} ${kind} ${id}`
  const of = (subscriptionId: string) => [...rows.values()].filter((row) => row.subscriptionId === subscriptionId)
  const open = (id: string, now: number) => {
    const one = subscriptions.get(id)
    return one?.active === true && one.openedAt === undefined && (one.notBefore ?? 0) <= now ? one : undefined
  }

  const put = (due: Due, now: number): void => {
    const key = keyOf(due.subscriptionId, due)
    const row = rows.get(key)
    if (row?.nextAt !== undefined) {
      row.position = due.position
      return
    }
    const organisationId = subscriptions.get(due.subscriptionId)?.organisationId ?? ""
    rows.set(key, {
      ...due,
      organisationId,
      itemId: `item-${++made}`,
      since: due.position,
      dueAt: now,
      nextAt: now,
      claimedUntil: 0,
      tries: 0,
      refusals: 0,
      hash: row?.hash,
      reference: undefined,
      parked: undefined
    })
  }

  const isTakeable = (row: Row, now: number): boolean =>
    row.nextAt !== undefined &&
    row.nextAt <= now &&
    row.claimedUntil <= now &&
    !of(row.subscriptionId).some(
      (other) =>
        other !== row &&
        other.lane === row.lane &&
        other.nextAt !== undefined &&
        (order(other, row) < 0 || other.claimedUntil > now)
    )

  const service = Subscriptions.of({
    committed: Stream.fromQueue(commits),
    active: () => Effect.sync(() => [...subscriptions.values()].filter((one) => one.active).map((one) => ({ ...one }))),
    find: (id) =>
      Effect.sync(() => (subscriptions.get(id)?.active === true ? { ...subscriptions.get(id)! } : undefined)),
    read: ({ after, limit, organisationIds, types }) =>
      Effect.sync(() => {
        const page = journal.filter(({ position }) => position > after).slice(0, limit)
        const facts = page.filter((fact) => organisationIds.includes(fact.organisationId) && types.includes(fact.type))
        return { facts, upTo: page.at(-1)?.position }
      }),
    advance: (moves, due, now) =>
      Effect.sync(() => {
        for (const { from, subscriptionId, to } of moves) {
          const one = subscriptions.get(subscriptionId)
          if (one === undefined || one.position !== from) continue
          one.position = to
          for (const each of due) if (each.subscriptionId === subscriptionId) put(each, now)
        }
      }),
    fill: ({ id, position }, objects, now) =>
      Effect.sync(() => {
        subscriptions.get(id)!.needsAll = false
        for (const object of objects) put({ ...object, subscriptionId: id, position }, now)
      }),
    isAnyWaiting: Effect.sync(() =>
      [...subscriptions.values()].some(
        (one) => one.active && (one.openedAt !== undefined || of(one.id).some((row) => row.nextAt !== undefined))
      )
    ),
    ready: (now) =>
      Effect.sync(() =>
        [...subscriptions.keys()].filter((id) => open(id, now) && of(id).some((row) => isTakeable(row, now)))
      ),
    correctTimes: (now, { leaseMillis, maxDelayMillis }) =>
      Effect.sync(() => {
        for (const one of subscriptions.values()) {
          if (one.openedAt !== undefined) one.openedAt = Math.min(one.openedAt, now)
          one.probedAt = Math.min(one.probedAt, now)
        }
        for (const row of rows.values()) {
          row.claimedUntil = Math.min(row.claimedUntil, now + leaseMillis)
          if (row.nextAt !== undefined && row.nextAt > now + maxDelayMillis) row.nextAt = now
        }
      }),
    takeSilent: (now, everyMillis) =>
      Effect.sync(() =>
        [...subscriptions.values()].flatMap((one) => {
          if (!one.active || one.openedAt === undefined) return []
          if (Math.max(one.openedAt, one.probedAt) > now - everyMillis) return []
          one.probedAt = now
          return [one.id]
        })
      ),
    claim: (ids, { leaseMillis, limit, now }) =>
      Effect.sync(() => {
        const taken = ids
          .filter((id) => open(id, now) !== undefined)
          .flatMap((id) =>
            of(id)
              .filter((row) => isTakeable(row, now))
              .toSorted(order)
              .slice(0, limit)
          )
        for (const row of taken) row.claimedUntil = now + leaseMillis
        return taken.map((row) => ({ ...row }))
      }),
    settle: (settled, now) =>
      Effect.suspend(() => {
        if (failures.settle > 0) {
          failures.settle--
          return Effect.fail(new StorageUnavailable({ reason: "busy", message: "a test's" }))
        }
        for (const { settlement } of settled) {
          if ("problem" in settlement && unstorable.has(settlement.problem)) return Effect.die(new Error("unstorable"))
        }
        for (const { item, settlement } of settled) {
          const key = keyOf(item.subscriptionId, item)
          const row = rows.get(key)
          if (row === undefined) continue
          row.claimedUntil = 0
          if (settlement._tag === "Untried") {
            row.nextAt = settlement.at
            continue
          }
          if (settlement._tag === "Again") {
            row.nextAt = settlement.at
            row.tries++
            row.refusals = settlement.refusals
            continue
          }
          const isNewer = row.position > item.position
          row.nextAt = isNewer ? now : undefined
          row.tries = 0
          row.refusals = 0
          if (isNewer) row.since = row.position
          if (settlement._tag === "Parked" && !isNewer) row.parked = settlement.problem
          if (settlement._tag !== "Done") continue
          row.hash = settlement.hash ?? row.hash
          if (settlement.hash === undefined && !isNewer) rows.delete(key)
        }
        return Effect.void
      }),
    circuit: (id, { failures, notBefore, openedAt }, { isReleased, now }) =>
      Effect.sync(() => {
        Object.assign(subscriptions.get(id)!, { failures, notBefore, openedAt })
        if (isReleased !== true) return
        for (const row of of(id))
          if (row.nextAt !== undefined && row.refusals === 0) row.nextAt = Math.min(row.nextAt, now)
      }),
    deactivate: (id) => Effect.sync(() => void (subscriptions.get(id)!.active = false)),
    health: (_, id) => Effect.fail(new NotFound({ kind: "subscription", id })),
    parked: (_, id) => Effect.fail(new NotFound({ kind: "subscription", id })),
    replay: (_, id) => Effect.fail(new NotFound({ kind: "parked item", id })),
    replayAll: (id) => Effect.fail(new NotFound({ kind: "subscription", id })),
    discard: (_, id) => Effect.fail(new NotFound({ kind: "parked item", id }))
  })

  return {
    service,
    rows,
    failures,
    unstorable,
    subscriptions,
    /** Adds a partner that gets everything that happens from now on. */
    subscribe: (id: string) =>
      subscriptions.set(id, {
        id,
        organisationId: "o",
        kind: "partner",
        position: journal.length,
        needsAll: false,
        failures: 0,
        openedAt: undefined,
        notBefore: undefined,
        active: true,
        probedAt: 0
      }),
    /** Adds a fact about an object. */
    happen: (object: string, type = "Changed") => {
      const position = journal.length + 1
      journal.push({ position, organisationId: "o", type, subject: object, at: 0, heardAt: 0, body: { n: position } })
      Queue.offerUnsafe(commits, undefined)
      return position
    }
  }
}
