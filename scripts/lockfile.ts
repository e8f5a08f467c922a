/**
 * What npm leaves out of a lockfile. Tools ship one package per platform as optional dependencies; npm drops those that the
 * registry did not offer when the lockfile was written, and `npm ci` then refuses that very lockfile ("Missing: … from lock
 * file"). The remedy is an entry with version and platform: on every other platform npm reads it and fetches nothing.
 */
import { Schema } from "effect"

const Versions = Schema.Record(Schema.String, Schema.String)

const Package = Schema.Struct({
  dev: Schema.optionalKey(Schema.Boolean),
  optionalDependencies: Schema.optionalKey(Versions)
})

/** The whole file as it stands; each package is looked into and written back untouched. */
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

/** The platform that a package is for, by the parts of its name, as `@oxlint/binding-linux-x64-musl` has them. */
export const platformOf = (name: string): { readonly os: string; readonly cpu: string } | undefined => {
  const parts = name.slice(name.lastIndexOf("/") + 1).split("-")
  const os = systems.find((system) => parts.includes(system))
  const cpu = processors.find((processor) => parts.includes(processor))
  return os === undefined || cpu === undefined ? undefined : { os, cpu }
}

/** Optional dependencies that some package names and the lockfile does not have. */
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
 * The lockfile with an entry for each of them. They carry no integrity hash, since nobody could read the package; whoever writes the
 * lockfile where the registry has them gets one. Throws for a name that does not say its platform.
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
