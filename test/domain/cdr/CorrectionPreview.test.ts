import { describe, expect, it } from "vitest"
import { type Cdr, cdrOf } from "../../../src/domain/cdr/Cdr.ts"
import { correctionPreview } from "../../../src/domain/cdr/CorrectionPreview.ts"
import type { ChargingSession } from "../../../src/domain/session/ChargingSession.ts"
import { type Ledger, priceOf } from "../../../src/domain/session/Ledger.ts"
import { chargedSession, minute, start } from "../../support/chargedSession.ts"

const nothing = { energyWh: undefined, startedAt: undefined, endedAt: undefined }

const ledgerOf = (session: ChargingSession): Ledger => ({
  session,
  timeZone: "UTC",
  readings: [],
  surroundings: { maxPowerW: undefined, before: undefined },
  tariff: {
    id: "tariff",
    organisationId: session.organisationId,
    version: 1,
    body: { currency: "EUR", elements: [{ priceComponents: [{ type: "ENERGY", price: 0.5, stepSize: 1 }] }] },
    createdAt: 0,
    updatedAt: 0
  }
})

const record = (id: string, creditReferenceId?: string): Cdr => {
  const ledger = ledgerOf(chargedSession())
  return { ...cdrOf(ledger, priceOf(ledger)), id, number: 1, creditReferenceId, issuedAt: start }
}

const previewed = (
  given: Partial<Record<keyof typeof nothing, number>>,
  { records = [], session = chargedSession() }: { records?: ReadonlyArray<Cdr>; session?: ChargingSession } = {}
) => {
  const preview = correctionPreview({ session, ledger: ledgerOf(session), records }, { ...nothing, ...given })
  return "_tag" in preview ? preview : { ...preview, credits: preview.credits.map(({ of }) => of.id) }
}

describe("the preview of a correction", () => {
  it("credits the record in force, and none that has already been credited", () => {
    expect(
      previewed({ energyWh: 6000 }, { records: [record("new"), record("credit", "old"), record("old")] })
    ).toMatchObject({
      credits: ["new"],
      change: { exclVat: -2 }
    })
    expect(previewed({ energyWh: 6000 }, { records: [record("credit", "old"), record("old")] })).toMatchObject({
      credits: [],
      change: { exclVat: 3 }
    })
  })

  it("keeps the figures that the correction does not give", () => {
    const endedAt = start + 30 * minute
    expect(previewed({ endedAt })).toMatchObject({ figures: { energyWh: 10_000, startedAt: start, endedAt } })
    expect(previewed({ energyWh: 0 })).toMatchObject({ figures: { energyWh: 0 }, bill: { total: { exclVat: 0 } } })
  })

  it("bills a session that was invalid", () => {
    const session = chargedSession({ status: "INVALID" })
    expect(priceOf(ledgerOf(session)).total.exclVat).toBe(0)
    expect(previewed({}, { session })).toMatchObject({ bill: { total: { exclVat: 5 } } })
  })

  it("is refused while the session is running, and when the session would end before it started", () => {
    const running = chargedSession({ endedAt: undefined, status: "ACTIVE" })
    expect(previewed({ endedAt: start }, { session: running })).toMatchObject({ code: "session_running" })
    expect(previewed({ endedAt: start - 1 })).toMatchObject({ pointer: "/endedAt" })
    expect(previewed({ endedAt: start })).toMatchObject({ figures: { endedAt: start } })
  })
})
