/** Ends of sessions that are superseded by another start on their connector. */
import { describe, expect, it } from "vitest"
import { supersededEnd } from "../../../src/domain/session/Superseded.ts"
import { at, minute, started, token } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const held = { status: "COMPLETED", heldReason: "StopMissing", reason: "Superseded" }

/** A charger with a known card, and the facts that its starts are stored as. */
const world = () => {
  const service = new ModelService()
  service.journal.tokens.set("anna", token("ANNA"))
  const charger = service.charger()
  charger.now = minute(60)
  const start = (minutes: number) => charger.say(started({ time: at(minute(minutes)) })).facts[0]?.body
  const ids = () => charger.sessions.map((row) => row.start.body.sessionId)
  return { charger, ids, start }
}

describe("a session that another start supersedes", () => {
  it("ended at that start, or at its own start if that was later by a wrong clock, and is held", () => {
    const session = { sessionId: "one", startedAt: minute(5) }
    expect(supersededEnd(session, minute(6))).toEqual({ sessionId: "one", at: minute(6), ...held })
    expect(supersededEnd(session, minute(4))).toEqual({ sessionId: "one", at: minute(5), ...held })
  })

  it("has its end in the fact of that start, and in the state", () => {
    const { charger, ids, start } = world()
    expect(start(0)).not.toHaveProperty("ends")
    const body = start(20)
    const [first] = ids()
    expect(body).toMatchObject({ supersedes: [first], ends: [{ sessionId: first, at: minute(20), ...held }] })
    expect(charger.state.sessions[0]).toMatchObject({ status: "Superseded", supersededAt: minute(20) })
  })

  it("has its end in the fact of its own start when that arrived after a newer one", () => {
    const { charger, ids, start } = world()
    start(20)
    const body = start(0)
    const [newer, older] = ids()
    expect(body).toMatchObject({ supersededBy: newer, ends: [{ sessionId: older, at: minute(20), ...held }] })
    expect(charger.state.sessions[1]).toMatchObject({ status: "Superseded", supersededAt: minute(20) })
  })
})
