/** What we call a violation against what somebody else's validator of the official schemas says. */
import { expect, it } from "vitest"
import type { DecodedCall } from "../../../src/ocpp/ProtocolVersion.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { forSeeds } from "../../support/random.ts"
import { mutateJson } from "../rpc/awkward.ts"
import { examples } from "./examples.ts"
import { pruned, schemaProblem } from "./schemas.ts"

/** Where we are stricter than those schemas on purpose: 31-bit and positive numbers, lists that must hold something, times with a zone. */
const stricter = /: (?:out of range|empty|no zone|short offset|loose form|not a time)$/

/** What the schema and we do not agree about; undefined when nothing. */
const disagreement = (problem: string | undefined, decoded: DecodedCall): unknown => {
  if (problem !== undefined) {
    return decoded._tag === "Event" && decoded.violations.length === 0 ? `taken without a word: ${problem}` : undefined
  }
  // A valid message is refused only for a connector that the domain has no number for.
  const complaints = decoded._tag === "Event" ? decoded.violations : [decoded.description]
  return complaints.find((name) => !stricter.test(name))
}

it("what conforms to the official schema is taken without a violation, and the other way round", () => {
  forSeeds(10_000, (random) => {
    const { action, payload } = random.pick(examples)
    const sent = pruned(action, mutateJson(random, payload))
    expect(disagreement(schemaProblem(action, "req", sent), v16.decodeCall(action, sent))).toBeUndefined()
  })
})
