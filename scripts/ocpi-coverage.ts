/**
 * Writes docs/ocpi-coverage.md: every method of every module that we serve in each version of OCPI, every call that we make to a partner, and the
 * test that shows it. `node scripts/ocpi-coverage.ts` writes the page; a unit test fails if the page does not match the tests.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { nameOf, rowsOf } from "../src/ocpi/protocol/EndpointTable.ts"
import { type OcpiVersion, versions } from "../src/ocpi/protocol/Version.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = "test/ocpi"
export const page = "docs/ocpi-coverage.md"

/** What a test can show: a method that we serve in one version, or a call to a partner. */
export interface Shown {
  readonly name: string
  readonly version: OcpiVersion
}

const oldestFirst: ReadonlyArray<OcpiVersion> = versions.map(({ version }) => version).toReversed()

const since22: ReadonlyArray<OcpiVersion> = ["2.2", "2.2.1"]

/** Every method that we serve. The two methods of the versions module are added here, since the table has only those of other modules. */
export const served: ReadonlyArray<Shown> = oldestFirst.flatMap((version) =>
  ["GET versions", "GET details", ...rowsOf(version).map(nameOf)].map((name) => ({ name, version }))
)

const party = "/:countryCode/:partyId"

/** The calls that we make to a partner: names, and the versions that have them. */
const callNames: ReadonlyArray<readonly [string, ReadonlyArray<OcpiVersion>]> = [
  ["out GET versions", oldestFirst],
  ["out GET details", oldestFirst],
  ["out POST credentials", oldestFirst],
  ["out PUT credentials", oldestFirst],
  ["out DELETE credentials", oldestFirst],
  [`out PUT locations${party}/:locationId`, oldestFirst],
  [`out PATCH locations${party}/:locationId/:evseUid`, oldestFirst],
  [`out PUT sessions${party}/:sessionId`, oldestFirst],
  ["out POST cdrs", oldestFirst],
  ["out GET cdrs/:cdrId", oldestFirst],
  [`out PUT tariffs${party}/:tariffId`, oldestFirst],
  [`out DELETE tariffs${party}/:tariffId`, oldestFirst],
  ["out GET tokens", oldestFirst],
  ["out POST tokens/:tokenUid/authorize", oldestFirst],
  ["out POST commands/:responseUrl", oldestFirst],
  ["out POST chargingprofiles/:responseUrl", since22],
  ["out PUT chargingprofiles/:sessionId", since22]
]

export const calls: ReadonlyArray<Shown> = oldestFirst.flatMap((version) =>
  callNames.flatMap(([name, those]) => (those.includes(version) ? [{ name, version }] : []))
)

const testFiles = (): ReadonlyArray<string> =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".integration.test.ts"))
    .toSorted()

/** The versions in which the tests of a file run. */
const versionsIn = (text: string): ReadonlyArray<OcpiVersion> => {
  if (/\b(all|common|usual)Versions\b/.test(text)) return oldestFirst
  const named = oldestFirst.filter((version) => text.includes(`"${version}"`))
  return /\bversionsSince22\b/.test(text)
    ? oldestFirst.filter((one) => named.includes(one) || since22.includes(one))
    : named
}

/** A title, or the key of a table, that begins with the method or call that it shows. */
const titles = /["`]((?:out )?(?:GET|POST|PUT|PATCH|DELETE) [a-z]+(?:\/:?\w+)*)(?=[\s,"`:])/g

const keyOf = ({ name, version }: Shown): string => `${version} ${name}`

/** The test files for each method or call. */
export const shownBy = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const file of testFiles()) {
    const text = readFileSync(`${root}${folder}/${file}`, "utf8")
    for (const [, name = ""] of text.matchAll(titles)) {
      for (const version of versionsIn(text)) {
        const key = keyOf({ name, version })
        const files = found.get(key) ?? []
        if (!files.includes(file)) found.set(key, [...files, file])
      }
    }
  }
  return found
}

/** Methods that none of our tests can show, and why. */
export const notShown: ReadonlyMap<string, string> = new Map()

export const missing = (wanted: ReadonlyArray<Shown>): ReadonlyArray<string> => {
  const found = shownBy()
  return wanted.map(keyOf).filter((key) => !found.has(key) && !notShown.has(key))
}

const link = (file: string): string => `[${file.replace(/\.integration\.test\.ts$/, "")}](../${folder}/${file})`

const table = (wanted: ReadonlyArray<Shown>, version: OcpiVersion, head: string): ReadonlyArray<string> => {
  const found = shownBy()
  return [
    `| module | ${head} | tests |`,
    "|---|---|---|",
    ...wanted
      .filter((one) => one.version === version)
      .map((one) => {
        const [method = "", address = ""] = one.name.replace(/^out /, "").split(" ")
        const [module = ""] = address.split("/")
        const files = (found.get(keyOf(one)) ?? []).map(link).join(", ")
        const shown = files === "" ? `not shown: ${notShown.get(keyOf(one)) ?? "no test names it"}` : files
        return `| ${module} | ${method} ${address} | ${shown} |`
      }),
    ""
  ]
}

export const coveragePage = (): string =>
  [
    "# OCPI: methods and the tests that show them",
    "",
    "Written by `node scripts/ocpi-coverage.ts` from the endpoint table and the tests in `test/ocpi`; do not edit. Every test named here runs the",
    "whole service as a process and talks to it over HTTP as a partner that was written from the standard alone, which holds everything that it",
    "is sent against the standard's tables. `npm test` runs all of them; what 2.1.1 and 2.2 have in common with 2.2.1 it tries in part, and `npm run test:all` whole.",
    "Beside these, `test/ocpi/matrix` tries each method as a stranger, and [LocationDetails](../test/ocpi/LocationDetails.integration.test.ts) shows every field of",
    "locations, EVSEs and connectors that an operator can enter, in each version as far as it goes. An EVSE has no `status_schedule`.",
    "",
    `${served.length - missing(served).length} of ${served.length} methods are shown, and ${calls.length - missing(calls).length} of ${calls.length} calls to partners.`,
    "",
    ...oldestFirst.flatMap((version) => [
      `## ${version}`,
      "",
      ...table(served, version, "we serve"),
      ...table(calls, version, "we call")
    ])
  ].join("\n")

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(`${root}${page}`, coveragePage())
