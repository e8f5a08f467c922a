/** When the results of commands are posted to partners, how often a post is tried, and that one hanging partner does not affect the others. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { NotFound } from "../../../src/domain/Errors.ts"
import type { Partner } from "../../../src/domain/roaming/Partner.ts"
import { Chargers } from "../../../src/domain/charger/Chargers.ts"
import { ChargingProfiles } from "../../../src/domain/command/ChargingProfiles.ts"
import { type DueCallback, PartnerCallbacks } from "../../../src/domain/command/PartnerCallbacks.ts"
import { Partners } from "../../../src/domain/roaming/Partners.ts"
import { Sessions } from "../../../src/domain/session/Sessions.ts"
import { PartnerFailed } from "../../../src/ocpi/client/OcpiClient.ts"
import { PartnerClient, type PartnerRequest } from "../../../src/ocpi/client/PartnerClient.ts"
import * as ResultPoster from "../../../src/ocpi/client/ResultPoster.ts"

const due = (commandId: string, more: Partial<DueCallback> = {}): DueCallback => ({
  commandId,
  about: "Result",
  organisationId: "o",
  partnerId: "p",
  sessionId: undefined,
  version: "2.2.1",
  responseUrl: `https://emsp.example.com/${commandId}`,
  correlationId: "story",
  from: { countryCode: "NL", partyId: "CPO" },
  to: { countryCode: "DE", partyId: "ABC" },
  tries: 1,
  kind: "UnlockConnector",
  status: "Accepted",
  result: undefined,
  connectorStatus: undefined,
  ...more
})

type Answer = (request: PartnerRequest, partnerId: string) => Effect.Effect<void, PartnerFailed>

/** Records what the poster does to the store and the partner, in order. `queue` has the due callbacks. */
const world = (
  queue: Array<DueCallback>,
  answer: Answer = () => Effect.void,
  ended: Stream.Stream<void> = Stream.never
) => {
  const done: Array<string> = []
  let looks = 0
  let asked = 0
  const sent: Array<PartnerRequest> = []
  const callbacks = PartnerCallbacks.of({
    take: ({ except, limit }) =>
      Effect.sync(() => {
        looks++
        const taken = queue.filter(({ partnerId }) => !except.includes(partnerId)).slice(0, Math.min(limit, 4))
        for (const one of taken) queue.splice(queue.indexOf(one), 1)
        return taken
      }),
    nextDue: Effect.map(Clock.currentTimeMillis, (now) => {
      asked++
      return queue.length > 0 ? now : undefined
    }),
    reported: ({ commandId }) => Effect.sync(() => void done.push(`reported ${commandId}`)),
    retry: ({ commandId }, problem, at) =>
      Effect.map(Clock.currentTimeMillis, (now) => void done.push(`retry ${commandId} in ${at - now}: ${problem}`)),
    giveUp: ({ commandId }, problem) => Effect.sync(() => void done.push(`gave up ${commandId}: ${problem}`)),
    ended,
    repeated: () => Effect.succeed(false),
    reservationNumber: (_, __, fresh) => Effect.succeed(fresh),
    reservation: () => Effect.undefined,
    profiles: () => Effect.succeed({ profileId: undefined, lastMinute: 0 })
  })
  const partners = {
    get: (_: string, id: string) =>
      id === "gone" ? Effect.fail(new NotFound({ kind: "partner", id })) : Effect.succeed({ id } as Partner)
  }
  const client = {
    call: (partner: Partner, request: PartnerRequest) =>
      Effect.andThen(
        Effect.sync(() => void sent.push(request)),
        answer(request, partner.id)
      )
  }
  const layer = ResultPoster.layer().pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(PartnerCallbacks, callbacks),
        Layer.succeed(Partners, partners as never),
        Layer.succeed(PartnerClient, client as never),
        Layer.succeed(Sessions, {} as never),
        Layer.succeed(Chargers, {} as never),
        Layer.succeed(ChargingProfiles, {} as never)
      )
    )
  )
  return { layer, done, sent, looks: () => looks, asked: () => asked }
}

const failed = (message: string, retryAfterMillis?: number) =>
  new PartnerFailed({ heard: true, status: undefined, http: 500, message, retryAfterMillis })

/** Ten rounds of the poster. */
const rounds = Effect.forEach(Array.from({ length: 10 }), () => TestClock.adjust("1 second"), { discard: true })

