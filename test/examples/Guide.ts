/** A page of the documentation whose blocks marked `run: NAME` are given to a shell, as its readers would. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { apiKey, type Service } from "../simulation/Process.ts"

const projectFolder = fileURLToPath(new URL("../../", import.meta.url))

/** A part of the story that takes longer than this hangs, in ms. */
const blockMillis = 90_000

export class Guide {
  readonly file: string

  constructor(page: string) {
    this.file = join(projectFolder, page)
  }

  private block(name: string): string {
    const text = readFileSync(this.file, "utf8")
    const found = new RegExp(`<!-- run: ${name} -->\\s*\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1]
    if (found === undefined) throw new Error(`${this.file} has no block marked "run: ${name}"`)
    return found
  }

  /** With the port of this service, and the node of this project first on the path. */
  private shell(name: string, service: Service, change: (text: string) => string = (text) => text) {
    const text = change(this.block(name)).replaceAll("localhost:8080", `localhost:${service.port}`)
    const path = `${join(projectFolder, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`
    return ["bash", ["-ec", text], { cwd: projectFolder, env: { PATH: path, KEY: apiKey } }] as const
  }

  /** Runs a block to its end; returns its output by lines. */
  async run(name: string, service: Service, change?: (text: string) => string): Promise<ReadonlyArray<string>> {
    const [file, args, options] = this.shell(name, service, change)
    const { stdout } = await promisify(execFile)(file, args, { ...options, timeout: blockMillis })
    return stdout.split("\n").filter((line) => line.trim() !== "")
  }

  /** Starts a block that runs until it is ended, together with all that it started. */
  starting(name: string, service: Service): AsyncDisposable & { readonly said: () => string } {
    const [file, args, options] = this.shell(name, service)
    const child: ChildProcess = spawn(file, args, { ...options, detached: true, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (said += text))
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
    return {
      said: () => said,
      async [Symbol.asyncDispose]() {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
        await ended
      }
    }
  }
}
