/** Adds to package-lock.json what npm left out of it: `node scripts/complete-lockfile.ts`, after every `npm install`. */
import { readFileSync, writeFileSync } from "node:fs"
import { complete, missingFrom } from "./lockfile.ts"

const path = "package-lock.json"
const before = readFileSync(path, "utf8")
const missing = missingFrom(before)
if (missing.length > 0) writeFileSync(path, complete(before))
console.log(`${missing.length} optional packages added to ${path}`)
