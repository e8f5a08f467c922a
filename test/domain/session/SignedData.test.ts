import { describe, expect, it } from "vitest"
import { signedDataOf } from "../../../src/domain/session/SignedData.ts"
import { energy } from "../../support/events.ts"

const payload = (tx: string | undefined, n = 0) => JSON.stringify({ FV: "1.0", RD: [{ TX: tx, RV: n, RU: "kWh" }] })
const ocmf = (tx: string | undefined, n = 0) => `OCMF|${payload(tx, n)}|{"SD":"3045"}`
const signed = (value: string, context = "Sample.Periodic") => energy(value, { format: "SignedData", context })
const natures = (...values: ReadonlyArray<string>) =>
  signedDataOf(values.map((value) => signed(value)))?.signedValues.map(({ nature }) => nature)

describe("the signed values of a session", () => {
  it("are absent when nothing was signed", () => {
    expect(signedDataOf([])).toBeUndefined()
    expect(signedDataOf([energy(1000), signed("")])).toBeUndefined()
  })

  it("are labelled as start and end by their context, and kept byte for byte", () => {
    const nasty = `  1B\r\n\t\\"'; ü😀 ${"\u2028"}|OCMF|&<x/>== `
    expect(signedDataOf([signed(nasty, "Transaction.Begin"), energy(5), signed("b", "Transaction.End")])).toEqual({
      signedValues: [
        { nature: "Start", signedData: nasty },
        { nature: "End", signedData: "b" }
      ]
    })
  })

  it("include the encoding method and the plain data for OCMF", () => {
    expect(signedDataOf([signed(ocmf("B")), energy(ocmf("E", 5))])).toEqual({
      encodingMethod: "OCMF",
      signedValues: [
        { nature: "Start", plainData: payload("B"), signedData: ocmf("B") },
        { nature: "End", plainData: payload("E", 5), signedData: ocmf("E", 5) }
      ]
    })
  })

  it("are labelled by their OCMF transaction mark when they have no context", () => {
    const tx = ["B", "C", "X", "E", "L", "R", "A", "P", "S", "T", "?"]
    expect(natures(...tx.map((mark) => ocmf(mark)))).toEqual([
      "Start",
      "Intermediate",
      "Intermediate",
      ...Array(4).fill("End"),
      // There is no room for the first of five ends.
      ...Array(3).fill("Intermediate")
    ])
    const both = `OCMF|{"RD":[{"TX":"B"},{"TX":"E"},{}]}|{"SD":"|"}`
    expect(natures(`OCMF|{"RD":[{"TX":"B"},{"TX":"E"},{}]}|{}`, both)).toEqual(["End", "Intermediate"])
  })

  it("have no plain data if they only look like OCMF", () => {
    for (const value of ["OCMF|", "OCMF||{}", "OCMF|{|{}", "OCMF|{}", "OCMF|[]|{}", `OCMF|{"RD":7}|{}`]) {
      expect(signedDataOf([signed(value)])).toEqual({
        encodingMethod: "OCMF",
        signedValues: [{ nature: "Intermediate", signedData: value }]
      })
    }
  })

  const methods: ReadonlyArray<readonly [string, string | undefined]> = [
    ["4F434D467C7B7D7C7B7D", "OCMF"],
    ["4f434d467c7b7d7c7b7d", "OCMF"],
    [btoa("OCMF|{}|{}"), "OCMF"],
    ["AP;0;3;ALCV3ABBBISHMA2RYEGAZE3HV5YQBQRAEHAKAEMX;BIHEIWSHAAA;X;", "Alfen Eichrecht"],
    ["1B1B1B1B0101010176", undefined],
    ["<signedData>", undefined]
  ]
  for (const [value, method] of methods) {
    it(`have the method ${method ?? "undefined"} for ${value.slice(0, 12)}…`, () =>
      expect(signedDataOf([signed(value)])?.encodingMethod).toBe(method))
  }

  const wrapped = (signedMeterData: string, more: object = {}) =>
    JSON.stringify({ signedMeterData, signingMethod: "ECDSA", encodingMethod: "OCMF", publicKey: "b2Nh", ...more })

  it("are unwrapped from the format of OCA's whitepaper, with the key that it contains", () => {
    const values = [wrapped(btoa(ocmf("B"))), wrapped(btoa(ocmf("E", 5)), { publicKey: " b2Nh " })]
    expect(signedDataOf(values.map((value) => signed(value)))).toEqual({
      encodingMethod: "OCMF",
      publicKey: "b2Nh",
      signedValues: [
        { nature: "Start", plainData: payload("B"), signedData: btoa(ocmf("B")) },
        { nature: "End", plainData: payload("E", 5), signedData: btoa(ocmf("E", 5)) }
      ]
    })
    expect(signedDataOf([signed(wrapped(""))])).toBeUndefined()
    const edl = wrapped("1B1B", { encodingMethod: "EDL40 Mennekes", publicKey: "" })
    expect(signedDataOf([signed(edl)])).toEqual({
      encodingMethod: "EDL40 Mennekes",
      signedValues: [{ nature: "Intermediate", signedData: "1B1B" }]
    })
    const odd = [`{"signedMeterData":7}`, "{", wrapped("x", { encodingMethod: "M".repeat(37) })]
    expect(odd.map((value) => signedDataOf([signed(value)])?.encodingMethod)).toEqual([undefined, undefined, undefined])
  })

  it("have the configured key if they contain none, and no key if they contain two", () => {
    const keyOf = (configured: string | undefined, ...values: ReadonlyArray<string>) =>
      signedDataOf(
        values.map((value) => signed(value)),
        configured
      )?.publicKey
    expect(keyOf(" 3059 ", ocmf("B"))).toBe("3059")
    expect(keyOf("3059", wrapped("x"))).toBe("b2Nh")
    expect(keyOf("3059", wrapped("x"), wrapped("y", { publicKey: "other" }))).toBeUndefined()
    expect([keyOf(" ", ocmf("B")), keyOf("k".repeat(5001), ocmf("B"))]).toEqual([undefined, undefined])
    expect(signedDataOf([], "3059")).toBeUndefined()
  })

  it("have plain data for OCMF in hex or base64, if it can be decoded", () => {
    const hex = [...new TextEncoder().encode(ocmf("E"))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    const plain = [hex, hex.toUpperCase(), btoa(ocmf("E")), `${hex}0`, `${btoa(ocmf("E"))}!`].map(
      (value) => signedDataOf([signed(value)])?.signedValues[0]?.plainData
    )
    expect(plain).toEqual([payload("E"), payload("E"), payload("E"), undefined, undefined])
  })

  it("have no encoding method if they use two", () =>
    expect(signedDataOf([signed(ocmf("B")), signed("1B1B")])).not.toHaveProperty("encodingMethod"))

  it("are listed once each, with the most specific label", () => {
    const samples = [
      signed("a"),
      signed("a", "Transaction.Begin"),
      signed("b", "Transaction.End"),
      signed("b"),
      signed("b")
    ]
    expect(signedDataOf(samples)?.signedValues).toEqual([
      { nature: "Start", signedData: "a" },
      { nature: "End", signedData: "b" }
    ])
  })

  it("include start and end of a thousand values, and a few between", () => {
    const between = Array.from({ length: 1000 }, (_, n) => signed(`i${n}`))
    const all = signedDataOf([signed("b", "Transaction.Begin"), ...between, signed("e", "Transaction.End")])
    expect(all?.signedValues.map(({ signedData }) => signedData)).toEqual([
      "b",
      "i0",
      "i1",
      "i2",
      "i3",
      "i4",
      "i5",
      "i6",
      "i7",
      "e"
    ])
  })

  it("include the last of many ends, and the first of many starts", () => {
    const values = ["b1", "b2", "b3", "b4", "b5"].map((value) => signed(value, "Transaction.Begin"))
    const ends = ["e1", "e2", "e3", "e4", "e5"].map((value) => signed(value, "transaction.end"))
    const kept = signedDataOf([...values, ...ends])?.signedValues.map(({ signedData }) => signedData)
    expect(kept).toEqual(["b1", "b2", "b3", "b4", "e2", "e3", "e4", "e5"])
  })

  it("include only whole values, with start and end before those between", () => {
    const [begin, end, between] = ["b", "e", "i"].map((letter) => letter.repeat(15_000))
    const samples = [
      signed(begin!, "Transaction.Begin"),
      signed(between!),
      signed("i"),
      signed(end!, "Transaction.End")
    ]
    expect(signedDataOf(samples)?.signedValues.map(({ signedData }) => signedData)).toEqual([begin, "i", end])
    expect(signedDataOf([signed("x".repeat(20_001))])).toBeUndefined()
  })
})
