/** The tree follows the project's rules (ARCHITECTURE.md), and each rule can fail: for each there is a made-up tree that breaks it. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  eachListOnce,
  importMatrix,
  importsExist,
  lineCap,
  bansTerms,
  noBarrels,
  noCycles,
  noFolderCircles,
  noUnusedFiles,
  opensWithParagraph,
  sameTestCommand,
  shortFiles,
  type Files,
  type Rule
} from "./architecture/rules.ts"
import { importsOf, strip } from "./architecture/source.ts"

const read = (path: string) => ({ path, text: readFileSync(path, "utf8") })

const tree: Files = [
  ...readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"))
    .map(read),
  ...[".ci/run", "README.md", "CONTRIBUTING.md"].filter((path) => existsSync(path)).map(read)
]

const about = "/** The boundary between one thing and another. */\n"
const file = (path: string, text = "") => ({ path, text: about + text })

interface Case {
  readonly name: string
  readonly rule: Rule
  /** Trees that break the rule, and a part of the resulting message. */
  readonly bad: ReadonlyArray<readonly [Files, string]>
  readonly good?: ReadonlyArray<Files>
}

const importing = (path: string, specifier: string): Files => [file(path, `import { x } from "${specifier}"`)]
const saying = (path: string, text: string): Files => [file(path, text)]

