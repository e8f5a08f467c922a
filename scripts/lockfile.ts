/**
 * What npm leaves out of a lockfile. Tools ship one package per platform as optional dependencies. npm drops those that
 * the registry did not offer when the lockfile was written, and `npm ci` then refuses the lockfile ("Missing: … from
 * lock file"). The remedy is an entry with version and platform: on every other platform npm reads it and downloads
 * nothing.
 */
import { Schema } from "effect"

const Versions = Schema.Record(Schema.String, Schema.String)

const Package = Schema.Struct({
  dev: Schema.optionalKey(Schema.Boolean),
  optionalDependencies: Schema.optionalKey(Versions)
})

/** The whole file; packages are only decoded where needed, and written back unchanged. */
const Lockfile = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ packages: Schema.Record(Schema.String, Schema.Unknown) }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

export interface Missing {
  readonly name: string
  readonly version: string
  readonly dev: boolean
}

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"]
const processors = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "x64"]

/** The platform of a package, from the parts of its name, for example `@oxlint/binding-linux-x64-musl`. */
export const platformOf = (name: string): { readonly os: string; readonly cpu: string } | undefined => {
  const parts = name.slice(name.lastIndexOf("/") + 1).split("-")
  const os = systems.find((system) => parts.includes(system))
  const cpu = processors.find((processor) => parts.includes(processor))
  return os === undefined || cpu === undefined ? undefined : { os, cpu }
}

/** Optional dependencies that a package names and the lockfile does not contain. */
export const missingFrom = (text: string): ReadonlyArray<Missing> => {
  const { packages } = Schema.decodeSync(Lockfile)(text)
  return Object.entries(packages).flatMap(([path, entry]) => {
    const { dev = false, optionalDependencies = {} } = Schema.decodeUnknownSync(Package)(entry)
    return Object.entries(optionalDependencies)
      .filter(([name]) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages))
      .map(([name, version]) => ({ name, version, dev }))
  })
}

/**
 * The lockfile with an entry for each missing package. The entries have no integrity hash, since the package was not available; npm adds it if the
 * lockfile is written where the registry offers it. Throws if the name of a package does not contain its platform.
 */
export const complete = (text: string): string => {
  const lock = Schema.decodeSync(Lockfile)(text)
  const added = missingFrom(text).map(({ dev, name, version }) => {
    const platform = platformOf(name)
    if (platform === undefined)
      throw new Error(`${name} does not say its platform: install it where the registry offers it`)
    const entry = { version, cpu: [platform.cpu], ...(dev ? { dev } : {}), optional: true, os: [platform.os] }
    return [`node_modules/${name}`, entry] as const
  })
  // npm's own order, so that the next `npm install` changes nothing else.
  const all = [...Object.entries(lock.packages), ...added].toSorted(([a], [b]) => a.localeCompare(b, "en"))
  const { name, version, lockfileVersion, requires } = lock
  return `${JSON.stringify({ name, version, lockfileVersion, requires, ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`
}