describe("the poster of results", () => {
  it.effect("posts the result without an envelope to the command's response_url, once", () =>
    Effect.gen(function* () {
      const { done, layer, sent } = world([due("a"), due("b", { status: "TimedOut" }), due("c", { version: "2.1.1" })])
      yield* Layer.build(layer)
      yield* rounds
      assert.deepStrictEqual(
        sent.map(({ at, body }) => [at, body]),
        [
          [{ responseUrl: "https://emsp.example.com/a" }, { result: "ACCEPTED" }],
          [{ responseUrl: "https://emsp.example.com/b" }, { result: "TIMEOUT" }],
          [{ responseUrl: "https://emsp.example.com/c" }, { result: "ACCEPTED" }]
        ]
      )
      assert.deepInclude(sent[0], {
        method: "POST",
        correlationId: "story",
        from: { countryCode: "NL", partyId: "CPO" },
        to: { countryCode: "DE", partyId: "ABC" }
      })
      assert.deepStrictEqual(done, ["reported a", "reported b", "reported c"])
    })
  )

  it.effect("looks rarely while no partner awaits a result, and still posts those of other processes", () =>
    Effect.gen(function* () {
      const queue: Array<DueCallback> = []
      const { done, layer, looks } = world(queue)
      yield* Layer.build(layer)
      yield* TestClock.adjust("1 second")
      const before = looks()
      yield* TestClock.adjust("60 seconds")
      assert.isAtMost(looks() - before, 6)
      // Issued by another process, without a notification.
      queue.push(...Array.from({ length: 6 }, (_, n) => due(`${n}`)))
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(done.length, 6)
    })
  )

  it.effect("looks at once when a command ends, and handles those that end shortly after with one more look", () =>
    Effect.gen(function* () {
      const queue: Array<DueCallback> = []
      const endings = yield* Queue.unbounded<void>()
      const { asked, done, layer } = world(queue, undefined, Stream.fromQueue(endings))
      yield* Layer.build(layer)
      yield* TestClock.adjust("1 second")
      const before = asked()
      queue.push(due("first"))
      for (let n = 0; n < 100; n++) {
        yield* Queue.offer(endings, undefined)
        yield* TestClock.adjust(1)
        if (n === 10) assert.deepStrictEqual(done, ["reported first"])
      }
      yield* TestClock.adjust(50)
      assert.isAtMost(asked() - before, 4)
    })
  )

  it.effect("posts nothing if the version has no code for the result", () =>
    Effect.gen(function* () {
      const about = "ReservationCancelled" as const
      const { done, layer, sent } = world([due("old", { about, version: "2.1.1" }), due("new", { about })])
      yield* Layer.build(layer)
      yield* rounds
      assert.deepStrictEqual(
        sent.map(({ body }) => body),
        [{ result: "CANCELED_RESERVATION" }]
      )
      assert.deepStrictEqual(done.toSorted(), ["reported new", "reported old"])
    })
  )

  it.effect("tries six times with growing delays, never sooner than the partner asked for, then gives up", () =>
    Effect.gen(function* () {
      const tries = [1, 2, 3, 4, 5, 6].map((n) => due(`try${n}`, { tries: n }))
      const { done, layer } = world([...tries, due("busy", { partnerId: "busy" })], (_, id) =>
        Effect.fail(failed("HTTP 500", id === "busy" ? 30_000 : undefined))
      )
      yield* Layer.build(layer)
      yield* rounds
      assert.deepStrictEqual(done, [
        "retry try1 in 1000: HTTP 500",
        "retry try2 in 4000: HTTP 500",
        "retry try3 in 15000: HTTP 500",
        "retry try4 in 60000: HTTP 500",
        "retry try5 in 240000: HTTP 500",
        "gave up try6: HTTP 500",
        "retry busy in 30000: HTTP 500"
      ])
    })
  )

  it.effect("gives up results that cannot be posted, and continues", () =>
    Effect.gen(function* () {
      const { done, layer } = world([due("x", { partnerId: "gone" }), due("y", { responseUrl: undefined }), due("z")])
      yield* Layer.build(layer)
      yield* rounds
      assert.deepStrictEqual(done.toSorted(), [
        "gave up x: the partner, or the object of the command, no longer exists",
        "gave up y: its response_url was encrypted with another SECRET_KEY",
        "reported z"
      ])
    })
  )

  it.effect("keeps posting to others while one partner hangs", () =>
    Effect.gen(function* () {
      const hanging = Array.from({ length: 40 }, (_, n) => due(`h${n}`, { partnerId: "slow" }))
      const others = Array.from({ length: 8 }, (_, n) => due(`o${n}`, { partnerId: "quick" }))
      const { done, layer, sent } = world([...hanging, ...others], (_, id) =>
        id === "slow" ? Effect.never : Effect.void
      )
      yield* Layer.build(layer)
      yield* rounds
      assert.strictEqual(done.filter((line) => line.startsWith("reported o")).length, 8)
      const toSlow = sent.filter(({ at }) => "responseUrl" in at && /\/h\d/.test(at.responseUrl)).length
      assert.isAtMost(toSlow, ResultPoster.defaultPosterOptions.atOncePerPartner + 3)
    })
  )
})
