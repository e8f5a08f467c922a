/** The summary at the end of a CI run: sums, the failures with their messages, and sections that broke or were ended. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { summary } from "../../scripts/summary.ts"
import { filesAgain } from "../../scripts/testing/again.ts"
import type { Line } from "../../scripts/testing/results.ts"

let directory = ""
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "voltlane-summary-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const project = "unit"
const started = (file: string): Line => ({ event: "started", project, file })
const ended = (file: string, seconds: number, passed: number, skipped = 0): ReadonlyArray<Line> => [
  started(file),
  { event: "ended", project, file, seconds, passed, skipped }
]
const failed = (file: string, test: string, message: string): Line => ({ event: "failed", file, test, message })

const given = (
  sections: ReadonlyArray<readonly [name: string, exit: number, lines?: ReadonlyArray<Line>, rest?: string]>
) => {
  writeFileSync(
    join(directory, "sections.tsv"),
    sections.map(([name, exit], i) => `${name}\t${(i + 1) * 10}\t600\t${exit}\n`).join("")
  )
  for (const [name, , lines, rest = ""] of sections) {
    if (lines === undefined) continue
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
    writeFileSync(join(directory, `${name}.jsonl`), text + rest)
  }
  return summary(directory)
}

const reported = (lines: ReadonlyArray<Line>): string => {
  const path = join(directory, "report.jsonl")
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  return path
}

describe("what CI runs again", () => {
  const one = "a.integration.test.ts"
  it.each([
    ["an integration test that failed", [failed(one, "t", "x"), { event: "complete" }], [one]],
    ["nothing after a run that was cut short", [failed(one, "t", "x")], []],
    [
      "nothing if another test failed too",
      [failed(one, "t", "x"), failed("b.test.ts", "t", "x"), { event: "complete" }],
      []
    ],
    ["nothing if a property test failed", [failed("c.property.test.ts", "t", "seed 7"), { event: "complete" }], []],
    [
      "nothing if a test with random cases failed",
      [failed("test/histories/Reordered.integration.test.ts", "t", "x"), { event: "complete" }],
      []
    ],
    ["a long test that failed", [failed("c.long.test.ts", "t", "x"), { event: "complete" }], ["c.long.test.ts"]],
    [
      "nothing if many tests failed",
      [...Array.from({ length: 5 }, (_, n) => failed(`${n}.integration.test.ts`, "t", "x")), { event: "complete" }],
      []
    ]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Line>, ReadonlyArray<string>]>)("is %s", (_, lines, files) => {
    expect(filesAgain(reported(lines))).toEqual(files)
  })
})

const lastLine = (text: string) => text.split("\n").at(-1)

describe("the summary of a run of CI", () => {
  it("adds up the sections, with their times, and ends with a line that has only the total", () => {
    const { failed, text } = given([
      ["readme", 0, [...ended("a.test.ts", 1.5, 20), ...ended("b.test.ts", 3, 4, 2), { event: "complete" }]],
      ["deno", 0, [...ended("a.test.ts", 2, 20), { event: "complete" }]],
      ["check", 0]
    ])
    expect(failed).toBe(0)
    expect(text).toMatch(/^readme +10 +24 +0 +2$/m)
    expect(text).toMatch(/^deno +20 +20 +0 +0$/m)
    expect(text).toMatch(/^check +30 +- +0 +-$/m)
    expect(lastLine(text)).toBe("44 passed, 0 failed")
  })

  it("names the twenty slowest files, the slowest first", () => {
    const files = Array.from({ length: 30 }, (_, i) => ended(`file-${i}.test.ts`, i, i))
    const { text } = given([["readme", 0, files.flat()]])
    const named = text.split("\n").flatMap((line) => /^readme +(\S+) +\d+ +(file-\S+)$/.exec(line)?.slice(1, 3) ?? [])
    expect(named).toHaveLength(40)
    expect(named.slice(0, 4)).toEqual(["29.0", "file-29.test.ts", "28.0", "file-28.test.ts"])
  })

  it("shows what failed, in which section and with which message", () => {
    const { failed: count, text } = given([
      ["readme", 1, [failed("a.test.ts", "adds > one and one", "expected 3 to be 2"), ...ended("a.test.ts", 1, 7)]]
    ])
    expect(count).toBe(1)
    expect(text).toContain("FAILED in readme: a.test.ts\n  adds > one and one\nexpected 3 to be 2\n")
    expect(lastLine(text)).toBe("7 passed, 1 failed")
  })

  it("names a test that failed among others and then passed by itself, and counts it as passed", () => {
    const first = [failed("a.integration.test.ts", "is sent", "timed out"), ...ended("a.integration.test.ts", 1, 7)]
    const again = [...ended("a.integration.test.ts", 1, 8), { event: "complete" } as const]
    given([["readme.again", 0, again]])
    const { failed: count, text } = given([["readme", 0, [...first, { event: "complete" }]]])
    expect(count).toBe(0)
    expect(text).toContain(
      "UNSTEADY (passed when it was run again by itself) in readme: a.integration.test.ts\n  is sent\ntimed out\n"
    )
    expect(lastLine(text)).toBe("8 passed, 0 failed")
  })

  it("counts a test that failed again once, as failed", () => {
    const first = [failed("a.integration.test.ts", "is sent", "timed out"), ...ended("a.integration.test.ts", 1, 7)]
    given([["readme.again", 1, first]])
    const { failed: count, text } = given([["readme", 1, [...first, { event: "complete" }]]])
    expect([count, lastLine(text)]).toEqual([1, "7 passed, 1 failed"])
  })

  it("counts a section that broke without a failed test", () => {
    const { failed, text } = given([
      ["readme", 1],
      ["postgres", 1, ended("a.test.ts", 1, 7)]
    ])
    expect(failed).toBe(2)
    expect(text).toContain("FAILED in readme: (the section)\n  readme\nIt broke outside its tests, with exit code 1.")
    expect(lastLine(text)).toBe("7 passed, 2 failed")
  })

  it("keeps the results of a section that was ended at its limit, and names the files that were running", () => {
    const { text } = given([
      ["deno", 124, [...ended("a.test.ts", 1, 7), started("b.test.ts"), started("c.test.ts")], '{"event":"ended","fi']
    ])
    expect(text).toContain("FAILED in deno: b.test.ts\n  (the whole file)\nThe run was ended while this file ran.")
    expect(text).toContain("FAILED in deno: c.test.ts")
    expect(text).toContain("It was ended at its time limit of 600 s.")
    expect(lastLine(text)).toBe("7 passed, 3 failed")
  })
})
