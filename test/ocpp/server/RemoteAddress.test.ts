import { isIP } from "node:net"
import { describe, expect, it } from "vitest"
import { networkOf, originOf } from "../../../src/ocpp/server/RemoteAddress.ts"

describe("a network", () => {
  it.each([
    ["192.0.2.77", "192.0.2.0/24"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"]
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe("the origin of a request", () => {
  const trusted = (address: string): boolean => {
    if (isIP(address) === 0) throw new Error("a block list takes nothing but addresses")
    return address.startsWith("10.")
  }

  it.each([
    ["203.0.113.7", undefined, "203.0.113.7"],
    ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["::ffff:10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
    ["10.0.0.1", " , ", "10.0.0.1"],
    ["10.0.0.1", "garbage, 10.0.0.2, 1.2.3.4:80", "10.0.0.2"],
    ["10.0.0.1", "198.51.100.1, unknown", "198.51.100.1"],
    ["10.0.0.1", "2001:db8::1", "2001:db8::1"],
    ["/run/socket", "198.51.100.1", "/run/socket"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    [undefined, undefined, ""]
  ])("with the peer %s and X-Forwarded-For %s is %s", (peer, header, address) => {
    expect(originOf(peer, false, { "x-forwarded-for": header }, trusted).address).toBe(address)
  })

  it.each([
    ["10.0.0.1", false, "https", true],
    ["10.0.0.1", false, "WSS", true],
    ["10.0.0.1", false, "http", false],
    ["10.0.0.1", false, "http, https", false],
    ["10.0.0.1", true, "http", true],
    ["203.0.113.7", false, "https", false],
    ["203.0.113.7", true, undefined, true]
  ])("from %s, TLS %s, X-Forwarded-Proto %s: secure is %s", (peer, secure, proto, expected) => {
    expect(originOf(peer, secure, { "x-forwarded-proto": proto }, trusted).secure).toBe(expected)
  })
})
