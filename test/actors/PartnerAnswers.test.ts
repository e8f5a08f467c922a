/** What an actor does with messages that wait for partners' answers: they delay nothing else, and none is lost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { RealTimeAuthorizer, type VerdictsWanted } from "../../src/domain/token/RealTimeAuthorizer.ts"
import { type PartnerAnswer, type RoamingCard, silent } from "../../src/domain/token/RealTime.ts"
import { actorsOn, deliver, fakeLine, makeWorld, opening, settle } from "../support/actorWorld.ts"

const card: RoamingCard = {
  partnerId: "p1",
  countryCode: "DE",
  partyId: "EMS",
  uid: "CARD",
  type: "RFID",
  contractId: "C1",
  valid: true,
  groupUid: undefined,
  whitelist: "ALLOWED_OFFLINE"
}

const start = (meterStartWh: number, evseId = 1): ChargerEvent => ({
  _tag: "TransactionStarted",
  place: { evseId, connectorId: 1 },
  tokenUid: "CARD",
  time: { at: Date.UTC(2026, 0, 1), raw: "2026-01-01T00:00:00Z" },
  meterStartWh,
  reservationId: undefined
})
const asked: ChargerEvent = { _tag: "AuthorizationAsked", tokenUid: "card" }
const data: ChargerEvent = { _tag: "DataReceived", vendorId: "V", messageId: undefined, data: "x" }

/** Partners that answer when the test says so. */
const partners = () => {
  const open: Array<{ readonly wanted: VerdictsWanted; readonly say: (allowed: string | undefined) => void }> = []
  const layer = Layer.succeed(
    RealTimeAuthorizer,
    RealTimeAuthorizer.of({
      partnerAnswers: (wanted) =>
        Effect.callback<ReadonlyArray<PartnerAnswer>>((resume) => {
          const say = (allowed: string | undefined) =>
            resume(
              Effect.succeed(
                wanted.partners.map((about) => ({
                  ...silent(about),
                  allowed,
                  authorizationReference: `ref-${open.length}`
                }))
              )
            )
          open.push({ wanted, say })
        })
    })
  )
  return { open, layer }
}

const connected = () => {
  const world = makeWorld()
  world.cards = [card]
  const { layer, open } = partners()
  const answers: Array<Reply> = []
  const connect = Effect.gen(function* () {
    const inbox = yield* ChargerInbox
    const admission = yield* inbox.admit(opening("A"))
    if (admission._tag !== "Admitted") return assert.fail(`not admitted: ${admission._tag}`)
    const mailbox = admission.attach(fakeLine())
    return {
      mailbox,
      send: (event: ChargerEvent) =>
        Effect.andThen(
          Effect.sync(() => deliver(mailbox, event, answers)),
          settle
        )
    }
  })
  return { world, open, answers, connect, actors: actorsOn(world, undefined, undefined, layer) }
}

const startsOf = ({ facts }: ReturnType<typeof makeWorld>) =>
  facts.flatMap((fact) => (fact.type === "SessionStarted" ? [fact.body.authorization] : []))

