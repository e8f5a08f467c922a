/** Builds the console if its build tools are installed. Without development packages (`npm ci --omit=dev`) there is nothing to do. */
import { existsSync } from "node:fs"

if (existsSync("node_modules/vite") && existsSync("console/vite.config.ts")) {
  // Always a production build: the environment of a test would make it build for development.
  process.env["NODE_ENV"] = "production"
  const { build } = await import("vite")
  const began = performance.now()
  await build({ configFile: "console/vite.config.ts", logLevel: "warn" })
  process.stdout.write(`console built in ${Math.round(performance.now() - began)} ms\n`)
}
