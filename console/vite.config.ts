/**
 * Builds the console: files with hashed names, each with a brotli and a gzip version. One plugin generates the table of REST v2's operations from its
 * own definition, so that the browser gets names, methods, paths and permissions, but no code of the service. Another one makes the English texts
 * smaller.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { defineConfig, type Plugin } from "vite"
import { en } from "./src/text/en.ts"
import { eventTypes } from "../src/domain/event/Event.ts"
import { Api } from "../src/http/v2/Api.ts"
import { RequiredPermissions } from "../src/http/v2/requests/Middleware.ts"

/** `virtual:operations`: `group.operation` → method, path and permissions; and the types of events. */
const operations = (): Plugin => {
  const id = "virtual:operations"
  const table: Record<string, readonly [method: string, path: string, permissions: ReadonlyArray<string>]> = {}
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const permissions = Context.getUnsafe(endpoint.annotations, RequiredPermissions)
      table[`${group.identifier}.${endpoint.identifier}`] = [endpoint.method, endpoint.path, permissions]
    }
  })
  return {
    name: "operations",
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) =>
      source === `\0${id}`
        ? `export const operations = ${JSON.stringify(table)}\nexport const eventTypes = ${JSON.stringify(eventTypes)}`
        : undefined
  }
}

/** The catalogue as lines: each group of keys once, and below it its texts. */
const linesOf = (catalogue: Readonly<Record<string, string>>): string => {
  const groups = Map.groupBy(Object.entries(catalogue), ([key]) => key.slice(0, key.indexOf(".")))
  const blocks = [...groups].map(([group, entries]) =>
    [group, ...entries.map(([key, text]) => `${key.slice(group.length + 1)} ${text}`)].join("\n")
  )
  return blocks.join("\n\n")
}

/** The English texts are loaded with the first page. As lines they are 1.6 kB smaller than as an object, half of which is the names of keys. */
const texts = (): Plugin => ({
  name: "texts",
  apply: "build",
  transform: (_, id) =>
    id.endsWith("/console/src/text/en.ts")
      ? `export const en = {}
         for (const block of ${JSON.stringify(linesOf(en))}.split("\\n\\n")) {
           const [group, ...lines] = block.split("\\n")
           for (const line of lines) {
             const end = line.indexOf(" ")
             en[group + "." + line.slice(0, end)] = line.slice(end + 1)
           }
         }`
      : undefined
})

/** Smaller files are not worth compressing. */
const leastBytes = 512

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/** Compresses once, at build time, on all processors. Runs after all files are written, since other plugins change chunks until then. */
const compressed = (): Plugin => ({
  name: "compressed",
  apply: "build",
  writeBundle: async ({ dir = "" }, bundle) => {
    await Promise.all(
      Object.keys(bundle).map(async (name) => {
        const path = join(dir, name)
        const source = await readFile(path)
        if (source.length < leastBytes) return
        await writeFile(`${path}.br`, await brotli(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
        await writeFile(`${path}.gz`, await gzipped(source, { level: 9 }))
      })
    )
  }
})

export default defineConfig({
  root: import.meta.dirname,
  plugins: [operations(), texts(), compressed()],
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The service's content security policy blocks `data:` scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Compressing takes most of the build time, which needs no warning each time.
      checks: { pluginTimings: false },
      // Libraries mark files for server-side rendering, which the console does not use.
      onLog: (level, log, forward) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") forward(level, log)
      },
      output: {
        // The libraries that every page needs are one file: it compresses better than a dozen small ones, and is requested once.
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[^/]+)\//
            }
          ]
        },
        assetFileNames: "a/[name]-[hash][extname]",
        chunkFileNames: "a/[name]-[hash].js",
        entryFileNames: "a/[name]-[hash].js"
      }
    }
  }
})
