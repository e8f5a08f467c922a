/** Entity tags: when two are equal, and what a condition that names one means. */
import { expect, it } from "vitest"
import { encodedTag, isCurrent, isKnown, tagOf } from "../../../src/http/v2/requests/ETags.ts"

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

it("are equal only for the same bytes", () => {
  const one = tagOf(bytes({ a: 1 }), [])
  expect(one).toMatch(/^"[\w-]{22}"$/)
  expect(tagOf(bytes({ a: 1 }), [])).toBe(one)
  expect(tagOf(bytes({ a: 2 }), [])).not.toBe(one)
})

it("allow a change after reported fields have changed, at any depth, but not after others have", () => {
  const of = (value: unknown) => tagOf(bytes(value), ["seen", "status"])
  const before = of({ name: "A", seen: 1, parts: [{ id: 1, status: "Idle" }] })
  const reported = of({ name: "A", seen: 2, parts: [{ id: 1, status: "Busy" }] })
  expect(reported).not.toBe(before)
  expect([isKnown(before, reported), isCurrent(before, reported)]).toEqual([false, true])
  for (const changed of [
    { name: "B", seen: 1, parts: [{ id: 1, status: "Idle" }] },
    { name: "A", seen: 1, parts: [{ id: 2, status: "Idle" }] },
    { name: "A", seen: 1, parts: [] }
  ])
    expect(isCurrent(before, of(changed))).toBe(false)
})

it.each([
  ['"abc"', true],
  ['"x", "abc"', true],
  ['W/"abc"', true],
  ['"abc-gzip"', true],
  ['"x","abc-br" , "y"', true],
  ["*", true],
  ['"abcd"', false],
  ['""', false],
  ["abc", false],
  ["", false]
])("of %s a condition holds: %s", (header, holds) => {
  expect([isKnown(header, '"abc"'), isCurrent(header, '"abc"')]).toEqual([holds, holds])
})

it("have a strong form for each encoding", () => {
  expect([encodedTag('"abc"', "br"), encodedTag('W/"abc"', "gzip")]).toEqual(['"abc-br"', '"abc-gzip"'])
})
