/** A program that creates an embedded database from an image, for tests that kill it: `databaseMaker.ts DIRECTORY IMAGE`. */
import { ensureCreated } from "../../src/storage/pglite/Files.ts"

const [directory = "", image = ""] = process.argv.slice(2)
await ensureCreated(directory, image, true)
console.log("made")
