/**
 * The checks before a change is accepted, as a table: `scripts/check.ts` runs it and `CONTRIBUTING.md` explains it. A
 * new check is a new row. The cheapest steps come first, so that a failure shows as early as possible.
 */

/** One command of the check. `all` rows run only with `--all`; `tests` rows are left out with `--no-tests`. */
export interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly all?: boolean
  readonly tests?: boolean
  /** A step that takes longer is assumed to hang: it is ended and counts as failed. */
  readonly limit_s: number
  /** What to do if it fails, in one sentence. */
  readonly fix: string
}

const vitest = ["vitest", "run"]

export const steps: ReadonlyArray<Step> = [
  {
    name: "format",
    command: ["oxfmt", "--check"],
    limit_s: 30,
    fix: "npm run format, and commit what it changed."
  },
  {
    name: "lint",
    command: ["oxlint", "--deny-warnings"],
    limit_s: 30,
    fix: "Mend what is listed. A rule that is wrong for the whole house is changed in .oxlintrc.json, with its reason."
  },
  {
    name: "types",
    command: ["tsc", "--noEmit", "-p", "tsconfig.json"],
    limit_s: 60,
    fix: "Mend the types; a boundary is decoded with Schema, never cast."
  },
  {
    name: "console types",
    command: ["tsc", "--noEmit", "-p", "console/tsconfig.json"],
    limit_s: 60,
    fix: "The console's shapes are those of the API: follow what changed there."
  },
  {
    name: "effect",
    command: ["effect-tsgo", "diagnostics", "--project", "tsconfig.json", "--format", "text", "--strict"],
    limit_s: 60,
    fix: "Mend what Effect's own diagnostics list: floating effects, missing services, names of an older Effect."
  },
  {
    name: "architecture",
    command: [...vitest, "test/Architecture.test.ts"],
    limit_s: 60,
    fix: "Each line above says its own remedy; ARCHITECTURE.md has the matrix."
  },
  {
    name: "unit",
    command: vitest,
    env: { TEST_SELECT: "unit" },
    tests: true,
    limit_s: 120,
    fix: "npx vitest run FILE runs one file; a property prints the seed that repeats it."
  },
  {
    name: "integration",
    command: vitest,
    env: { TEST_SELECT: "integration" },
    all: true,
    tests: true,
    limit_s: 600,
    fix: "The same tests run in npm test; they need nothing but a free port."
  },
  {
    name: "long",
    command: vitest,
    env: { TEST_ALL: "true", TEST_SELECT: "long" },
    all: true,
    tests: true,
    limit_s: 900,
    fix: "npm run test:all -- FILE repeats one file."
  },
  {
    name: "property",
    command: vitest,
    env: { PROPERTY: "full", TEST_SELECT: "property" },
    all: true,
    tests: true,
    limit_s: 900,
    fix: "The seed is printed; put the case it found into the file's table of examples, then mend the code."
  },
  {
    name: "postgres",
    command: ["node", "scripts/with-postgres.ts", ...vitest],
    env: { TEST_DRIVERS: "postgres", TEST_SELECT: "database" },
    all: true,
    tests: true,
    limit_s: 900,
    fix: "npm run test:postgres repeats it; what passes on PGlite and not here is a difference that storage must hide."
  },
  {
    name: "deno",
    command: ["deno", "run", "-A", "node_modules/vitest/vitest.mjs", "run", "--project=!long"],
    all: true,
    tests: true,
    limit_s: 900,
    fix: "npm run test:deno repeats it; both runtimes run the same sources."
  },
  {
    name: "faults",
    command: ["node", "scripts/with-postgres.ts", ...vitest, "--project", "faults"],
    env: { FAULTS: "full" },
    all: true,
    tests: true,
    limit_s: 5400,
    fix: "npm run check:faults repeats it; FAULTS_SEED=… repeats the same choice of instants."
  }
]

export interface Choice {
  readonly all: boolean
  readonly tests: boolean
}

/** The steps of one run. With `--all` the integration tests run too, so it includes the whole short check. */
export const choose = (choice: Choice): ReadonlyArray<Step> =>
  steps.filter((step) => (choice.all || step.all !== true) && (choice.tests || step.tests !== true))
