/**
 * Serves the console's built files. They are read once at startup and sent as compressed at build time. Every page of the console gets the
 * same HTML document, since the console does its own routing.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../RawUrl.ts"

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

interface File {
  readonly type: string
  readonly etag: string
  readonly cache: string
  readonly plain: Uint8Array
  readonly br: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
}

/** The files below `folder` by their paths; empty if the console was not built. */
const readFiles = (folder: string): ReadonlyMap<string, File> => {
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
        const file: File = {
          type: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
          etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
          cache: name.startsWith("a/") ? forGood : "no-cache",
          plain,
          br: form(`${name}.br`),
          gzip: form(`${name}.gz`)
        }
        return [`/${name}`, file] as const
      })
  )
}

const send = ({ br, cache, etag, gzip, plain, type }: File, always: Always) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const about = { ...always, etag, "cache-control": cache }
    if (headers["if-none-match"] === etag) return HttpServerResponse.empty({ status: 304, headers: about })
    const accepted = headers["accept-encoding"] ?? ""
    const encoded = (name: string, content: Uint8Array) =>
      HttpServerResponse.uint8Array(content, { contentType: type, headers: { ...about, "content-encoding": name } })
    if (br !== undefined && /\bbr\b/.test(accepted)) return encoded("br", br)
    if (gzip !== undefined && /\bgzip\b/.test(accepted)) return encoded("gzip", gzip)
    return HttpServerResponse.uint8Array(plain, { contentType: type, headers: about })
  })

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

/** The routes of the console in `folder`; `mapTiles` as in `MAP_TILES`. */
export const routes = (folder: string, mapTiles?: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const always = headersUnder(mapTiles)
      const files = readFiles(folder)
      const document = files.get("/index.html")
      const page =
        document === undefined
          ? Effect.succeed(HttpServerResponse.text(notBuilt, { headers: { ...always, "cache-control": "no-store" } }))
          : send(document, always)
      yield* router.add("GET", "/", page)
      // `/work/*` also matches `/work`.
      for (const section of sections) yield* router.add("GET", `/${section}/*`, page)
      const asset = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const file = files.get(pathOf(url))
        return file === undefined
          ? Effect.succeed(HttpServerResponse.text("This file does not exist.", { status: 404, headers: always }))
          : send(file, always)
      })
      yield* router.add("GET", "/a/*", asset)
      for (const path of ["/theme.js", "/mark.svg"] as const) yield* router.add("GET", path, asset)
    })
  )
