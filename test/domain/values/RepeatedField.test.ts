/** Which texts have a field twice, compared with what a parser makes of them. */
import { describe, expect, it } from "vitest"
import { repeatedField } from "../../../src/domain/values/RepeatedField.ts"

describe("a field that is given twice", () => {
  it.each([
    ['{"role":"Viewer","role":"Owner"}', ["role"]],
    ['{"a":1,"b":{"c":[0,{"d":1,"e":[],"d":2}]}}', ["b", "c", 1, "d"]],
    ['{"role":"Viewer","\\u0072ole":"Owner"}', ["role"]],
    ['{"":1,"":2}', [""]],
    ['{"a\\"b":1,"a\\"b":2}', ['a"b']],
    ['[[1,2],{"x":{"__proto__":1,"__proto__":2}}]', [1, "x", "__proto__"]],
    [' { "a" : 1 , "a" : 1 } ', ["a"]]
  ])("is found in %s", (text, path) => {
    expect(repeatedField(text)).toEqual(path)
  })

  it.each([
    '{"a":1,"b":1}',
    '{"a":{"a":{"a":"a"}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"b","b":"a:b,\\"a\\":1"}',
    '{"a":["a","a","a"]}',
    '"a"',
    "",
    '}]"',
    '{"a',
    '{"\\x":1,"\\'
  ])("is not seen in %s", (text) => {
    expect(repeatedField(text)).toBeUndefined()
  })
})
