import { assert, it } from "@effect/vitest"
import { transferMeant } from "../../../src/domain/command/TransferProgress.ts"
import { reportCases } from "../../support/progressReports.ts"

for (const { means, name, report, transfers } of reportCases) {
  it(`a status report is matched with its transfer: ${name}`, () => {
    const known = transfers.map(({ errorCode, requestId, status, type }, n) => ({
      commandId: String(n),
      type,
      status,
      errorCode,
      requestId
    }))
    assert.strictEqual(
      transferMeant(report, known.toReversed())?.commandId,
      means === undefined ? undefined : String(means)
    )
  })
}
