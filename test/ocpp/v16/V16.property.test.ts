/** Our violations compared with a third-party validator of the official schemas. */
import { expect, it } from "vitest"
import type { DecodedCall } from "../../../src/ocpp/ProtocolVersion.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { forSeeds } from "../../support/random.ts"
import { mutateJson } from "../rpc/awkward.ts"
import { examples } from "./examples.ts"
import { pruned, schemaProblem } from "./schemas.ts"

/** Where we are deliberately stricter than those schemas: positive 31-bit numbers, non-empty lists, times with a zone. */
const stricter = /: (?:out of range|empty|no zone|short offset|loose form|not a time)$/

/** What the schema and our decoder disagree about; undefined if they agree. */
const disagreement = (problem: string | undefined, decoded: DecodedCall): unknown => {
  if (problem !== undefined) {
    return decoded._tag === "Event" && decoded.violations.length === 0 ? `taken without a word: ${problem}` : undefined
  }
  // A valid message is refused only for a connector number outside the domain's range.
  const complaints = decoded._tag === "Event" ? decoded.violations : [decoded.description]
  return complaints.find((name) => !stricter.test(name))
}

it("a message has no violation exactly if it conforms to the official schema, except where we are stricter", () => {
  forSeeds(10_000, (random) => {
    const { action, payload } = random.pick(examples)
    const sent = pruned(action, mutateJson(random, payload))
    expect(disagreement(schemaProblem(action, "req", sent), v16.decodeCall(action, sent))).toBeUndefined()
  })
})
