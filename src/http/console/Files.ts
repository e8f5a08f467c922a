/**
 * Serves the console's built files. They are read once at startup and sent as compressed at build time. Every page of the console gets the
 * same HTML document, since the console does its own routing.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../RawUrl.ts"
import { etagOf, type Ready, ReadyAnswers, respond } from "../Ready.ts"

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml"
}

/**
 * The Content-Security-Policy: the console runs and requests only what its own origin serves, and no page may frame it. If street tiles are
 * configured, images may also come from their host.
 */
export const policy = (mapTiles?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${mapTiles === undefined ? "" : ` ${new URL(mapTiles).origin}`}`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const headersUnder = (mapTiles: string | undefined) => ({
  "content-security-policy": policy(mapTiles),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  vary: "accept-encoding"
})

type Always = ReturnType<typeof headersUnder>

/** Files with a hash in their name never change. */
const forGood = "public, max-age=31536000, immutable"

/** The files below `folder` by their paths; empty if the console was not built. */
const readFiles = (folder: string, always: Always): ReadonlyMap<string, Ready> => {
  if (!existsSync(join(folder, "index.html"))) return new Map()
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
  const known = new Set(names)
  const form = (name: string) => (known.has(name) ? readFileSync(join(folder, name)) : undefined)
  return new Map(
    names
      .filter((name) => !/\.(?:br|gz)$/.test(name))
      .map((name) => {
        const plain = readFileSync(join(folder, name))
        const type = types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"
        const cache = name.startsWith("a/") ? forGood : "no-cache"
        const file: Ready = {
          headers: { ...always, "content-type": type, "cache-control": cache },
          etag: etagOf(plain),
          plain,
          br: form(`${name}.br`),
          gzip: form(`${name}.gz`)
        }
        return [`/${name}`, file] as const
      })
  )
}

const notBuilt = `The console is not built. Run "npm run console" in Voltlane's directory, then restart the service.
The API is described at /cpo/docs.
`

/** First path segments of the console's addresses. Any other address belongs to the API or does not exist. */
export const sections: ReadonlyArray<string> = [
  "sign-in",
  "set-up",
  "invitation",
  "reset",
  "work",
  "sites",
  "chargers",
  "sessions",
  "reservations",
  "files-and-firmware",
  "tariffs",
  "cdrs",
  "cards",
  "card-attempts",
  "roaming",
  "events",
  "audit-log",
  "settings"
]

/** The paths of the files that are served under their own names. */
const servedPath = /^\/(?:a\/.+|theme\.js|mark\.svg)$/

/** True for the path of a page or a file of the console. */
export const isConsole = (path: string): boolean =>
  path === "/" || servedPath.test(path) || sections.includes(path.split("/", 2)[1] ?? "")

/** The routes of the console in `folder`; `mapTiles` as in `MAP_TILES`. */
export const routes = (folder: string, mapTiles?: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const always = headersUnder(mapTiles)
      const files = readFiles(folder, always)
      const offer = yield* ReadyAnswers
      const document = files.get("/index.html")
      const page =
        document === undefined
          ? Effect.succeed(HttpServerResponse.text(notBuilt, { headers: { ...always, "cache-control": "no-store" } }))
          : respond(document)
      const addresses = ["", ...sections].map((section) => `/${section}`)
      if (document !== undefined) for (const address of addresses) offer(address, document)
      for (const [path, file] of files) if (servedPath.test(path)) offer(path, file)
      yield* router.add("GET", "/", page)
      // `/work/*` also matches `/work`.
      for (const section of sections) yield* router.add("GET", `/${section}/*`, page)
      const asset = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const file = files.get(pathOf(url))
        return file === undefined
          ? Effect.succeed(HttpServerResponse.text("This file does not exist.", { status: 404, headers: always }))
          : respond(file)
      })
      yield* router.add("GET", "/a/*", asset)
      for (const path of ["/theme.js", "/mark.svg"] as const) yield* router.add("GET", path, asset)
    })
  )
