/**
 * The API documentation page: a few files that the service itself serves, under a policy that lets the browser load nothing else. Their
 * addresses contain a hash of their contents, so that browsers may cache them forever.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

export interface Asset {
  /** Relative to the page's own path. */
  readonly path: string
  readonly contentType: string
  readonly text: string
}

export interface Page {
  readonly html: string
  readonly assets: ReadonlyArray<Asset>
}

/**
 * The Content-Security-Policy: scripts and styles come only from this service, text is never parsed as markup, and requests go nowhere
 * else.
 */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const names = ["page.css", "page.js", "operation.js", "parts.js", "schema.js"]

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")

/** Reads the page from the files in this folder. */
export const readPage = (): Page => {
  const files = names.map((name) => ({ name, text: read(name) }))
  const hash = createHash("sha256")
  for (const { text } of files) hash.update(text)
  const version = hash.digest("hex").slice(0, 12)
  return {
    html: read("page.html").replaceAll("{version}", version),
    assets: files.map(({ name, text }) => ({
      path: `${version}/${name}`,
      contentType: name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
      text
    }))
  }
}
