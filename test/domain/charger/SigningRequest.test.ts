import { describe, expect, it } from "vitest"
import { isSigningRequest } from "../../../src/domain/decide/SigningRequest.ts"
import { certificate } from "../../support/certificate.ts"
import { ModelService } from "../../support/modelCharger.ts"
import { rsaSigningRequest, signingRequest } from "../../support/signingRequest.ts"

const base64 = signingRequest.replaceAll(/-----[^-]*-----|\s/g, "")
const armoured = (content: string) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${content}\n-----END CERTIFICATE REQUEST-----\n`
const altered = (change: (bytes: Buffer) => Buffer) =>
  armoured(change(Buffer.from(base64, "base64")).toString("base64"))

describe("a certificate signing request", () => {
  for (const [name, text] of [
    ["of an elliptic-curve key", signingRequest],
    ["of an RSA key", rsaSigningRequest],
    ["with the header of older software", signingRequest.replaceAll("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST")],
    ["on one line", armoured(base64)],
    ["with carriage returns", signingRequest.replaceAll("\n", "\r\n")],
    ["with escaped line breaks", signingRequest.replaceAll("\n", "\\n")],
    ["without its PEM armour", base64],
    ["after an explanatory text", `Subject: CN=VL-0001\n${signingRequest}`]
  ] as const) {
    it(`${name} is recognised`, () => {
      expect(isSigningRequest(text)).toBe(true)
    })
  }

  for (const [name, text] of [
    ["nothing", ""],
    ["any text", "a CSR"],
    ["a certificate", certificate],
    ["a certificate that calls itself a request", certificate.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST")],
    ["an empty PEM block", armoured("")],
    ["a PEM block of something else", armoured(Buffer.from("hello").toString("base64"))],
    ["a request without its end", signingRequest.slice(0, 200)],
    ["a request that was cut short", altered((bytes) => bytes.subarray(0, 100))],
    ["a request followed by extra bytes", altered((bytes) => Buffer.concat([bytes, Buffer.from([5, 0])]))],
    ["a request of another version", altered((bytes) => Buffer.from(bytes.with(8, 1)))],
    ["endless length bytes", armoured(Buffer.alloc(300, 0x80).toString("base64"))],
    ["invalid base64", armoured("!!!!")]
  ] as const) {
    it(`is not ${name}`, () => {
      expect(isSigningRequest(text)).toBe(false)
    })
  }
})

describe("a SignCertificate", () => {
  const asked = () => new ModelService().charger({ certificateAskedAt: Date.UTC(2026, 4, 1, 12) })

  it("that an operator asked for is accepted and stored", () => {
    const { facts, reply } = asked().say({ _tag: "CertificateRequested", csr: signingRequest })
    expect(reply).toEqual({ _tag: "CertificateAnswered", status: "Accepted" })
    expect(facts).toMatchObject([{ type: "CertificateSigningRequested", body: { csr: signingRequest } }])
  })

  it("without a valid request is rejected even if an operator asked for it, and stores nothing", () => {
    const { facts, reply } = asked().say({ _tag: "CertificateRequested", csr: "a CSR" })
    expect(reply).toEqual({ _tag: "CertificateAnswered", status: "Rejected" })
    expect(facts).toEqual([])
  })
})
