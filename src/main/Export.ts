/**
 * `voltlane export`: charge detail records from a running service into a file, over REST v2 with a key, so that it works from anywhere and beside an
 * embedded database. The file appears under its name only when it is whole.
 */
import { createWriteStream } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { parseArgs } from "node:util"
import { Data, Effect, Schema } from "effect"
import { Progress, type ProgressOptions } from "./Progress.ts"

export class ExportFailed extends Data.TaggedError("ExportFailed")<{ readonly message: string }> {}

export const usage = `usage: voltlane export FILE [--charger ID] [--site ID] [--from TIME] [--to TIME]
  FILE ends in .csv or .jsonl; - with --format csv or jsonl is the standard output
  VOLTLANE_URL      where the service is, http://localhost:8080 if not set
  VOLTLANE_API_KEY  a v2 key with cdrs:read`

interface Asked {
  readonly file: string
  readonly format: "csv" | "jsonl"
  readonly query: URLSearchParams
}

const refuse = (message: string) => new ExportFailed({ message: `${message}\n${usage}` })

const options = {
  charger: { type: "string" },
  site: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  format: { type: "string" }
} as const

/** What the arguments ask for. */
export const parsed = (args: ReadonlyArray<string>): Effect.Effect<Asked, ExportFailed> =>
  Effect.gen(function* () {
    const { positionals, values } = yield* Effect.try({
      try: () => parseArgs({ args: [...args], options, allowPositionals: true }),
      catch: (error) => refuse(error instanceof Error ? error.message : String(error))
    })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) return yield* refuse("expected the path of one file")
    const format = values.format ?? /\.(csv|jsonl)$/.exec(file)?.[1]
    if (format !== "csv" && format !== "jsonl") {
      return yield* refuse(`cannot tell the format of ${file}: end it in .csv or .jsonl, or say --format csv or jsonl`)
    }
    const query = new URLSearchParams()
    const add = (name: string, value: string | undefined): void => {
      if (value !== undefined) query.set(name, value)
    }
    add("chargerId", values.charger)
    add("siteId", values.site)
    add("from", values.from)
    add("to", values.to)
    return { file, format, query }
  })

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

/** What the service says of a refusal: problem documents carry `detail` and, for each field, `errors`. */
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
      catch: () => new ExportFailed({ message: `no service answers at ${url}: start it, or set VOLTLANE_URL` })
    })
    if (answer.ok) return answer
    const text = yield* Effect.promise(() => answer.text().catch(() => ""))
    const why = answer.status === 401 ? "it does not know the key in VOLTLANE_API_KEY" : detailOf(text)
    return yield* new ExportFailed({ message: `${url} refuses (${answer.status}): ${why}` })
  })

/** Numbers have no gaps: without a filter the newest one says how many there are. */
const totalOf = (service: Service, { query }: Asked): Effect.Effect<number | undefined, ExportFailed> =>
  query.size > 0
    ? Effect.undefined
    : Effect.gen(function* () {
        const answer = yield* ask(service, "cdrs?limit=1")
        const text = yield* Effect.promise(() => answer.text())
        const { items } = yield* Effect.mapError(
          decodeNewest(text),
          () => new ExportFailed({ message: `${service.url} is no Voltlane: set VOLTLANE_URL` })
        )
        return items[0]?.number ?? 0
      })

const quote = 0x22
const lineFeed = 0x0a

/** Counts records as they pass: ends of lines outside quotes. */
const counting = (head: number, onCount: (records: number) => void): { transform: Transform; count: () => number } => {
  let lines = -head
  let isQuoted = false
  const transform = new Transform({
    transform: (chunk: Uint8Array, _encoding, done) => {
      for (const byte of chunk) {
        // JSON lines have their quotes in pairs too, and no bare line feed in them.
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
        new ExportFailed({
          message: `broke off after ${count()} records (${error instanceof Error ? error.message : String(error)}): run it again`
        })
    }).pipe(Effect.onError(() => Effect.promise(() => rm(partial, { force: true }))))
    if (file !== "-") yield* Effect.promise(() => rename(partial, file))
    progress.end(count(), file === "-" ? "the standard output" : file)
  })

/** Runs the export that the arguments ask for. */
export const exportRecords = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
  told: ProgressOptions
): Effect.Effect<void, ExportFailed> =>
  Effect.gen(function* () {
    const asked = yield* parsed(args)
    const service = yield* serviceOf(env)
    const progress = new Progress(told, yield* totalOf(service, asked))
    const answer = yield* ask(service, `exports/cdrs.${asked.format}?${asked.query.toString()}`)
    yield* toFile(asked, answer, progress)
  })
