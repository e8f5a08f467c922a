/** Networks in CIDR form: what is valid, and what is within one. */
import { describe, expect, it } from "vitest"
import { isWithin, parseNetwork } from "../../../src/domain/values/Network.ts"

describe("a network", () => {
  it.each([
    "203.0.113.0/24",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "192.0.2.7",
    "192.0.2.7/32",
    "2001:db8::/32",
    "::/0",
    "::1",
    "2001:DB8::1/128",
    "::ffff:192.0.2.1",
    "1:2:3:4:5:6:7:8"
  ])("may be %s", (text) => expect(parseNetwork(text)).toBeDefined())

  it.each([
    "",
    "203.0.113.7/24",
    "203.0.113.0/33",
    "203.0.113/24",
    "256.0.0.1",
    "01.2.3.4",
    "1.2.3.4/",
    "1.2.3.4/08",
    "1.2.3.4/8/8",
    "2001:db8::1/32",
    "::/129",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8:9",
    "g::1",
    "fe80::1%eth0",
    "::1.2.3",
    "office",
    "10.0.0.0/-1"
  ])("may not be %j", (text) => expect(parseNetwork(text)).toBeUndefined())

  it.each<readonly [string, string, boolean]>([
    ["203.0.113.255", "203.0.113.0/24", true],
    ["203.0.114.0", "203.0.113.0/24", false],
    ["::ffff:203.0.113.9", "203.0.113.0/24", true],
    ["2001:db8:ffff::1", "2001:db8::/32", true],
    ["2001:db9::1", "2001:db8::/32", false],
    ["203.0.113.9", "::/0", false],
    ["2001:db8::1", "0.0.0.0/0", false],
    ["203.0.113.128/25", "203.0.113.0/24", true],
    ["203.0.112.0/23", "203.0.113.0/24", false],
    ["", "0.0.0.0/0", false]
  ])("contains %s in %s: %s", (inner, outer, is) => expect(isWithin(inner, ["192.0.2.1", outer])).toBe(is))
})