describe("a message that waits for a partner's answer", () => {
  it.effect("delays no other message, and is answered once the partner has answered", () => {
    const { actors, answers, connect, open, world } = connected()
    return Effect.gen(function* () {
      const { send } = yield* connect
      yield* send(start(100))
      yield* send(data)
      assert.deepStrictEqual(
        answers.map(({ _tag }) => _tag),
        ["DataAnswered"]
      )
      assert.deepStrictEqual(open[0]?.wanted, {
        organisationId: "01990000-0000-7000-8000-000000000001",
        chargerId: "A",
        evseId: 1,
        tokenUid: "CARD",
        partners: [
          {
            partnerId: "p1",
            card: { partnerId: "p1", countryCode: "DE", partyId: "EMS", uid: "CARD", type: "RFID", contractId: "C1" }
          }
        ]
      })
      open[0]?.say("BLOCKED")
      yield* settle
      const last = answers.at(-1)
      assert.strictEqual(last?._tag === "StartAnswered" && last.verdict.status, "Blocked")
      assert.strictEqual(startsOf(world)[0]?.status, "Blocked")
    }).pipe(Effect.provide(actors))
  })

  it.effect("is stored by the fallback rule when its charger disconnects, and a later answer changes nothing", () => {
    const { actors, connect, open, world } = connected()
    return Effect.gen(function* () {
      const { mailbox, send } = yield* connect
      yield* send(start(100))
      mailbox.closed("gone")
      yield* settle
      assert.deepStrictEqual(
        startsOf(world).map(({ roaming, status }) => [status, roaming?.authMethod]),
        [["Accepted", "WHITELIST"]]
      )
      open[0]?.say("BLOCKED")
      yield* settle
      assert.strictEqual(world.facts.length, 1)
    }).pipe(Effect.provide(actors))
  })

  it.effect("is one of at most four: a fifth is decided by the fallback rule at once", () => {
    const { actors, answers, connect, open } = connected()
    return Effect.gen(function* () {
      const { send } = yield* connect
      for (let n = 0; n < 5; n++) yield* send(asked)
      assert.strictEqual(open.length, 4)
      assert.strictEqual(answers.length, 1)
      open.forEach(({ say }) => say("ALLOWED"))
      yield* settle
      assert.strictEqual(answers.length, 5)
    }).pipe(Effect.provide(actors))
  })
})

describe("the partner's answer to an Authorize", () => {
  it.effect("is used for the start that follows, and for no other start", () => {
    const { actors, connect, open, world } = connected()
    return Effect.gen(function* () {
      const { send } = yield* connect
      yield* send(asked)
      open[0]?.say("ALLOWED")
      yield* settle
      yield* send(start(100))
      assert.strictEqual(open.length, 1)
      yield* send(start(200, 2))
      assert.strictEqual(open.length, 2)
      open[1]?.say("ALLOWED")
      yield* settle
      assert.deepStrictEqual(
        startsOf(world).map(({ roaming }) => [roaming?.authMethod, roaming?.authorizationReference]),
        [
          ["AUTH_REQUEST", "ref-1"],
          ["AUTH_REQUEST", "ref-2"]
        ]
      )
    }).pipe(Effect.provide(actors))
  })

  it.effect("is requested again at each Authorize, and the newest one is used for the start", () => {
    const { actors, connect, open, world } = connected()
    return Effect.gen(function* () {
      const { send } = yield* connect
      yield* send(asked)
      open[0]?.say("ALLOWED")
      yield* settle
      yield* send(asked)
      assert.strictEqual(open.length, 2)
      open[1]?.say("ALLOWED")
      yield* settle
      yield* send(start(100))
      assert.strictEqual(open.length, 2)
      assert.deepStrictEqual(
        startsOf(world).map(({ roaming }) => roaming?.authorizationReference),
        ["ref-2"]
      )
    }).pipe(Effect.provide(actors))
  })

  it.effect.each(["BLOCKED", undefined])(
    "is no longer used when the card is presented again and the partner says %s",
    (said) => {
      const { actors, connect, open } = connected()
      return Effect.gen(function* () {
        const { send } = yield* connect
        yield* send(asked)
        open[0]?.say("ALLOWED")
        yield* settle
        yield* send(asked)
        open[1]?.say(said)
        yield* settle
        yield* send(start(100))
        assert.strictEqual(open.length, 3)
      }).pipe(Effect.provide(actors))
    }
  )

  it.effect("is not used for a later start if the first one did not wait for it", () => {
    const { actors, connect, open } = connected()
    return Effect.gen(function* () {
      const { send } = yield* connect
      yield* send(asked)
      yield* send(start(100))
      assert.strictEqual(open.length, 2)
      open.forEach(({ say }) => say("ALLOWED"))
      yield* settle
      yield* send(start(200, 2))
      assert.strictEqual(open.length, 3)
    }).pipe(Effect.provide(actors))
  })

  it.effect("is requested again if it was a refusal", () => {
    const { actors, connect, open } = connected()
    return Effect.gen(function* () {
      const { send } = yield* connect
      yield* send(asked)
      open[0]?.say("BLOCKED")
      yield* settle
      yield* send(start(100))
      assert.strictEqual(open.length, 2)
    }).pipe(Effect.provide(actors))
  })
})