const cases: ReadonlyArray<Case> = [
  {
    name: "every part imports only what the matrix allows",
    rule: importMatrix,
    bad: [
      [importing("src/domain/Site.ts", "../storage/Sites.ts"), "src/domain/Site.ts:2 imports src/storage/Sites.ts"],
      [importing("src/domain/Site.ts", "effect/sql"), "imports effect/sql"],
      [importing("src/domain/Site.ts", "node:crypto"), "imports node:crypto"],
      [importing("src/storage/Sites.ts", "../http/v2/Sites.ts"), "imports src/http/v2/Sites.ts"],
      [importing("src/storage/Sites.ts", "ws"), "imports ws"],
      [importing("src/actors/Actors.ts", "@electric-sql/pglite"), "imports @electric-sql/pglite"],
      [importing("src/actors/Actors.ts", "../ocpp/rpc/Frame.ts"), "imports src/ocpp/rpc/Frame.ts"],
      [importing("src/ocpp/v16/Core.ts", "ws"), "imports ws"],
      [importing("src/ocpp/v16/Core.ts", "../server/ChargerSocket.ts"), "know no sockets"],
      [importing("src/ocpp/v16/Core.ts", "../v201/Core.ts"), "older version"],
      [importing("src/http/v1/Api.ts", "../v2/Api.ts"), "move what both generations share"],
      [importing("src/http/v2/Api.ts", "effect/sql"), "imports effect/sql"],
      [importing("src/storage/Database.ts", "../Config.ts"), "take what is needed as an argument"],
      [importing("src/actors/Actors.ts", "../main/Wiring.ts"), "take what is needed as an argument"],
      [importing("src/domain/Site.ts", "effect-but-not-really"), "imports effect-but-not-really"],
      [saying("src/http/v2/Api.ts", 'export { Sites } from "../../storage/Sites.ts"'), "imports src/storage/Sites.ts"],
      [
        saying("src/http/v2/Api.ts", 'const load = () => import("../../storage/Sites.ts")'),
        "imports src/storage/Sites.ts"
      ],
      [saying("src/http/v2/Api.ts", 'import type {\n  Sites\n} from "../../storage/Sites.ts"'), "src/http/v2/Api.ts:4"],
      [saying("src/misc/Helpers.ts", ""), "belongs to no part of the tree"]
    ],
    good: [
      importing("src/domain/Site.ts", "effect"),
      importing("src/ocpp/server/ChargerSocket.ts", "ws"),
      importing("src/ocpp/server/ChargerSocket.ts", "../rpc/Frame.ts"),
      importing("src/storage/Pglite.ts", "@electric-sql/pglite/contrib/x"),
      importing("src/storage/Pglite.ts", "node:worker_threads"),
      importing("src/main.ts", "./Config.ts"),
      importing("src/main/Wiring.ts", "@effect/platform-node"),
      importing("src/http/v2/Sites.ts", "../Problem.ts"),
      saying("src/domain/Site.ts", '// import { x } from "ws"\nconst text = `import { x } from "ws"`')
    ]
  },
  {
    name: "every import names an existing file",
    rule: importsExist,
    bad: [
      [importing("src/domain/Site.ts", "./values/Ids"), "imports ./values/Ids, which is not there"],
      [importing("src/domain/Site.ts", "./Gone.ts"), "which is not there"]
    ],
    good: [[...importing("src/domain/Site.ts", "./values/Ids.ts"), file("src/domain/values/Ids.ts")]]
  },
  {
    name: "no file imports itself, directly or through others",
    rule: noCycles,
    bad: [
      [importing("src/domain/A.ts", "./A.ts"), "src/domain/A.ts -> src/domain/A.ts is a circle"],
      [
        [
          ...importing("src/domain/A.ts", "./B.ts"),
          ...importing("src/domain/B.ts", "./c/C.ts"),
          ...importing("src/domain/c/C.ts", "../A.ts")
        ],
        "src/domain/A.ts -> src/domain/B.ts -> src/domain/c/C.ts -> src/domain/A.ts is a circle"
      ]
    ],
    good: [
      [
        file("src/domain/A.ts", 'import "./B.ts"\nimport "./C.ts"'),
        ...importing("src/domain/B.ts", "./C.ts"),
        file("src/domain/C.ts")
      ]
    ]
  },
  {
    name: "sibling folders do not import each other in a circle",
    rule: noFolderCircles,
    bad: [
      [
        [...importing("src/domain/token/A.ts", "../site/B.ts"), ...importing("src/domain/site/C.ts", "../token/D.ts")],
        "src/domain/token and src/domain/site form a circle of folders: src/domain/token/A.ts imports src/domain/site/B.ts"
      ],
      [
        [
          ...importing("src/domain/a/A.ts", "../b/inside/B.ts"),
          ...importing("src/domain/b/B.ts", "../c/C.ts"),
          ...importing("src/domain/c/C.ts", "../a/deep/A.ts")
        ],
        "src/domain/c and src/domain/a form a circle of folders"
      ]
    ],
    good: [
      [
        ...importing("src/http/v2/Routes.ts", "./sites/Sites.ts"),
        ...importing("src/http/v2/Sites.ts", "../Api.ts"),
        ...importing("src/http/v2/sites/Site.ts", "../requests/Caller.ts")
      ]
    ]
  },
  {
    name: "every file is used",
    rule: noUnusedFiles,
    bad: [[[file("src/main.ts"), file("src/domain/Old.ts")], "src/domain/Old.ts:1 is used by nothing"]],
    good: [
      [file("src/domain/NotYet.ts")],
      [
        file("src/main.ts", 'import "./storage/Pglite.ts"'),
        file("src/storage/Pglite.ts", 'const worker = new Worker(new URL("./PgliteWorker.ts", import.meta.url))'),
        file("src/storage/PgliteWorker.ts")
      ]
    ]
  },
  {
    name: "files are short",
    rule: shortFiles,
    bad: [[saying("src/domain/Long.ts", "\n".repeat(lineCap)), "the cap is 500"]],
    good: [saying("src/domain/generated/Schemas.ts", "\n".repeat(900)), saying("src/domain/A.ts", "\n".repeat(119))]
  },
  {
    name: "every file opens with a paragraph about its boundary",
    rule: opensWithParagraph,
    bad: [
      [[{ path: "src/domain/A.ts", text: 'import { x } from "effect"\n' + about }], "does not open with a paragraph"],
      [[{ path: "src/domain/A.ts", text: "/** */\nexport const a = 1\n" }], "does not open with a paragraph"],
      [[{ path: "src/domain/A.ts", text: "// A sentence about this file that is not one.\n" }], "does not open"]
    ],
    good: [[{ path: "src/main.ts", text: "#!/usr/bin/env node\n" + about }]]
  },
  {
    name: "every list of string values is written once",
    rule: eachListOnce,
    bad: [
      [
        [
          file("src/domain/A.ts", 'export const all = ["Open", "Closed", "Lost"] as const'),
          file("src/http/v2/A.ts", 'const all = Schema.Literals([\n  "Lost",\n  "Open",\n  "Closed"\n])')
        ],
        "src/http/v2/A.ts:2 lists the same words as src/domain/A.ts: Closed Lost Open"
      ],
      [
        [
          file("src/domain/A.ts", 'type A =\n  /** Not yet. */\n  | "Open"\n  | "Closed"\n  // Why.\n  | "Lost"'),
          file("src/storage/A.ts", 'const all = ["Open", "Closed", "Lost"]')
        ],
        "src/storage/A.ts:2 lists the same words"
      ]
    ],
    good: [
      [
        file("src/domain/A.ts", 'const all = ["Open", "Closed", "Lost"]\ntype A = "Open" | "Closed" | "Lost"'),
        file("src/http/v2/A.ts", 'const some = ["Open", "Closed"]\n// ["Open", "Closed", "Lost"]'),
        file("src/storage/A.ts", 'const more = ["Open", "Closed", "Lost", "Found"]')
      ]
    ]
  },
  {
    name: "there are no barrels",
    rule: noBarrels,
    bad: [
      [saying("src/domain/index.ts", ""), "is a barrel by its name"],
      [saying("src/domain/All.ts", 'export * from "./A.ts"'), "src/domain/All.ts:2 re-exports everything"]
    ],
    good: [saying("src/domain/Reindex.ts", 'export * as A from "./A.ts"\n// export * from "./B.ts"')]
  },
  {
    name: "no banned word is used where it is banned",
    rule: bansTerms,
    bad: [
      [saying("src/http/v2/A.ts", "const a = b as any"), "says as any"],
      [saying("src/http/v2/A.ts", "const f = (a: any) => a"), "says : any"],
      [saying("src/http/v2/A.ts", "// @ts-ignore"), "says @ts-ignore"],
      [saying("src/http/v2/A.ts", "// TODO: later"), "says TODO"],
      [saying("src/http/v2/A.ts", "/* FIXME */"), "says FIXME"],
      [saying("src/http/v2/A.ts", "const a = JSON.parse(b)"), "says JSON.parse"],
      [saying("src/domain/A.ts", "\nconst a = Date.now()"), "src/domain/A.ts:3 says Date.now"],
      [saying("src/domain/A.ts", "const a = new Date()"), "says new Date()"],
      [saying("src/domain/A.ts", "const a = Math.random()"), "says Math.random"],
      [saying("src/domain/A.ts", "const a = `${process.env}`"), "says process."],
      [saying("src/domain/A.ts", "setTimeout(a, 1)"), "says setTimeout"],
      [saying("src/domain/A.ts", "const a = Effect.runSync(b)"), "says Effect.runSync"]
    ],
    good: [
      saying("src/ocpp/rpc/Frame.ts", "const a = JSON.parse(b)"),
      saying("src/actors/A.ts", "const a = Date.now()"),
      saying("src/domain/A.ts", 'const a = "Date.now"; const b = new Date(0) // Math.random, process.env, JSON.parse'),
      saying("src/domain/A.ts", 'const a = /["`]/; const b = many / few // as any')
    ]
  },
  {
    name: "the documents show the test command that CI runs",
    rule: sameTestCommand,
    bad: [
      [[{ path: ".ci/run", text: "vitest run\n" }], ".ci/run does not call npm test"],
      [
        [
          { path: ".ci/run", text: "  npm ci && npm test\n" },
          { path: "README.md", text: "    npm install && npm test\n" }
        ],
        "README.md does not show `npm ci && npm test`"
      ]
    ],
    good: [
      [
        { path: ".ci/run", text: "  npm ci && npm test\n" },
        { path: "README.md", text: "```sh\nnpm ci && npm test\n```\n" }
      ]
    ]
  }
]

