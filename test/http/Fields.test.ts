/** The values in bodies and queries: which are accepted and which are refused. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isChargerId } from "../../src/domain/values/ChargerId.ts"
import { ChargerId, Country, CountryAlpha2, Name, parseTime, Time, TimeZone, Uuid } from "../../src/http/Fields.ts"
import { powerOf } from "../../src/http/v2/chargers/ConnectorStatus.ts"
import { assumedEquipment } from "../../src/domain/site/Connector.ts"

const takes = <T, E>(schema: Schema.Codec<T, E>, value: unknown): boolean =>
  Schema.decodeUnknownResult(schema)(value)._tag === "Success"

describe("Fields", () => {
  it("reads RFC 3339 times with their offset", () => {
    assert.strictEqual(parseTime("2026-11-20T08:30:00Z"), Date.UTC(2026, 10, 20, 8, 30))
    assert.strictEqual(parseTime("2026-11-20t08:30:00.1234567z"), Date.UTC(2026, 10, 20, 8, 30, 0, 123))
    assert.strictEqual(parseTime("2026-11-20T08:30:00+02:00"), Date.UTC(2026, 10, 20, 6, 30))
    assert.strictEqual(parseTime("2026-11-20T08:30:00 02:00"), Date.UTC(2026, 10, 20, 6, 30))
    assert.strictEqual(parseTime("2024-02-29T00:00:00Z"), Date.UTC(2024, 1, 29))
  })

  const noTimes = [
    "",
    "2026",
    "2026-11-20",
    "2026-11-20T08:30:00",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00:00+25:00",
    "1969-12-31T23:59:59Z",
    "9999-12-31T23:59:59-01:00",
    "+12026-01-01T00:00:00Z",
    "1763627400000"
  ]
  for (const value of noTimes) {
    it(`refuses ${JSON.stringify(value)} as a time`, () => {
      assert.strictEqual(parseTime(value), undefined)
      assert.isFalse(takes(Time, value))
    })
  }

  it("writes times in UTC", () => {
    assert.strictEqual(Schema.encodeSync(Time)(Date.UTC(2026, 10, 20, 8, 30)), "2026-11-20T08:30:00.000Z")
  })

  it("accepts alpha-2 and alpha-3 country codes and stores alpha-3", () => {
    const decode = Schema.decodeUnknownSync(Country)
    assert.deepStrictEqual(
      ["FI", "fi", "FIN", "fin", "GB", "USA"].map((code) => decode(code)),
      ["FIN", "FIN", "FIN", "FIN", "GBR", "USA"]
    )
    for (const code of ["", "F", "FFF", "Finland", "12", "UK"]) assert.isFalse(takes(Country, code), code)
    assert.isTrue(takes(CountryAlpha2, "DE"))
    for (const code of ["de", "DEU", "XX", "UK"]) assert.isFalse(takes(CountryAlpha2, code), code)
  })

  it("accepts only names from the time zone database", () => {
    for (const zone of ["UTC", "Europe/Helsinki", "America/Argentina/Buenos_Aires"])
      assert.isTrue(takes(TimeZone, zone), zone)
    for (const zone of ["", "+02:00", "Europe/Atlantis", "CEST2", "a b"]) assert.isFalse(takes(TimeZone, zone), zone)
  })

  it("refuses names that are blank, too long or cannot be stored in the database", () => {
    for (const name of ["A", "Ärzte & Söhne 🚗", "x".repeat(255)]) assert.isTrue(takes(Name, name), name)
    for (const name of ["", "   ", "x".repeat(256), "a\u0000b", "a\nb", "a\ud800", 1, null])
      assert.isFalse(takes(Name, name))
  })

  it("accepts the same charger ids as the domain", () => {
    for (const id of [
      "CP-1",
      "a_b.c~d:e*f",
      "x".repeat(48),
      ".",
      "..",
      "...",
      "",
      "a b",
      "a/b",
      "x".repeat(49),
      "ä",
      "a\n"
    ]) {
      assert.strictEqual(takes(ChargerId, id), isChargerId(id), JSON.stringify(id))
    }
  })

  it("accepts only UUIDs as ids", () => {
    assert.isTrue(takes(Uuid, "01900000-0000-7000-8000-000000000001"))
    for (const id of ["", "1", "01900000-0000-7000-8000-00000000000", "' OR 1=1"]) assert.isFalse(takes(Uuid, id), id)
  })

  it("computes the power from volts, amperes and phases, in agreement with the assumed equipment", () => {
    const { maxAmperage, maxPowerW, maxVoltage } = assumedEquipment
    assert.strictEqual(powerOf("AC_3_PHASE", maxVoltage, maxAmperage), maxPowerW)
    assert.strictEqual(powerOf("DC", 400, 125), 50_000)
  })
})
