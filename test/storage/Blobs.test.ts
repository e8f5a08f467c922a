/** A folder and a bucket fulfil the same contract; the tests below concern the bucket alone. */
import { readdirSync } from "node:fs"
import { Effect, Exit, type Layer, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Blobs } from "../../src/storage/blobs/Blobs.ts"
import { layerDisk } from "../../src/storage/blobs/Disk.ts"
import { addressOf, layerS3, type S3Options } from "../../src/storage/blobs/S3.ts"
import { blobsContract, newFolder, spooled } from "../contracts/BlobsContract.ts"
import { S3Server, wantedSignature } from "../support/s3Server.ts"

const folder = newFolder()
const onDisk = layerDisk(folder)
const files = () => readdirSync(folder).filter((name) => !name.startsWith("spool-")).length
blobsContract("in a folder", () => ({ layer: onDisk, folder, count: files }))

const server = new S3Server()
beforeAll(() => server.start())
afterAll(() => server[Symbol.asyncDispose]())

const options = (more: Partial<S3Options> = {}): S3Options => ({
  endpoint: server.endpoint,
  bucket: server.bucket,
  region: server.key.region,
  pathStyle: true,
  accessKeyId: server.key.accessKeyId,
  secretAccessKey: Redacted.make(server.key.secretAccessKey),
  ...more
})
blobsContract("in a bucket", () => ({ layer: layerS3(options()), folder, count: () => server.objects.size }))

const putting = (layer: Layer.Layer<Blobs>, key = "one") =>
  Effect.runPromiseExit(
    Effect.scoped(
      Effect.flatMap(Blobs, (blobs) => blobs.put(key, spooled(folder, Buffer.from("content")))).pipe(
        Effect.provide(layer)
      )
    )
  )

describe("a bucket", () => {
  it("is simulated by a server that expects the signatures of the AWS examples", () => {
    const key = {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1"
    }
    const scope = "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"
    const common = { host: "examplebucket.s3.amazonaws.com", "x-amz-date": "20130524T000000Z" }
    const get = {
      ...common,
      authorization: `${scope},SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=`,
      range: "bytes=0-9",
      "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    }
    expect(wantedSignature("GET", "/test.txt", get, key)).toBe(
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    )
    const put = {
      ...common,
      authorization: `${scope},SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=`,
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
    }
    expect(wantedSignature("PUT", "/test%24file.text", put, key)).toBe(
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    )
  })

  it("stores files under a prefix of their own", async () => {
    await putting(layerS3(options()), "where-it-lies")
    expect([...server.objects.keys()]).toContain("/charger-files/files/where-it-lies")
  })

  it("is retried when it answers 503, and not when it refuses with 403", async () => {
    server.log.length = 0
    // The first request is the check at start.
    server.failures.push(503, 503)
    expect(Exit.isSuccess(await putting(layerS3(options())))).toBe(true)
    const wrong = layerS3(options({ secretAccessKey: Redacted.make("not the tests'") }))
    const refused = await putting(wrong)
    expect(String(Exit.isFailure(refused) && refused.cause)).toContain("403 SignatureDoesNotMatch")
    expect(JSON.stringify(refused)).not.toContain("not the tests'")
    expect(server.log.filter((line) => line === "PUT 403")).toHaveLength(1)
    expect(server.log.filter((line) => line === "PUT 200")).toHaveLength(1)
  })

  it("is part of the host name where path style is off, and part of the path otherwise", () => {
    const aws = options({ endpoint: "https://s3.eu-north-1.amazonaws.com", bucket: "ours", pathStyle: false })
    expect(addressOf(aws, "key").href).toBe("https://ours.s3.eu-north-1.amazonaws.com/files/key")
    const behind = options({ endpoint: "http://proxy.example:9000/s3/", bucket: "ours" })
    expect(addressOf(behind, "key").href).toBe("http://proxy.example:9000/s3/ours/files/key")
  })

  it("fails the upload with a clear message when it does not answer", async () => {
    const unreachable = layerS3(options({ endpoint: "http://127.0.0.1:9" }))
    const failed = await putting(unreachable)
    expect(String(Exit.isFailure(failed) && failed.cause)).toContain("the bucket for files cannot be used")
  })
})
