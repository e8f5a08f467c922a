/** The tolerances for makes, as a charger's actor applies them, in virtual time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { Tolerances } from "../../src/domain/charger/Quirks.ts"
import { ChargerInbox } from "../../src/domain/charger/ChargerInbox.ts"
import { ChargerLink } from "../../src/domain/charger/ChargerLink.ts"
import { actorsOn, fakeLine, makeWorld, opening, settle } from "../support/actorWorld.ts"
import { everyCommand } from "../support/everyCommand.ts"

const boot: ChargerEvent = {
  _tag: "Booted",
  vendor: "V",
  model: "M",
  serialNumber: undefined,
  firmwareVersion: "1",
  iccid: undefined,
  imsi: undefined,
  meterType: undefined,
  meterSerialNumber: undefined
}

/** A charger whose make has `tolerances`, with a command waiting for it from the first moment. */
const story = <A>(
  tolerances: Tolerances,
  use: (charger: {
    readonly sent: () => ReadonlyArray<string>
    readonly boots: Effect.Effect<void>
    readonly passes: (time: `${number} seconds`) => Effect.Effect<void>
    readonly status: () => string
  }) => Effect.Effect<A>
) => {
  const world = makeWorld()
  world.policy = { quirks: [{ name: "own", vendor: "V", tolerances }] }
  return Effect.gen(function* () {
    const admission = yield* (yield* ChargerInbox).admit(opening("CP-1"))
    if (admission._tag !== "Admitted") return assert.fail(admission._tag)
    const line = fakeLine()
    const mailbox = admission.attach(line)
    const row = world.commands.issue("c-1", "CP-1", everyCommand.Reset.command, undefined)
    yield* (yield* ChargerLink).wake("CP-1")
    yield* settle
    return yield* use({
      sent: () => line.calls.map(([, command]) => command._tag),
      boots: Effect.andThen(
        Effect.sync(() => mailbox.deliver(boot, { messageId: "boot", raw: "" }, () => {})),
        settle
      ),
      passes: (time) => Effect.andThen(TestClock.adjust(time), settle),
      status: () => row.status
    })
  }).pipe(Effect.provide(actorsOn(world)), Effect.scoped)
}

describe("a charger whose make", () => {
  it.effect("has no tolerances is sent calls at once, and has a minute to answer", () =>
    story({}, ({ passes, sent, status }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(sent(), ["Reset"])
        yield* passes("59 seconds")
        assert.strictEqual(status(), "Sent")
        yield* passes("1 seconds")
        assert.strictEqual(status(), "TimedOut")
      })
    )
  )

  it.effect("answers late has the time that it needs", () =>
    story({ callTimeoutSeconds: 120 }, ({ passes, status }) =>
      Effect.gen(function* () {
        yield* passes("119 seconds")
        assert.strictEqual(status(), "Sent")
        yield* passes("1 seconds")
        assert.strictEqual(status(), "TimedOut")
      })
    )
  )

  it.effect("must boot first is sent calls as soon as it has booted", () =>
    story({ waitForBootSeconds: 20 }, ({ boots, passes, sent }) =>
      Effect.gen(function* () {
        yield* passes("5 seconds")
        assert.deepStrictEqual(sent(), [])
        yield* boots
        assert.deepStrictEqual(sent(), ["Reset"])
      })
    )
  )

  it.effect("must boot first is sent calls anyway if it does not boot in time", () =>
    story({ waitForBootSeconds: 20 }, ({ passes, sent }) =>
      Effect.gen(function* () {
        yield* passes("19 seconds")
        assert.deepStrictEqual(sent(), [])
        yield* passes("1 seconds")
        assert.deepStrictEqual(sent(), ["Reset"])
      })
    )
  )

  it.effect("needs a pause after its boot is sent no calls until then", () =>
    story({ waitForBootSeconds: 20, quietAfterBootSeconds: 15 }, ({ boots, passes, sent }) =>
      Effect.gen(function* () {
        yield* passes("10 seconds")
        yield* boots
        yield* passes("14 seconds")
        assert.deepStrictEqual(sent(), [])
        yield* passes("1 seconds")
        assert.lengthOf(sent(), 1)
        assert.includeMembers(["Reset", "GetConfiguration", "TriggerMessage"], [...sent()])
      })
    )
  )
})
