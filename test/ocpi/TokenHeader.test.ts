import { describe, expect, it } from "vitest"
import { tokenHeader, tokensOf } from "../../src/ocpi/protocol/TokenHeader.ts"

describe("the header of a token", () => {
  it("means the token as it stands, and what it is Base64 of where it is that", () => {
    expect(tokensOf("Token ebf3b399-779f-4497-9b9d-ac6ad3cc44d2")).toEqual(["ebf3b399-779f-4497-9b9d-ac6ad3cc44d2"])
    expect(tokensOf("Token ZXhhbXBsZS10b2tlbg==")).toEqual(["ZXhhbXBsZS10b2tlbg==", "example-token"])
  })

  it("is read with the line feed of the standard's own sample, without padding, in the other alphabet, in any case and with more blanks", () => {
    expect(tokensOf("Token ZXhhbXBsZS10b2tlbgo=")).toContain("example-token")
    expect(tokensOf("Token ZXhhbXBsZS10b2tlbg")).toContain("example-token")
    const dashed = Buffer.from("a>b?c>d?").toString("base64url")
    expect(tokensOf(`token   ${dashed} `)).toContain("a>b?c>d?")
  })

  it.each([
    undefined,
    "",
    "Token",
    "Token ",
    "Bearer abc",
    "Token a b",
    `Token ${"a".repeat(129)}`,
    "Token \u0001",
    "Basic dG9rZW4="
  ])("is none: %j", (header) => expect(tokensOf(header)).toEqual([]))

  it("never gives a token with characters that none has", () => {
    expect(tokensOf(`Token ${Buffer.from("a\u0000b").toString("base64")}`)).toHaveLength(1)
    expect(tokensOf(`Token ${Buffer.from("a".repeat(65)).toString("base64")}`)).toEqual([])
  })

  it("is written raw or in Base64, and read back either way", () => {
    for (const form of ["Raw", "Base64"] as const) expect(tokensOf(tokenHeader("s3cret/=", form))).toContain("s3cret/=")
  })
})
