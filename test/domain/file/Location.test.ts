/** The stored and displayed form of a location contains no secrets. */
import { expect, it } from "vitest"
import { shownLocation } from "../../../src/domain/file/Location.ts"

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
  ["https://host/image.bin?version=2", "https://host/image.bin?version=2"]
])("shows %s as %s", (location, shown) => {
  expect(shownLocation(location)).toBe(shown)
})
