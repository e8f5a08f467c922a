/** An organisation whose webhooks are posted by the real engine, under a clock that tests can advance, to a receiver. */
import { Clock, Effect, Layer } from "effect"
import * as SubscriptionRunner from "../../src/actors/background/SubscriptionRunner.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import { PartnerKind } from "../../src/domain/event/SubscriptionKind.ts"
import type { CallOptions } from "../../src/outbound/HttpCall.ts"
import * as WebhookDeliveries from "../../src/outbound/WebhookDeliveries.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import * as JournalStorage from "../../src/storage/charging/Journal.ts"
import { beside } from "./fakePorts.ts"
import { FakeWorld } from "./fakeRecords.ts"
import { ended, freshId, metered, noon, started } from "./journalFacts.ts"
import { Receiver } from "./receiver.ts"
import { repositories } from "./repositories.ts"
import { type Ask, type Json, makeOrganisation, restApp, withCharger } from "./restApp.ts"

export const ports = Layer.mergeAll(
  JournalStorage.layer({ maxBatchFacts: 100, maxWaiting: 10_000, patienceMillis: 10_000 }),
  CommandsStorage.layer({
    nodeId: "node-1",
    maxWaiting: 10,
    chargersPerMinute: 10,
    tls: true,
    clientCertificates: true
  })
).pipe(Layer.provideMerge(repositories))

const open: CallOptions = { allowPrivate: true, timeoutMillis: 500, maxResponseBytes: 10_000 }

const noPartners = Layer.succeed(
  PartnerKind,
  PartnerKind.of({
    types: [],
    concern: () => Effect.succeed([]),
    everything: () => Effect.succeed([]),
    deliver: () => Effect.die("there is no partner"),
    isThere: () => Effect.succeed(false)
  })
)

/** The engine under a clock that tests can advance: what it waits for becomes due when the clock is advanced. */
export const engine = Effect.fnUntraced(function* (options: CallOptions = open) {
  const real = yield* Clock.Clock
  let ahead = 0
  const now = () => real.currentTimeMillisUnsafe() + ahead
  const shifted: Clock.Clock = Object.assign(Object.create(real) as Clock.Clock, {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now)
  })
  const running = SubscriptionRunner.layer({
    ...SubscriptionRunner.defaultSubscriptionOptions,
    restMillis: 1,
    pollMillis: 10
  }).pipe(Layer.provide([noPartners, WebhookDeliveries.layer(options)]))
  yield* Layer.build(running).pipe(Effect.provideService(Clock.Clock, shifted))
  return { now, forward: (millis: number): void => void (ahead += millis) }
})

let made = 0

/** An organisation with a charger, REST, and a receiver. */
export const world = Effect.fnUntraced(function* (options: CallOptions = open) {
  const context = yield* Effect.context<Layer.Success<typeof ports>>()
  const known = Layer.succeedContext(context)
  const poster = WebhookDeliveries.layer(options).pipe(Layer.provide(known))
  const app = yield* Effect.acquireRelease(
    Effect.sync(() => restApp(Layer.mergeAll(known, beside(new FakeWorld()), poster))),
    ({ close }) => Effect.promise(close)
  )
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => Receiver.open()),
    (one) => Effect.promise(() => one.close())
  )
  const { key, organisationId } = yield* makeOrganisation()
  const journal = yield* Journal
  const chargerId = `HOOK-${made++}`
  const { siteId } = yield* Effect.promise(() => withCharger(app.ask, key, chargerId))
  const seeded = { organisationId, siteId }
  const session = () => ({ chargerId, sessionId: freshId(), transactionId: made++ })
  type Tx = ReturnType<typeof session>
  const asked = (method: string, path: string, body?: unknown) =>
    Effect.promise(async (): Promise<Json> => {
      const answer = await app.ask(method, `/cpo/v2/${path}`, { key, body })
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
      return answer.json
    })
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const { items } = yield* asked("GET", "webhooks")
      for (const { id } of items) yield* asked("DELETE", `webhooks/${id}`)
    })
  )
  return {
    ask: app.ask as Ask,
    asked,
    key,
    receiver,
    chargerId,
    siteId,
    session,
    hook: (more: object = {}) => asked("POST", "webhooks", { url: receiver.url, ...more }),
    start: (tx: Tx) => journal.commit([started(seeded, tx)]),
    read: (tx: Tx, n: number) => journal.commit([metered(seeded, tx, noon + n * 1000, 1000 + n)]),
    end: (tx: Tx) => journal.commit([ended(seeded, tx)])
  }
})

export const until = (holds: () => boolean | Promise<boolean>, what: string) =>
  Effect.promise(async () => {
    const since = Date.now()
    while (!(await holds())) {
      if (Date.now() - since > 20_000) throw new Error(`waited in vain until ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

/** Long enough for anything under way to arrive. */
export const aWhile = Effect.sleep(300)
