/**
 * Writes the tables and gates of a results file into `docs/performance.md`, between its two markers: `node
 * bench/report.ts bench/results/NAME.json`.
 */
import { Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { gateTable, judge } from "./gates.ts"
import { ResultsJson } from "./results.ts"
import { tables } from "./table.ts"

const page = new URL("../docs/performance.md", import.meta.url)
const [begin, end] = ["<!-- measured: begin -->", "<!-- measured: end -->"]

const file = process.argv[2]
if (file === undefined) throw new Error("which results? node bench/report.ts bench/results/NAME.json")
const results = Schema.decodeSync(ResultsJson)(readFileSync(file, "utf8"))
const text = readFileSync(page, "utf8")
const [from, to] = [text.indexOf(begin), text.indexOf(end)]
if (from < 0 || to < from) throw new Error(`docs/performance.md has lost its marks ${begin} and ${end}`)
const measured = `${tables(results)}\n\n### Gates\n\n${gateTable(judge(results))}`
writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${measured}\n\n${text.slice(to)}`)
