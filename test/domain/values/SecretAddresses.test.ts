/** The stored and displayed form of an address contains no secrets. */
import { describe, expect, it } from "vitest"
import { maskUrls, shownAddresses, shownLocation } from "../../../src/domain/values/SecretAddresses.ts"

it.each([
  ["https://files.example.com/image.bin", "https://files.example.com/image.bin"],
  ["ftp://user:pass@host/x", "ftp://user:***@host/x"],
  ["FTP://user:p:a@ss@host/x@y", "FTP://user:***@host/x@y"],
  ["sftp://user@host/x:y@z", "sftp://user@host/x:y@z"],
  ["https://csms.example/files/up/t0k3n", "https://csms.example/files/up/***"],
  ["https://csms.example/base/files/down/t0k3n/image.bin", "https://csms.example/base/files/down/***/image.bin"],
  ["https://csms.example/files/down/t0k3n?x=1", "https://csms.example/files/down/***?x=1"],
  ["https://s3.example/b/k?X-Amz-Date=1&X-Amz-Signature=ab", "https://s3.example/b/k?***"],
  ["https://host/image.bin?version=2&sig=ab", "https://host/image.bin?***"],
  ["https://host/image.bin?version=2", "https://host/image.bin?version=2"],
  ["https://host/x?apikey=S", "https://host/x?***"],
  ["https://host/x?api_key=S", "https://host/x?***"],
  ["https://host/x?%70wd=S", "https://host/x?***"],
  ["https://host/x?v=2;pass=S", "https://host/x?***"],
  ["https://host/x#access_token=S", "https://host/x#***"],
  ["https://S@host/x", "https://***@host/x"],
  ["https://S:@host/x", "https://***@host/x"],
  ["wss://S@host", "wss://***@host"],
  ["ftp://host/x;password=S", "ftp://host/x;password=***"],
  ["ftp://host/x;type=i", "ftp://host/x;type=i"],
  ["https://host/pass/code.bin?type=a", "https://host/pass/code.bin?type=a"]
])("shows the location %s as %s", (location, shown) => {
  expect(shownLocation(location)).toBe(shown)
  expect(shownLocation(shown)).toBe(shown)
})

describe("a parameter with the name of a secret", () => {
  const names = [
    "apikey",
    "api_key",
    "pwd",
    "pass",
    "jwt",
    "hmac",
    "token",
    "sig",
    "auth",
    "key",
    "X-Amz-Signature",
    "secret",
    "code"
  ]
  it.each(names)("%s is hidden in a location, in a message and in a log", (name) => {
    const address = `https://host/x?${name}=S3CRET`
    expect(shownLocation(address)).toBe("https://host/x?***")
    expect(maskUrls(`["${address}"]`)).toBe('["https://host/x?***"]')
    expect(shownAddresses(`to ${address}&v=2`)).toBe(`to https://host/x?${name}=***&v=2`)
  })
})
