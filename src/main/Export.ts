/**
 * `voltlane export`: writes charge detail records from a running service to a file. It uses REST v2 with a key, so it
 * works from anywhere, also while the service holds an embedded database. The file gets its name only when it is
 * complete.
 */
import { createWriteStream } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Data, Effect, Schema } from "effect"
import { Progress, type ProgressOptions } from "./Progress.ts"

export class ExportFailed extends Data.TaggedError("ExportFailed")<{
  readonly message: string
  /** True if the request was wrong, false if its execution failed. */
  readonly wrongUse: boolean
}> {}

/** The arguments of the command line. */
export interface ExportAsked {
  /** `-` is the standard output. */
  readonly file: string
  readonly format: "csv" | "jsonl" | undefined
  readonly charger: string | undefined
  readonly site: string | undefined
  readonly token: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly issuedFrom: string | undefined
  readonly issuedTo: string | undefined
}

interface Asked {
  readonly file: string
  readonly format: "csv" | "jsonl"
  readonly query: URLSearchParams
}

const failed = (message: string) => new ExportFailed({ message, wrongUse: false })
const refuse = (message: string) => new ExportFailed({ message, wrongUse: true })

const asQuery = (asked: ExportAsked): Effect.Effect<Asked, ExportFailed> => {
  const { charger, file, from, issuedFrom, issuedTo, site, to, token } = asked
  const format = asked.format ?? (/\.(csv|jsonl)$/.exec(file)?.[1] as "csv" | "jsonl" | undefined)
  if (format === undefined) {
    return Effect.fail(
      refuse(
        `the format of ${file} is unknown: use a name that ends in .csv or .jsonl, or add --format csv or --format jsonl`
      )
    )
  }
  const query = new URLSearchParams()
  const filters = { chargerId: charger, siteId: site, tokenUid: token, from, to, issuedFrom, issuedTo }
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value)
  return Effect.succeed({ file, format, query })
}

interface Service {
  readonly url: string
  readonly key: string
}

const serviceOf = (env: Readonly<Record<string, string | undefined>>): Effect.Effect<Service, ExportFailed> => {
  const url = env["VOLTLANE_URL"] ?? "http://localhost:8080"
  const key = env["VOLTLANE_API_KEY"]
  if (!URL.canParse(url)) return Effect.fail(refuse("VOLTLANE_URL: expected a URL such as https://cpo.example"))
  if (key === undefined || key === "") return Effect.fail(refuse("VOLTLANE_API_KEY: not set"))
  return Effect.succeed({ url: url.replace(/\/$/, ""), key })
}

const decodeProblem = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ detail: Schema.String, errors: Schema.optionalKey(Schema.Array(Schema.Unknown)) })
  )
)
const decodeNewest = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ items: Schema.Array(Schema.Struct({ number: Schema.Int })) }))
)

/** The text of a refusal. Problem documents have `detail` and, for wrong fields, `errors`. */
const detailOf = (text: string): string => {
  const problem = decodeProblem(text)
  if (problem._tag === "None") return text.slice(0, 500)
  const { detail, errors = [] } = problem.value
  return [detail, ...errors.map((error) => JSON.stringify(error))].join(" ")
}

const ask = ({ key, url }: Service, path: string): Effect.Effect<Response, ExportFailed> =>
  Effect.gen(function* () {
    const answer = yield* Effect.tryPromise({
      try: (signal) => fetch(`${url}/cpo/v2/${path}`, { headers: { "x-api-key": key }, signal }),
      catch: () => failed(`no service answers at ${url}: start it, or set VOLTLANE_URL`)
    })
    if (answer.ok) return answer
    const text = yield* Effect.promise(() => answer.text().catch(() => ""))
    const why = answer.status === 401 ? "the service does not know the key in VOLTLANE_API_KEY" : detailOf(text)
    return yield* failed(`${url} refuses (${answer.status}): ${why}`)
  })

/**
 * The number of records. CDR numbers have no gaps, so without a filter the newest number is the count; with a filter it
 * is unknown.
 */
const totalOf = (service: Service, { query }: Asked): Effect.Effect<number | undefined, ExportFailed> =>
  query.size > 0
    ? Effect.undefined
    : Effect.gen(function* () {
        const answer = yield* ask(service, "cdrs?limit=1")
        const text = yield* Effect.promise(() => answer.text())
        const { items } = yield* Effect.mapError(decodeNewest(text), () =>
          failed(`${service.url} is not a Voltlane service: set VOLTLANE_URL`)
        )
        return items[0]?.number ?? 0
      })

const quote = 0x22
const lineFeed = 0x0a

/** Counts records as they pass: line ends outside quotes, without `head` lines at the start. */
const counting = (head: number, onCount: (records: number) => void): { transform: Transform; count: () => number } => {
  let lines = -head
  let isQuoted = false
  const transform = new Transform({
    transform: (chunk: Uint8Array, _encoding, done) => {
      for (const byte of chunk) {
        // Only CSV needs this: JSON lines contain no bare line feed.
        if (byte === quote && head === 1) isQuoted = !isQuoted
        else if (byte === lineFeed && !isQuoted) lines++
      }
      onCount(Math.max(0, lines))
      done(null, chunk)
    }
  })
  return { transform, count: () => Math.max(0, lines) }
}

const toFile = (asked: Asked, answer: Response, progress: Progress) =>
  Effect.gen(function* () {
    const { file, format } = asked
    const partial = `${file}.part`
    const { count, transform } = counting(format === "csv" ? 1 : 0, (records) => progress.at(records))
    const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    const write = (signal: AbortSignal): Promise<void> =>
      file === "-"
        ? pipeline(body, transform, process.stdout, { end: false, signal })
        : pipeline(body, transform, createWriteStream(partial, { flags: "w", mode: 0o600 }), { signal })
    yield* Effect.tryPromise({
      try: write,
      catch: (error) =>
        failed(
          `failed after ${count()} records (${error instanceof Error ? error.message : String(error)}): run it again`
        )
    }).pipe(Effect.onError(() => Effect.promise(() => rm(partial, { force: true }))))
    if (file !== "-") yield* Effect.promise(() => rename(partial, file))
    progress.end(count(), file === "-" ? "the standard output" : file)
  })

/** Runs the export that the arguments ask for. */
export const exportRecords = (
  wanted: ExportAsked,
  env: Readonly<Record<string, string | undefined>>,
  given: ProgressOptions
): Effect.Effect<void, ExportFailed> =>
  Effect.gen(function* () {
    const asked = yield* asQuery(wanted)
    const service = yield* serviceOf(env)
    const progress = new Progress(given, yield* totalOf(service, asked))
    const answer = yield* ask(service, `exports/cdrs.${asked.format}?${asked.query.toString()}`)
    yield* toFile(asked, answer, progress)
  })
