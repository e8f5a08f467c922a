/** The filter of chargers: every word must match, in upper or lower case, and similar words do not. */
import { expect, it } from "vitest"
import { compareVersions, fits, parseFilter } from "../../console/src/live/filter.ts"
import type { Row } from "../../console/src/live/fleet.ts"

const row = (fields: Partial<Row>): Row => ({
  id: "SE-VLT-1001",
  name: "Quay 1",
  siteId: "s1",
  siteName: "Harbour",
  maker: "Kempower Satellite",
  firmware: "6.6.2",
  connected: true,
  everConnected: true,
  whole: undefined,
  state: "Available",
  connectors: [],
  lastSeen: 0,
  offlineSince: undefined,
  powerW: undefined,
  energyWh: undefined,
  ...fields
})

const found = (text: string, fields: Partial<Row> = {}) => fits(row(fields), parseFilter(text))

it.each([
  ["quay", true],
  ["QUAY harbour", true],
  ['"quay 1"', true],
  ['"quay 2"', false],
  ["quay kempower vlt-10", true],
  ["qy1", false],
  ["is:available", true],
  ["is:faulted", false],
  ["-is:offline", true],
  ["-quay", false],
  ["site:harb", true],
  ['site:"harbour"', true],
  ["-site:harbour", false],
  ["model:satellite", true],
  ["firmware:<6.10", true],
  ["firmware:<6.6", false],
  ["firmware:>=6.6.2", true],
  ["firmware:6.6", true],
  ["unknown:word", false],
  ["", true]
])('filters by "%s"', (text, expected) => {
  expect(found(text)).toBe(expected)
})

it("treats a word before a colon that is not a known field as text", () => {
  expect(found("bay:2", { name: "Bay:2" })).toBe(true)
})

it("finds faulted and offline chargers with is:attention", () => {
  expect(found("is:attention", { state: "Faulted" })).toBe(true)
  expect(found("is:attention", { state: "Offline" })).toBe(true)
  expect(found("is:attention", { state: "Charging" })).toBe(false)
})

it("leaves out a charger without a firmware version when versions are compared", () => {
  expect(found("firmware:<9", { firmware: "" })).toBe(false)
})

it("orders versions part by part", () => {
  expect(["1.10", "1.9", "1.9.1", "1.9-rc2", "2"].sort(compareVersions)).toEqual([
    "1.9",
    "1.9.1",
    "1.9-rc2",
    "1.10",
    "2"
  ])
})
