/**
 * A small S3-compatible store for tests. It checks every signature by the general rule (AWS General Reference, Signature Version 4). It was written
 * from that text and tested with AWS's own published examples, so that it does not share the mistakes of the signer under test.
 */
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

export interface S3Key {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

type Headers = Readonly<Record<string, string | undefined>>

const uriEncoded = (text: string, keepSlash: boolean): string =>
  Array.from(Buffer.from(text))
    .map((byte) => {
      const char = String.fromCharCode(byte)
      if (/[A-Za-z0-9\-._~]/.test(char) || (keepSlash && char === "/")) return char
      return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

/** The signature that a request must have, by its own list of signed headers; undefined if that is not readable. */
export const wantedSignature = (method: string, url: string, headers: Headers, key: S3Key): string | undefined => {
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=/.exec(
      headers["authorization"] ?? ""
    )
  if (said === null) return undefined
  const [, id, day = "", region = "", signedHeaders = ""] = said
  if (id !== key.accessKeyId || region !== key.region) return undefined
  const names = signedHeaders.split(";")
  if (!names.includes("host") || !names.includes("x-amz-content-sha256") || !names.includes("x-amz-date"))
    return undefined
  const { pathname, searchParams } = new URL(url, "http://any")
  const query = [...searchParams]
    .map(([name, value]) => `${uriEncoded(name, false)}=${uriEncoded(value, false)}`)
    .toSorted()
    .join("&")
  const request = [
    method,
    uriEncoded(decodeURIComponent(pathname), true),
    query,
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}`),
    "",
    signedHeaders,
    headers["x-amz-content-sha256"]
  ].join("\n")
  const date = headers["x-amz-date"] ?? ""
  if (date.slice(0, 8) !== day) return undefined
  const text = [
    "AWS4-HMAC-SHA256",
    date,
    `${day}/${region}/s3/aws4_request`,
    createHash("sha256").update(request).digest("hex")
  ]
  let signing: Buffer = Buffer.from(`AWS4${key.secretAccessKey}`)
  for (const part of [day, region, "s3", "aws4_request", text.join("\n")]) {
    signing = createHmac("sha256", signing).update(part).digest()
  }
  return signing.toString("hex")
}

const minutes = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")) / 60_000

export class S3Server implements AsyncDisposable {
  readonly bucket = "charger-files"
  readonly key: S3Key = { accessKeyId: "TESTS", secretAccessKey: "a/secret+of=the-tests", region: "eu-test-1" }
  readonly objects = new Map<string, Buffer>()
  /** `METHOD status` of each request. */
  readonly log: Array<string> = []
  /** Statuses for the answers to the next requests, whatever they are. */
  readonly failures: Array<number> = []
  private readonly server: Server
  private port = 0

  constructor() {
    // If a client disconnects in the middle of its request, only that request fails, not the test.
    this.server = createServer(
      (request, response) => void this.serve(request, response).catch(() => response.destroy())
    )
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    const address = this.server.address()
    this.port = typeof address === "object" && address !== null ? address.port : 0
    return this
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = (status: number, code = "", body?: Buffer, headers: Record<string, string> = {}): void => {
      this.log.push(`${request.method} ${status}`)
      const text = code === "" ? "" : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>tests</Message></Error>`
      response.writeHead(status, headers).end(body ?? text)
    }
    const failure = this.failures.shift()
    if (failure !== undefined) return answer(failure, "SlowDown")
    const refusal = this.refusal(request, Buffer.concat(chunks))
    if (refusal !== undefined) return answer(...refusal)
    this.act(request, Buffer.concat(chunks), answer)
  }

  private refusal(request: IncomingMessage, body: Buffer): readonly [number, string] | undefined {
    const headers = request.headers as Headers
    const wanted = wantedSignature(request.method ?? "", request.url ?? "", headers, this.key)
    if (wanted === undefined || !headers["authorization"]?.endsWith(`Signature=${wanted}`)) {
      return [403, "SignatureDoesNotMatch"]
    }
    if (Math.abs(Date.now() / 60_000 - minutes(headers["x-amz-date"] ?? "")) > 15) return [403, "RequestTimeTooSkewed"]
    if (createHash("sha256").update(body).digest("hex") !== headers["x-amz-content-sha256"]) {
      return [400, "XAmzContentSHA256Mismatch"]
    }
    return request.method === "PUT" && headers["content-length"] === undefined
      ? [411, "MissingContentLength"]
      : undefined
  }

  private act(
    { headers, method, url = "" }: IncomingMessage,
    body: Buffer,
    answer: (status: number, code?: string, body?: Buffer, headers?: Record<string, string>) => void
  ): void {
    const host = headers.host ?? ""
    const path = host.startsWith(`${this.bucket}.`) ? `/${this.bucket}${url}` : url
    if (!path.startsWith(`/${this.bucket}/`)) return answer(404, "NoSuchBucket")
    const found = this.objects.get(path)
    if (method === "PUT") {
      this.objects.set(path, body)
      return answer(200)
    }
    if (method === "DELETE") {
      this.objects.delete(path)
      return answer(204)
    }
    if (found === undefined) return answer(404, "NoSuchKey")
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "")
    if (range === null) return answer(200, "", found)
    const [from, to] = [Number(range[1]), Number(range[2])]
    answer(206, "", found.subarray(from, to + 1), { "content-range": `bytes ${from}-${to}/${found.length}` })
  }
}
