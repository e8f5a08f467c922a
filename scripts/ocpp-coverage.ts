/**
 * Writes docs/ocpp-coverage.md: every certification case of OCPP 1.6 that tests the central system, and our test that shows it. `node
 * scripts/ocpp-coverage.ts` writes the page; a unit test fails if the page does not match the tests.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { cases16, type Case } from "../test/cases/catalogue.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = "test/cases"
export const page = "docs/ocpp-coverage.md"

/** The file that names each case, in the title of a test or in the row of a table of tests. */
export const shownBy = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const name of readdirSync(`${root}${folder}`).sort()) {
    if (!name.endsWith(".integration.test.ts")) continue
    const text = readFileSync(`${root}${folder}/${name}`, "utf8")
    for (const [, id = ""] of text.matchAll(/(?:it\("|id: ")(TC_\d+(?:_\d+)?)\b/g)) found.set(id, `${folder}/${name}`)
  }
  return found
}

/** Cases that none of our tests can show, and why. */
export const notShown: ReadonlyMap<string, string> = new Map()

const row = ({ id, name }: Case, file: string | undefined): string => {
  const state = file === undefined ? `not shown: ${notShown.get(id) ?? "no test names it"}` : "shown"
  const where =
    file === undefined ? "" : `[${file.slice(folder.length + 1).replace(".integration.test.ts", "")}](../${file})`
  return `| ${id} | ${name} | ${where} | ${state} |`
}

export const coveragePage = (): string => {
  const found = shownBy()
  const profiles = [...new Set(cases16.map(({ profile }) => profile))]
  const shown = cases16.filter(({ id }) => found.has(id)).length
  const sections = profiles.map((profile) => {
    const cases = cases16.filter((one) => one.profile === profile)
    return [
      `## ${profile}`,
      "",
      "| case | name | tests | state |",
      "|---|---|---|---|",
      ...cases.map((one) => row(one, found.get(one.id))),
      ""
    ].join("\n")
  })
  return [
    "# OCPP 1.6: certification cases and the tests that show them",
    "",
    "Written by `node scripts/ocpp-coverage.ts` from the tests in `test/cases`; do not edit. Ids and names are from the public list of cases",
    "in which the central system is the system under test. Every test runs the whole service as a process, with the OCPP client of the npm",
    "package `ocpp-rpc` in its strict mode as the charge point and REST v2 as the operator; `npm test` runs all of them. These are our own tests",
    "under the cases' names, and no certificate.",
    "",
    `${shown} of ${cases16.length} cases are shown.`,
    "",
    ...sections
  ].join("\n")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(`${root}${page}`, coveragePage())
