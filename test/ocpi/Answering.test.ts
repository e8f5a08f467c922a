import { describe, expect, it } from "vitest"
import { contentTypeFor } from "../../src/ocpi/server/Answering.ts"

describe("the content type of an answer", () => {
  it.each([
    undefined,
    "",
    "*/*",
    "application/json",
    "text/plain, application/json",
    "text/plain, */*;q=0.1",
    "text/html",
    "application/*"
  ])("is JSON for %s", (accept) => expect(contentTypeFor(accept)).toBe("application/json"))

  it.each(["text/plain", "Text/Plain; charset=utf-8", "text/plain, text/html", "text/*"])(
    "is text for %s, which does not accept JSON",
    (accept) => expect(contentTypeFor(accept)).toBe("text/plain; charset=utf-8")
  )
})
