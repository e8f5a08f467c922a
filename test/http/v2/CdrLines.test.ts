import { describe, expect, it } from "vitest"
import { csvHead, csvLine as csvLineIn, jsonLine } from "../../../src/http/v2/sessions/CdrLines.ts"

const csvLine = csvLineIn("Europe/Amsterdam")

const at = Date.UTC(2026, 4, 20, 10)
const price = { exclVat: 1.5, inclVat: 1.8 }

const cdr = (more: object = {}) => ({
  id: "01990000-0000-7000-8000-000000000001",
  number: 7,
  sessionId: "01990000-0000-7000-8000-000000000002",
  chargerId: "CP-1",
  siteId: "01990000-0000-7000-8000-000000000003",
  evseId: 1,
  connectorId: 1,
  tokenUid: "CARD",
  tokenType: null,
  authorization: null,
  reservationId: null,
  roaming: null,
  location: null,
  startedAt: at,
  endedAt: at + 1000,
  timeZone: "UTC",
  currency: "EUR",
  totalCost: price,
  totalFixedCost: price,
  totalEnergyCost: price,
  totalTimeCost: price,
  totalParkingCost: price,
  totalReservationCost: price,
  vatShares: [
    { rate: null, isMixed: false, exclVat: 0.5, inclVat: 0.5, vat: 0 },
    { rate: 21, isMixed: false, exclVat: 1, inclVat: 1.3, vat: 0.3 }
  ],
  totalEnergyKwh: 0.5,
  totalTimeHours: 1,
  totalParkingTimeHours: 0,
  meterStartWh: 0,
  meterStopWh: null,
  signedData: null,
  periods: [],
  tariff: { id: "t", version: 1, currency: "EUR", elements: [] },
  credit: false,
  creditReferenceId: null,
  issuedAt: at + 2000,
  ...more
})

describe("a record as CSV", () => {
  it("has a cell for each column of the header", () => {
    expect(csvLine(cdr())).toBe(
      "7,01990000-0000-7000-8000-000000000001,01990000-0000-7000-8000-000000000002,CP-1,01990000-0000-7000-8000-000000000003,,,1,1,CARD," +
        "2026-05-20T12:00:00.000+02:00,2026-05-20T12:00:01.000+02:00,Europe/Amsterdam,EUR,1.5,0.3,1.8,none:0.5:0 21:1:0.3," +
        "1.5,0.3,1.8,1.5,0.3,1.8,1.5,0.3,1.8,1.5,0.3,1.8,1.5,0.3,1.8,0.5,1,0,t,1,false,,2026-05-20T12:00:02.000+02:00,,\r\n"
    )
    expect(csvHead.split(",")).toHaveLength(csvLine(cdr()).split(",").length)
  })

  it("has all amounts of a credit record negated, so that each column adds up to what is owed", () => {
    const credit = cdr({
      credit: true,
      totalCost: { exclVat: -1.5, inclVat: -1.8 },
      vatShares: [{ rate: 21, isMixed: false, exclVat: -1.5, inclVat: -1.8, vat: -0.3 }]
    })
    const names = csvHead.trimEnd().split(",")
    const cells = csvLine(credit).trimEnd().split(",")
    for (const name of ["total", "fixed", "energy", "time", "parking", "reservation"]) {
      const figures = ["ExclVat", "Vat", "InclVat"].map((figure) => cells[names.indexOf(name + figure)])
      expect([name, ...figures]).toEqual([name, "-1.5", "-0.3", "-1.8"])
    }
    expect(cells[names.indexOf("vatByRate")]).toBe("21:-1.5:-0.3")
  })

  it("names the billed partner and the driver's contract, and escapes the contract id", () => {
    const roaming = { partnerId: "01990000-0000-7000-8000-000000000009", contractId: "=DE-ABC-1" }
    expect(csvLine(cdr({ roaming }))).toMatch(/,01990000-0000-7000-8000-000000000009,'=DE-ABC-1\r\n$/)
  })

  for (const uid of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"]) {
    it(`escapes ${JSON.stringify(uid)} so that no spreadsheet treats it as a formula`, () =>
      expect(csvLine(cdr({ tokenUid: uid })).split(",2026-05-20T12")[0]).toMatch(/,"?'[=+\-@\t\r]/))
  }

  /** The cells of a line in a spreadsheet that splits at `separator`, even within quotes. */
  const cellsOf = (line: string, separator: string): ReadonlyArray<string> => line.split(separator)

  for (const separator of [";", "\t", "\n", "\r", "\r\n"]) {
    for (const formula of ["=1+1", "+1", "-1", "@SUM(A1)", " =1+1", '"=1+1', "＝1+1", "\u00a0-1"]) {
      const uid = `a${separator}${formula}${separator}${formula}`
      it(`quotes ${JSON.stringify(uid)} so that a spreadsheet that splits it finds no formula`, () => {
        const line = csvLine(cdr({ tokenUid: uid }))
        expect(line).toContain(`,"a${separator}'`)
        for (const cell of cellsOf(line.split(",2026-05-20T12")[0] ?? "", separator)) {
          expect(cell.replace(/^[\s"]+/, "")).not.toMatch(/^[=+\-@＝＋－＠]/)
        }
      })
    }
  }

  it("leaves text without formulas unchanged, and quotes it only where needed", () => {
    for (const uid of ["a-b+c=d@e", "O'Hara", "04A2-B3"]) expect(csvLine(cdr({ tokenUid: uid }))).toContain(`,${uid},`)
    for (const uid of ["a; b", "a\tb", "a\r\nb", "a\rb"])
      expect(csvLine(cdr({ tokenUid: uid }))).toContain(`,"${uid}",`)
  })

  it.each([
    [0.1 + 0.2, "0.3"],
    [1.1 * 3, "3.3"],
    [-(0.1 + 0.2), "-0.3"],
    [-0, "0"],
    [1e-7, "0.0000001"],
    [1 / 3.6e6, "0.0000002778"],
    [1 / 3, "0.3333333333"],
    [123456.7, "123456.7"],
    [12345678.9, "12345678.9"],
    [4.35 * 100, "435"],
    [1e15, "1000000000000000"],
    [1e21, "1000000000000000000000"]
  ])("writes %d as the decimal %s", (totalEnergyKwh, text) => {
    expect(csvLine(cdr({ totalEnergyKwh }))).toContain(`,${text},1,0,t,1,false,`)
  })

  it("leaves negative amounts as numbers and quotes text that would break the line", () => {
    expect(csvLine(cdr({ totalCost: { exclVat: -1.5, inclVat: -1.8 } }))).toContain(",EUR,-1.5,-0.3,-1.8,")
    expect(csvLine(cdr({ tokenUid: 'a,"b"\nc' }))).toContain(',"a,""b""\nc",')
  })
})

it("writes a record as a JSON line with the same fields as in the list", () => {
  const line = jsonLine(cdr())
  expect(line.endsWith("}\n")).toBe(true)
  expect(JSON.parse(line)).toMatchObject({ number: 7, startedAt: "2026-05-20T10:00:00.000Z", totalCost: price })
})
