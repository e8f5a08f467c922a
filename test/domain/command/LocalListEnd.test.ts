import { assert, it } from "@effect/vitest"
import { beginsList, listAfter } from "../../../src/domain/command/LocalListEnd.ts"
import { noon } from "../../support/journalFacts.ts"
import { firstEnds, listBefore, listCases, type ListEnd } from "../../support/listEnds.ts"

const whole = (end: ListEnd) => ({ ...end, commandId: "m", organisationId: "o", chargerId: "c", completedAt: noon })

for (const { after, before, end, name, reason } of listCases) {
  it(`updates the list correctly: ${name}`, () => {
    const list = { ...listBefore, ...before }
    assert.deepStrictEqual(listAfter(list, whole(end)), { ...list, ...after, reason })
  })
}

it("creates the list's record only from an outcome that reveals something of the list", () => {
  for (const [end, begins] of firstEnds) assert.strictEqual(beginsList(whole(end)), begins, JSON.stringify(end))
})
