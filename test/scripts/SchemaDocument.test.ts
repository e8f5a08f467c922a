/** The document of the schema agrees with the schema's files and the SQL in `src`. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { schemaDocument } from "../../scripts/schema-doc.ts"

it("is up to date: npm run schema-doc", () => {
  expect(readFileSync("docs/schema.md", "utf8") === schemaDocument(), "run npm run schema-doc").toBe(true)
})

it("names writers, readers, columns and retention", () => {
  const journal = /^### journal\n[^]*?(?=^### )/m.exec(schemaDocument())?.[0]
  expect(journal).toContain("| key | bytea NOT NULL UNIQUE | First 16 bytes of SHA-256")
  expect(journal).toMatch(/- Written by: .*`journal_commit\(\)`/)
  expect(journal).toMatch(/- Read by: .*`src\/storage\/operators\/AuditLog.ts`/)
  expect(journal).toContain(
    "- Retention: Facts with an author are kept as long as the audit log, those of starts and ends as long as sessions"
  )
})
