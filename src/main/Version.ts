/** The version of this program, read from `package.json`, its only source. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

export const { version } = Schema.decodeUnknownSync(Manifest)(
  readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8")
)
