/**
 * Checks the standard's own examples against the tables. They belong to others and are not part of this repository: `OCPI_EXAMPLES` names a
 * folder that has them (`2.1.1/*.json`, `2.2.1/*.json`). Without it these tests are skipped.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { schemasOf } from "../schemas/Schemas.ts"

const folder = process.env["OCPI_EXAMPLES"]

type Checked = "CDR" | "Credentials" | "Location" | "Session" | "Tariff" | "Token"

/** The kind of object of each example, by its file name. Examples of parts of objects are skipped. */
const kinds: ReadonlyArray<readonly [RegExp, Checked]> = [
  [/^(credentials_example\d?|credentials_example)$/, "Credentials"],
  [/^(cdr_example|mod_cdrs_example_of_a_cdr)$/, "CDR"],
  [/^(location_example.*|mod_locations_example)$/, "Location"],
  [/^(session_example_\d.*|mod_sessions_simple_.*)$/, "Session"],
  [/^(tariff_\d+_.*|tariff_put_example|mod_tariffs_(complex|simple|free|example_new)_.*)$/, "Tariff"],
  [/^(token_example.*|token_put_example|mod_tokens_example|mod_tokens_example_put_a_new_token)$/, "Token"]
]

/** Examples that violate the standard's own tables, and where. */
const wrong: Readonly<Record<string, ReadonlyArray<string>>> = {
  "2.1.1 mod_cdrs_example_of_a_cdr": ["CDR.location.country", "CDR.tariffs[0].elements[0].price_components[0].price"],
  "2.1.1 mod_sessions_simple_session_example_of_a_just_starting_sessi": ["Session.location.country"],
  "2.1.1 mod_sessions_simple_session_example_of_a_short_finished_sess": ["Session.location.country"],
  "2.1.1 mod_tariffs_example_new_tariff_2_euro_per_hour": ["Tariff.last_updated"],
  "2.2.1 tariff_put_example": ["Tariff.last_updated"]
}

describe.skipIf(folder === undefined)("the standard's examples (OCPI_EXAMPLES names their folder)", () => {
  describe.each(["2.1.1", "2.2.1"] as const)("of %s", (version) => {
    const names =
      folder === undefined ? [] : readdirSync(join(folder, version)).map((name) => name.replace(/\.json$/, ""))
    const known = names.flatMap((name) => {
      const kind = kinds.find(([pattern]) => pattern.test(name))?.[1]
      return kind === undefined ? [] : [{ name, kind }]
    })
    it("are found", () => expect(known.length).toBeGreaterThan(10))

    it.each(known)("$name fits the table of $kind", ({ kind, name }) => {
      const example: unknown = JSON.parse(readFileSync(join(folder ?? "", version, `${name}.json`), "utf8"))
      const places = schemasOf[version][kind](example, kind).map((fault) => fault.split(": ", 1)[0])
      expect(places).toEqual(wrong[`${version} ${name}`] ?? [])
    })
  })
})