describe("the tree", () => {
  for (const { name, rule } of cases) {
    it(name, () => expect(rule(tree)).toEqual([]))
  }

  it("is read from the right place", () => {
    expect(tree.map(({ path }) => path)).toEqual(expect.arrayContaining([".ci/run", "src/domain/Errors.ts"]))
  })
})

describe("each rule can fail", () => {
  for (const { bad, good = [], name, rule } of cases) {
    it(`"${name}" is broken by ${bad.length} made-up trees and followed by ${good.length}`, () => {
      for (const [files, said] of bad) {
        const violations = rule(files)
        expect(violations.join("\n")).toContain(said)
        for (const violation of violations) expect(violation, "names its remedy").toMatch(/Fix: .+/)
      }
      for (const files of good) expect(rule(files)).toEqual([])
    })
  }
})

describe("reading a source", () => {
  it("distinguishes code from comments, strings, templates and regular expressions", () => {
    const text = "a // b\nc /* d\n */ e \"f // g\" `h ${i + `j ${k} l`} m` n / o / p, /q[/]\"r/ + s 't\\'u' v"
    expect(strip(text).code.replaceAll(/\s+/g, " ")).toBe("a c e \" \" ` ${i + ` ${k} `} ` n / o / p, / / + s ' ' v")
    expect(strip(text).code.split("\n").length).toBe(text.split("\n").length)
  })

  it("finds every way to name another file", () => {
    const text = [
      'import a from "./a.ts"',
      'import type {\n  B\n} from "./b.ts"',
      'import "./c.ts"',
      'export { d } from "../d.ts"',
      'const e = await import("./e.ts")',
      'new Worker(new URL("./f.ts", import.meta.url))',
      'import { G } from "effect"',
      'const no = `import h from "./h.ts"`'
    ].join("\n")
    expect(importsOf({ path: "src/x/y.ts", text }).map(({ specifier, target }) => target ?? specifier)).toEqual([
      "src/x/a.ts",
      "src/x/b.ts",
      "src/x/c.ts",
      "src/d.ts",
      "src/x/e.ts",
      "src/x/f.ts",
      "effect"
    ])
  })
})
