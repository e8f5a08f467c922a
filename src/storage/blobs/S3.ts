/**
 * Stores contents as objects of one bucket, in any store that supports S3's PUT, GET and DELETE with version 4 signatures. A content is
 * stored with one request of known length and hash, which the store checks. So it is stored completely or not at all.
 */
import { createReadStream } from "node:fs"
import * as Http from "node:http"
import * as Https from "node:https"
import { pipeline } from "node:stream"
import { Clock, Effect, Layer, Redacted, Schedule, Stream } from "effect"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { type ByteRange, stalledMillis } from "../../domain/file/StoredFile.ts"
import { Blobs, blobsFailed, type Spooled } from "./Blobs.ts"
import { emptyHash, signed } from "./SigV4.ts"

export interface S3Options {
  /** The store's address, without the bucket. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** True: `endpoint/bucket/key`. False: `bucket.endpoint/key`. */
  readonly pathStyle: boolean
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
}

interface Asked {
  readonly method: "PUT" | "GET" | "DELETE"
  readonly key: string
  readonly body?: Spooled
  readonly range?: ByteRange | undefined
}

/** How much of an error response is read: enough for its code. */
const errorMaxBytes = 4_096

/** How often a request is retried: stores ask clients to retry (503 SlowDown), and connections break. */
const retries = 2

/** Statuses to retry, of a store that fails temporarily; a refusal is final. */
const passing: ReadonlySet<number> = new Set([0, 408, 429, 500, 502, 503, 504])

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The URL of a content. */
export const addressOf = ({ bucket, endpoint, pathStyle }: S3Options, key: string): URL => {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/+$/, "")
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  // A folder of its own, so that rules of the bucket (lifecycle, rights) can apply to these objects only. Keys are ids and need no
  // encoding.
  url.pathname = `${base}${pathStyle ? `/${bucket}` : ""}/files/${key}`
  return url
}

/** Sends a request; returns as soon as the headers have arrived. Interrupting the caller aborts the request. */
const ask = (options: S3Options, asked: Asked, now: number): Effect.Effect<Http.IncomingMessage, Refused> =>
  Effect.callback<Http.IncomingMessage, Refused>((resume) => {
    const { body, key, method, range } = asked
    const url = addressOf(options, key)
    const secretAccessKey = Redacted.value(options.secretAccessKey)
    const bodyHash = body?.sha256 ?? emptyHash
    const headers = {
      ...signed(
        { method, host: url.host, path: url.pathname, bodyHash, now },
        { accessKeyId: options.accessKeyId, region: options.region, secretAccessKey }
      ),
      ...(body === undefined ? {} : { "content-length": body.size, "content-type": "application/octet-stream" }),
      ...(range === undefined ? {} : { range: `bytes=${range.from}-${range.to}` })
    }
    const client = url.protocol === "https:" ? Https : Http
    const request = client.request(url, { method, headers }, (response) => resume(Effect.succeed(response)))
    const failed = (error: Error): void => resume(Effect.fail(new Refused(0, error.message)))
    request.on("error", failed)
    request.setTimeout(stalledMillis, () => request.destroy(new Error("the store did not respond for too long")))
    if (body === undefined || body.size === 0) request.end()
    else
      pipeline(createReadStream(body.path), request, (error) => (error === null ? undefined : error && failed(error)))
    return Effect.sync(() => request.destroy())
  })

/** The store's own code, e.g. `AccessDenied`. */
const codeOf = async (response: Http.IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of response) {
    text += String(chunk)
    if (text.length > errorMaxBytes) break
  }
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? ""
}

/** Sends a request and returns a response with one of the expected statuses. Any other status is a failure with the store's code. */
const granted = (options: S3Options, asked: Asked, statuses: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const response = yield* ask(options, asked, yield* Clock.currentTimeMillis)
    const status = response.statusCode ?? 0
    if (statuses.includes(status)) return response
    const code = yield* Effect.promise(() => codeOf(response).catch(() => ""))
    return yield* Effect.fail(new Refused(status, `it answered ${status} ${code}`.trim()))
  }).pipe(
    Effect.retry({
      while: ({ status }) => passing.has(status),
      times: retries,
      schedule: Schedule.jittered(Schedule.exponential("500 millis"))
    }),
    Effect.mapError(
      ({ message }) =>
        new StorageUnavailable({ reason: "down", message: `the bucket for files cannot be used: ${message}` })
    )
  )

/** Discards the response body, which would otherwise keep the connection occupied. */
const settled = (answer: Effect.Effect<Http.IncomingMessage, StorageUnavailable>) =>
  Effect.map(answer, (response) => void response.resume())

const blobs = (options: S3Options): Blobs["Service"] =>
  Blobs.of({
    put: (key, from) => settled(granted(options, { method: "PUT", key, body: from }, [200, 201])),
    read: (key, range) =>
      Stream.unwrap(
        Effect.map(granted(options, { method: "GET", key, range }, [range === undefined ? 200 : 206]), (response) =>
          Stream.fromAsyncIterable<Uint8Array, StorageUnavailable>(response, blobsFailed)
        )
      ),
    // For an object that does not exist, stores answer with success or 404.
    remove: (key) => settled(granted(options, { method: "DELETE", key }, [200, 204, 404]))
  })

/** Logs a warning at the start if the bucket cannot be used. The service starts anyway, since chargers need no files to charge. */
const tried = (own: Blobs["Service"]) =>
  Effect.catch(own.remove("a-try-of-the-start"), (error) => Effect.logWarning(error.message))

export const layerS3 = (options: S3Options): Layer.Layer<Blobs> =>
  Layer.effect(
    Blobs,
    Effect.gen(function* () {
      const own = blobs(options)
      yield* Effect.forkScoped(tried(own))
      return own
    })
  )
