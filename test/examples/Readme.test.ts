/** The README's transcript is an example that runs: each block marked `run: NAME` is given to a shell, against a service just started. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { apiKey, Service, v1 } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"

const projectFolder = fileURLToPath(new URL("../../", import.meta.url))
const readme = readFileSync(join(projectFolder, "README.md"), "utf8")

const block = (name: string): string => {
  const found = new RegExp(`<!-- run: ${name} -->\\s*\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
  if (found === undefined) return assert.fail(`the README has no block marked "run: ${name}"`)
  return found
}

/** A block as a reader would run it, with the port and the data of this service and the node of this project first on the path. */
const shell = (name: string, service: Service) => {
  const text = block(name)
    .replaceAll("localhost:8080", `localhost:${service.port}`)
    .replaceAll("data/", `${service.dataDir}/`)
  const env = {
    PATH: `${join(projectFolder, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
    KEY: apiKey,
    CLIENT: v1.clientId,
    CODE: v1.code
  }
  return ["bash", ["-ec", text], { cwd: projectFolder, env }] as const
}

/** Starts a block that runs until it is ended, together with all that it started. */
const starting = (name: string, service: Service): AsyncDisposable & { readonly said: () => string } => {
  const [file, args, options] = shell(name, service)
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

const run = async (name: string, service: Service): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)(...shell(name, service))
  return stdout.split(/\n|(?<=\})(?=\{)/).filter((line) => line.trim() !== "")
}

const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const check = async (service: Service): Promise<void> => {
  const [chargerV2, sessions, cdrs, chargerV1] = (await run("read", service)).map((line) => parse(line))
  assert.deepInclude(chargerV2, {
    chargerId: "VL-0001",
    manufacturer: "Example",
    firmwareVersion: "1.0.0",
    serialNumber: "EX-1",
    amountOfSockets: 1,
    activeConnection: false
  })
  assert.deepInclude(chargerV2?.["chargerConfigurations"], {
    configName: "NumberOfConnectors",
    configValue: "1",
    canBeChanged: false
  })
  const [session, ...others] = (sessions?.["items"] ?? []) as ReadonlyArray<Record<string, unknown>>
  assert.deepStrictEqual(others, [])
  assert.deepInclude(session, {
    chargerId: "VL-0001",
    tokenUid: "CARD-1",
    status: "COMPLETED",
    energyWh: 8250,
    meterStopWh: 9250,
    heldReason: null,
    cost: { currency: "EUR", exclVat: 3.3, inclVat: 3.993 }
  })
  const [cdr, ...more] = (cdrs?.["items"] ?? []) as ReadonlyArray<Record<string, unknown>>
  assert.deepStrictEqual(more, [])
  assert.deepInclude(cdr, {
    number: 1,
    sessionId: session?.["id"],
    chargerId: "VL-0001",
    tokenUid: "CARD-1",
    currency: "EUR",
    totalCost: { exclVat: 3.3, inclVat: 3.993 },
    totalEnergyCost: { exclVat: 3.3, inclVat: 3.993 },
    totalEnergyKwh: 8.25,
    totalParkingTimeHours: 0,
    credit: false
  })
  assert.approximately(Number(cdr?.["totalTimeHours"]), 0.75, 0.01)
  assert.deepInclude(chargerV1, {
    chargerId: "VL-0001",
    chargerName: "Quay 1",
    manufacturer: "Example",
    amountOfSockets: 1
  })
  assert.strictEqual(chargerV1?.["lastMessage"], chargerV2?.["lastMessage"])
}

describe("the README", () => {
  it(
    "works as written: register, price, charge, bill, read, kill -9, restart, read again",
    { timeout: 180_000 },
    async () => {
      await using service = await Service.start({ env: { V1_ALLOW_HTTP: "true" } })
      const [site, charger, token] = (await run("register", service)).map((line) => parse(line))
      assert.strictEqual(site?.["name"], "Harbour")
      assert.strictEqual(charger?.["chargerId"], "VL-0001")
      assert.strictEqual(token?.["uid"], "CARD-1")
      await run("tariff", service)

      const said = await run("charge", service)
      assert.match(said[0] ?? "", /^BootNotification +\{"status":"Accepted"/)
      assert.match(said.join("\n"), /StartTransaction +\{"transactionId":\d+,"idTagInfo":\{"status":"Accepted"\}\}/)
      const [shown = [], bill = []] = [...readme.matchAll(/```text\n([\s\S]*?)```/g)].map(([, text = ""]) =>
        text.trimEnd().split("\n")
      )
      const shape = (line: string) => line.replace(/\d{4}-[\dT:.-]+Z/, "TIME").replace(/"transactionId":\d+/, "ID")
      assert.deepStrictEqual(said.map(shape), shown.map(shape), "the transcript in the README is out of date")

      await until(
        () => "the session is billed",
        30_000,
        async () => JSON.stringify(parse((await service.rest.request("GET", "cdrs")).text)["items"]) !== "[]"
      )
      assert.deepStrictEqual([...(await run("bill", service))], bill, "the bill in the README is out of date")

      // The charger has closed its connection, which the service notices a moment later.
      await until(
        () => "the charger is seen to be gone",
        90_000,
        async () => parse((await service.rest.request("GET", "chargers/VL-0001")).text)["activeConnection"] === false
      )
      await check(service)
      await run("kill", service)
      assert.strictEqual((await service.life.end()).signal, "SIGKILL")
      await service.restart()
      await check(service)
    }
  )

  it("has a charger that stays connected and starts a session on command", { timeout: 180_000 }, async () => {
    await using service = await Service.start()
    await run("register", service)
    await using charger = starting("stay", service)
    await until(charger.said, 90_000, () => charger.said().includes("It stays."))
    const [line = ""] = await run("command", service)
    const { id, result, status } = parse(line)
    assert.deepStrictEqual([status, result], ["Accepted", { status: "Accepted" }])
    await until(charger.said, 90_000, async () => {
      const { effect, sessionId } = parse((await service.rest.request("GET", `commands/${String(id)}`)).text)
      return effect === "SessionStarted" && typeof sessionId === "string"
    })
  })
})
