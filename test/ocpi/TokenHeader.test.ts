import { describe, expect, it } from "vitest"
import { tokenHeader, tokensOf } from "../../src/ocpi/protocol/TokenHeader.ts"

describe("the header of a token", () => {
  it("may contain the token itself, or its Base64 form", () => {
    expect(tokensOf("Token ebf3b399-779f-4497-9b9d-ac6ad3cc44d2")).toEqual(["ebf3b399-779f-4497-9b9d-ac6ad3cc44d2"])
    expect(tokensOf("Token ZXhhbXBsZS10b2tlbg==")).toEqual(["ZXhhbXBsZS10b2tlbg==", "example-token"])
  })

  it("is read with a trailing line feed, without padding, in base64url, in any case, and with extra spaces", () => {
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
  ])("contains no token: %j", (header) => expect(tokensOf(header)).toEqual([]))

  it("never yields a decoded token with characters or a length that tokens cannot have", () => {
    expect(tokensOf(`Token ${Buffer.from("a\u0000b").toString("base64")}`)).toHaveLength(1)
    expect(tokensOf(`Token ${Buffer.from("a".repeat(65)).toString("base64")}`)).toEqual([])
  })

  it("is written raw or in Base64, and can be read back in both forms", () => {
    for (const form of ["Raw", "Base64"] as const) expect(tokensOf(tokenHeader("s3cret/=", form))).toContain("s3cret/=")
  })
})
