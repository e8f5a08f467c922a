/** What the command line accepts and prints; nothing here starts a service. */
import { Effect, Exit } from "effect"
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { Ended } from "../../../src/main/cli/CommandLine.ts"
import { runCommand } from "../../../src/main/cli/Commands.ts"

const run = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  let [out, err] = ["", ""]
  let served: ReadonlyArray<string> | undefined
  const exit = await Effect.runPromiseExit(
    Effect.flip(
      runCommand(args, {
        env,
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        serve: (given) => Effect.sync(() => void (served = given))
      })
    )
  )
  const ended = Exit.isSuccess(exit) ? exit.value : undefined
  return { code: ended?.code ?? 0, err: err + (ended instanceof Ended ? ended.message : ""), out, served }
}

it("prints its version, which is that of the package", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
  expect(await run(["--version"])).toEqual({ code: 0, err: "", out: `${version}\n`, served: undefined })
})

it("lists every command in its help, and the options of each", async () => {
  const { code, out } = await run(["--help"])
  expect(code).toBe(0)
  for (const word of ["export", "keys", "operators", "organisations", "--env-file", "--print-config", "--version"])
    expect(out).toContain(word)
  expect((await run(["operators", "reset", "--help"])).out).toContain("--revoke-others")
  expect((await run(["keys", "create", "-h"])).out).toContain("--permissions")
})

it("starts the service if no command is given, with the given settings files", async () => {
  expect((await run(["--env-file=a.env", "--env-file", "b.env"])).served).toEqual([
    "--env-file=a.env",
    "--env-file=b.env"
  ])
  expect((await run(["--env-file=a.env", "--print-config"])).served).toEqual(["--env-file=a.env", "--print-config"])
})

it.each([
  [["kesy"], /^voltlane: .*"kesy".*keys.*; see voltlane --help\n$/],
  [["--print"], /^voltlane: .*--print.*; see voltlane --help\n$/],
  [["--env-file"], /^voltlane: .*env-file.*; see voltlane --help\n$/],
  [["keys", "revoke"], /^voltlane: .*key.*; see voltlane keys revoke --help\n$/],
  [["operators", "add-owner"], /^voltlane: .*email.*; see voltlane operators add-owner --help\n$/],
  [["operators", "reset", "--all"], /^voltlane: .*--all.*; see voltlane operators reset --help\n$/],
  [["export"], /^voltlane: .*file.*; see voltlane export --help\n$/],
  [["export", "cdrs.txt"], /^export: the format of cdrs\.txt is unknown/],
  [["export", "cdrs.csv"], /^export: VOLTLANE_API_KEY: not set/]
])("answers the wrong usage %j with one line and exit code 2", async (args, line) => {
  const { code, err, out, served } = await run(args)
  expect([code, out, served]).toEqual([2, "", undefined])
  expect(err).toMatch(line)
})

it("names a wrong setting, with exit code 78", async () => {
  const { code, err } = await run(["keys", "list"], { PORT: "many" })
  expect([code, err]).toEqual([78, expect.stringMatching(/^PORT: expected a port number/)])
})

it("makes no data directory if there is none, and says what to set", async () => {
  const folder = mkdtempSync(join(tmpdir(), "voltlane-cli-"))
  const { code, err } = await run(["operators", "reset"], { DATA_DIR: join(folder, "data") })
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^there is no database in .*data: set DATA_DIR or DATABASE_URL/)
  ])
  expect(readdirSync(folder)).toEqual([])
})
