/**
 * Who may import whom, as data. The tree is the architecture: this table shows what depends on what, and a change of it is a decision
 * (`docs/decisions/0001-domain-at-the-centre.md`), made only here.
 */

/** One row: a part of the tree, the parts it may import, and the packages it may import. */
export interface Area {
  /** The longest prefix that fits a path decides its row. */
  readonly prefix: string
  readonly may: ReadonlyArray<string>
  /** A package with its sub-paths, or `node:x` for a module of the runtime. `"*"` is everything. */
  readonly packages: ReadonlyArray<string>
  /** What belongs here; shown when the rule is broken. */
  readonly about: string
}

const core = ["effect"]
const http = ["effect/http", "effect/http-api"]
/** Prometheus' text format of the metrics. */
const observability = "effect/observability"

export const areas: ReadonlyArray<Area> = [
  {
    prefix: "src/domain/",
    may: ["src/domain/"],
    packages: core,
    about: "The domain is pure: values, state machines, ports. It knows Effect's core and nothing else."
  },
  {
    prefix: "src/storage/",
    may: ["src/domain/", "src/storage/"],
    packages: [
      ...core,
      "effect/sql",
      "@effect/sql-pg",
      "@electric-sql/pglite",
      "node:worker_threads",
      "node:stream",
      "node:fs",
      "node:module",
      "node:path",
      "node:os",
      "node:url",
      "node:crypto",
      "node:zlib"
    ],
    about: "Storage alone knows SQL and the files of the embedded database."
  },
  {
    prefix: "src/storage/blobs/",
    may: ["src/domain/", "src/storage/blobs/"],
    packages: [...core, "node:fs", "node:path", "node:crypto", "node:stream", "node:http", "node:https"],
    about: "Contents of files: a folder, or a bucket over HTTP. It knows no SQL."
  },
  {
    prefix: "src/actors/",
    may: ["src/domain/", "src/actors/"],
    packages: core,
    about: "Actors run decisions of the domain over its ports; they see neither SQL nor sockets."
  },
  {
    prefix: "src/ocpp/",
    may: ["src/domain/", "src/ocpp/"],
    packages: [...core, "node:crypto"],
    about: "OCPP translates frames to the domain's events and commands; only src/ocpp/server sees sockets."
  },
  {
    prefix: "src/ocpp/server/",
    may: ["src/domain/", "src/ocpp/"],
    packages: [...core, ...http, "ws", "node:http", "node:https", "node:tls", "node:net", "node:stream", "node:crypto"],
    about: "The charger's sockets: upgrade, authentication, liveness."
  },
  {
    prefix: "src/ocpi/",
    may: ["src/domain/", "src/ocpi/", "src/outbound/"],
    packages: [...core, ...http, "node:crypto"],
    about: "OCPI translates partners' objects to the domain's; only src/ocpi/client makes calls."
  },
  {
    prefix: "src/ocpi/client/",
    may: ["src/domain/", "src/ocpi/", "src/outbound/"],
    packages: [...core, ...http, "node:crypto"],
    about: "The one place that calls partners, through src/outbound."
  },
  {
    prefix: "src/outbound/",
    may: ["src/domain/", "src/outbound/"],
    packages: [...core, "openid-client", "undici", "node:crypto", "node:dns", "node:net", "node:zlib"],
    about:
      "The one place that calls addresses which others gave us, so that they are looked at in one place; webhooks go out here."
  },
  {
    prefix: "src/http/",
    may: ["src/domain/", "src/http/"],
    packages: [...core, ...http, observability, "node:crypto"],
    about: "REST and operations are faces of the domain; they reach the rest through its ports."
  },
  {
    prefix: "src/http/docs/",
    may: ["src/http/docs/"],
    packages: ["node:fs", "node:crypto"],
    about: "The page for people: files that a browser runs, and nothing of the API that it shows."
  },
  {
    prefix: "src/http/console/",
    may: ["src/http/"],
    packages: ["effect", "effect/http", "node:fs", "node:path", "node:crypto"],
    about: "The console's built files, as they are sent. What the console is made of is in console/."
  },
  {
    prefix: "src/http/v1/",
    may: ["src/domain/", "src/http/"],
    packages: [...core, ...http, "node:crypto"],
    about: "REST v1 never changes for v2's sake."
  },
  {
    prefix: "src/http/v2/",
    may: ["src/domain/", "src/http/"],
    packages: [...core, ...http, "node:crypto", "@simplewebauthn/server"],
    about: "REST v2 never changes for v1's sake."
  },
  {
    prefix: "src/Config.ts",
    may: ["src/config/"],
    packages: ["*"],
    about: "Settings are decoded here; everybody but main takes them as arguments."
  },
  {
    prefix: "src/config/",
    may: ["src/config/", "src/domain/values/"],
    packages: ["*"],
    about: "The parts of Config.ts; of the domain they use pure values alone."
  },
  { prefix: "src/main/", may: ["src/"], packages: ["*"], about: "Composition: joins the parts, decides nothing." },
  { prefix: "src/main.ts", may: ["src/"], packages: ["*"], about: "Composition: joins the parts, decides nothing." }
]

/** Lists of string values that may be written in more than one file, each in alphabetical order. */
export const listsKept: ReadonlyMap<string, string> = new Map([
  ["DELETE GET OPTIONS PATCH POST PUT", "HTTP's own, asked for by two faces that do not know each other"],
  ["SiteChanged SiteCreated SiteRemoved", "the facts of an event, which types check against the facts that there are"],
  ["PartnerChanged PartnerCreated PartnerInvited PartnerRegistered PartnerRemoved PartnerUnregistered", "as with sites"]
])

/** Imports that are forbidden although the areas allow them: a version never imports another one, and only `main` imports `main`. */
export const strangers: ReadonlyArray<{ readonly from: RegExp; readonly to: RegExp; readonly fix: string }> = [
  {
    from: /^src\/(?!main\.ts$|main\/|Config\.ts$|config\/)/,
    to: /^src\/(?:main\.ts|main\/|Config\.ts|config\/)/,
    fix: "take what is needed as an argument or a service; only src/main.ts and src/main/ read settings and wire"
  },
  {
    from: /^src\/ocpp\/(?!server\/)/,
    to: /^src\/ocpp\/server\//,
    fix: "frames and versions know no sockets; move what is shared to src/ocpp/rpc"
  },
  {
    from: /^src\/ocpp\/rpc\//,
    to: /^src\/ocpp\/v\d+\//,
    fix: "the frame layer knows no version; pass the version's table to it as a value"
  },
  {
    from: /^src\/ocpp\/v16\//,
    to: /^src\/ocpp\/v2/,
    fix: "an older version never changes for a newer one; move what is shared to src/ocpp or the domain"
  },
  {
    from: /^src\/ocpp\/v2\d*\//,
    to: /^src\/ocpp\/v16\//,
    fix: "2.x is a translation of its own; move what is shared to src/ocpp or the domain"
  },
  { from: /^src\/http\/v1\//, to: /^src\/http\/v2\//, fix: "move what both generations share to src/http" },
  { from: /^src\/http\/v2\//, to: /^src\/http\/v1\//, fix: "move what both generations share to src/http" }
]

/** Where `JSON.parse` may be used, with the reason; everywhere else a boundary is decoded with `Schema.fromJsonString`. */
export const jsonParseAllowed: Readonly<Record<string, string>> = {
  "src/ocpp/rpc/Frame.ts": "a frame is parsed once, before its payload's schema is known"
}

/** Files that no file imports and that are used nevertheless, with how. */
export const entries: Readonly<Record<string, string>> = {
  "src/main.ts": "the program"
}
