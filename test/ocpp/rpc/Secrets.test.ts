import { describe, expect, it } from "vitest"
import { maskConfigurationKey } from "../../../src/ocpp/rpc/Secrets.ts"
import { forSeeds } from "../../support/random.ts"

const mask = (text: string): string => maskConfigurationKey(text, "authorizationkey")

describe("a secret configuration key", () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    [
      "loses its value in a CALL",
      '[2,"7","ChangeConfiguration",{"key":"AuthorizationKey","value":"6b65792d31"}]',
      '[2,"7","ChangeConfiguration",{"key":"AuthorizationKey","value":"***"}]'
    ],
    [
      "loses it in any spacing, case and order",
      '[2,"7","ChangeConfiguration",{ "value" :\n"a\\"},\\\\" ,\t"key": " AUTHORIZATIONkey " }]',
      '[2,"7","ChangeConfiguration",{ "value" :\n"***" ,\t"key": " AUTHORIZATIONkey " }]'
    ],
    [
      "loses it however its name is escaped",
      '[3,"7",{"configurationKey":[{"key":"Authorization\\u004bey","readonly":false,"value":"abc"}]}]',
      '[3,"7",{"configurationKey":[{"key":"Authorization\\u004bey","readonly":false,"value":"***"}]}]'
    ],
    [
      "loses it alone among other keys",
      '[3,"7",{"configurationKey":[{"key":"A","value":"1"},{"key":"AuthorizationKey","value":"2"},{"key":"B","value":"3"}]}]',
      '[3,"7",{"configurationKey":[{"key":"A","value":"1"},{"key":"AuthorizationKey","value":"***"},{"key":"B","value":"3"}]}]'
    ],
    [
      "loses it under whatever name and of whatever type the charger gives it",
      '[3,"7",{"configurationKey":[{"Value":{"a":["abc"]},"key":"AuthorizationKey","secret":123}]}]',
      '[3,"7",{"configurationKey":[{"Value":"***","key":"AuthorizationKey","secret":"***"}]}]'
    ],
    [
      "loses it as a member of its own name",
      '[2,"7","DataTransfer",{"data":{"authorizationKey":"abc","b":1}}]',
      '[2,"7","DataTransfer",{"data":{"authorizationKey":"***","b":1}}]'
    ],
    [
      "may be asked for and be unknown",
      '[2,"7","GetConfiguration",{"key":["AuthorizationKey"]}]',
      '[2,"7","GetConfiguration",{"key":["AuthorizationKey"]}]'
    ],
    ["hides a frame that breaks off", '[2,"7","ChangeConfiguration",{"key":"AuthorizationKey","value":"ab', "***"],
    ["hides a frame that lacks a quote", '[2,"7","X",{"key":"AuthorizationKey,"value":"abc"}]', "***"],
    ["hides a frame that nests without end", "[".repeat(100_000), "***"]
  ]
  it.each(rows)("%s", (_, text, expected) => {
    expect(mask(text)).toBe(expected)
    expect(mask(expected)).toBe(expected)
  })

  it("is found among many in a large frame", () => {
    const keys = Array.from(
      { length: 10_000 },
      (_, i) => `{"key":"AuthorizationKey","readonly":false,"value":"secret${i}"}`
    )
    expect(mask(`[3,"7",{"configurationKey":[${keys.join(",")}]}]`)).not.toContain("secret")
  })

  it("never shows, wherever it stands", () => {
    forSeeds(2_000, (random) => {
      const secret = `s3cret${random.between(0, 1e9)}`
      const space = () => random.pick(["", " ", "\n", "\t "])
      const value = random.pick([`"${secret}"`, `["${secret}"]`, `{"x":"${secret}"}`, `"\\"${secret}\\\\"`])
      const name = random.pick(["AuthorizationKey", "authorizationkey", " AuthorizationKey", "\\u0041uthorizationKey"])
      const members = [
        `"key"${space()}:${space()}"${name}"`,
        `"value"${space()}:${space()}${value}`,
        `"readonly":false`
      ]
      const entry = `{${(random.next() < 0.5 ? members : members.toReversed()).join(`${space()},${space()}`)}${space()}}`
      const others = ['{"key":"A","value":"1"}', '{"key":"B"}', entry]
      const frame = `[3,"7",{"configurationKey":[${(random.next() < 0.5 ? others : others.toReversed()).join(",")}]}]`
      expect(mask(frame)).not.toContain(secret)
      expect(mask(frame)).toContain('{"key":"A","value":"1"}')
      expect(() => JSON.parse(mask(frame)) as unknown).not.toThrow()
    })
  })
})
