/** What the port `Files` must do on every database. */
import { existsSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Metric, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { limits } from "../../src/Config.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import {
  downloadWaitsMillis,
  maxFileBytes,
  stalledMillis,
  transferMillis,
  uploadWaitsMillis
} from "../../src/domain/file/StoredFile.ts"
import { Files } from "../../src/domain/file/Files.ts"
import { Blobs } from "../../src/storage/blobs/Blobs.ts"
import { layerDisk } from "../../src/storage/blobs/Disk.ts"
import { layer } from "../../src/storage/files/Files.ts"
import { daily, sweepFiles } from "../../src/storage/files/FileSweep.ts"
import { anOrganisation, type ContractIt, factsOf, failureOf } from "../support/repositories.ts"

const day = 86_400_000

/** By the real clock, since the layer's own sweep at its start uses it. The sweeps in the tests get their time as an argument. */
const start = Date.now()
const bytes = (text: string) => Stream.make(new TextEncoder().encode(text))
const text = <E>(content: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat(chunks).toString())

/** A file storage of its own, with small limits. */
const own = (quotaBytes = 1_000, measure?: () => Promise<number>) => {
  const folder = mkdtempSync(join(tmpdir(), "voltlane-contract-"))
  const options = { ...limits.files, folder, quotaBytes, retentionDays: 90, ...(measure && { measure }) }
  return { folder, options, layer: layer(options).pipe(Layer.provideMerge(layerDisk(folder))) }
}

const rows = (table: "file" | "file_doomed" | "file_download") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(table)}`, ([row]) => row?.n ?? 0)
  )

const stages = (it: ContractIt): void => {
  it.effect("accepts one upload for a token, and does not store the token", () => {
    const { layer: files } = own()
    return Effect.gen(function* () {
      const { id: organisationId } = yield* anOrganisation
      const { expect, get, receive } = yield* Files
      const sql = yield* SqlClient.SqlClient
      const { id, token } = yield* expect(organisationId, "C1", "Log", start)
      const late = receive(token, "a.log", bytes("late"), start + uploadWaitsMillis)
      assert.deepStrictEqual(yield* failureOf(late), ["NotFound", "upload"])
      const stored = yield* receive(token, "../a\u0000 b.log", bytes("content"), start + 5)
      assert.deepStrictEqual([stored.id, stored.name, stored.size, stored.state], [id, ".._a_ b.log", 7, "Stored"])
      const again = receive(token, "a.log", bytes("again"), start + 6)
      assert.deepStrictEqual(yield* failureOf(again), ["Conflict", "already_uploaded"])
      assert.deepStrictEqual(yield* get(organisationId, id), stored)
      const known = yield* sql<{ line: string }>`SELECT f::text AS line FROM file f`
      assert.isFalse(known.some(({ line }) => line.includes(token)))
    }).pipe(Effect.provide(files))
  })

  it.effect("keeps the upload that completes first when two processes receive one at the same time", () => {
    const { folder, layer: files, options } = own()
    return Effect.gen(function* () {
      const { id: organisationId } = yield* anOrganisation
      const { content, expect, receive } = yield* Files
      const another = Layer.fresh(layer(options).pipe(Layer.provide(layerDisk(folder))))
      const { receive: receiveThere } = Context.get(yield* Layer.build(another), Files)
      const { id, token } = yield* expect(organisationId, "C1", "Log", start)
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const rest = Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)), new Uint8Array(1))
      const slow = Stream.concat(bytes("slow"), Stream.fromEffect(rest))
      const first = yield* Effect.forkChild(receive(token, "slow", slow, start))
      yield* Deferred.await(begun)
      yield* receiveThere(token, "fast", bytes("fast"), start)
      yield* Deferred.succeed(go, undefined)
      const lost = yield* Fiber.await(first)
      assert.isTrue(Exit.isFailure(lost) && String(lost.cause).includes("already"))
      assert.strictEqual(yield* text(yield* content(organisationId, id)), "fast")
      // The content of the second belongs to no file, and is deleted by the sweep.
      const sql = yield* SqlClient.SqlClient
      const soon = yield* Clock.currentTimeMillis
      yield* sweepFiles(sql, yield* Blobs, { folder, retentionDays: 9_000 }, soon)
      assert.strictEqual(readdirSync(folder).length, 2)
      yield* sweepFiles(sql, yield* Blobs, { folder, retentionDays: 9_000 }, soon + 2 * day)
      assert.strictEqual(readdirSync(folder).length, 1)
    }).pipe(Effect.scoped, Effect.provide(files))
  })

  it.effect("leaves nothing of an upload that breaks off, is empty or is too large", () => {
    const { folder, layer: files } = own(Number.MAX_SAFE_INTEGER)
    return Effect.gen(function* () {
      const organisation = yield* anOrganisation
      const { list, receive, store, ...rest } = yield* Files
      const { token } = yield* rest.expect(organisation.id, "C1", "Diagnostics", start)
      const broken = Stream.concat(bytes("begun"), Stream.fail("gone"))
      const chunk = new Uint8Array(8 * 1024 * 1024)
      const endless = Stream.take(Stream.forever(Stream.make(chunk)), maxFileBytes / chunk.length + 1)
      for (const content of [broken, endless]) {
        assert.deepStrictEqual(yield* failureOf(receive(token, "f", content, start)), ["InvalidInput", ""])
      }
      assert.deepStrictEqual(yield* failureOf(store("f", broken, organisation.writing(start))), ["InvalidInput", ""])
      assert.deepStrictEqual(yield* failureOf(store("f", Stream.empty, organisation.writing(start))), [
        "InvalidInput",
        ""
      ])
      const { items } = yield* list(organisation.id, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ kind, state }) => [kind, state]),
        [["Diagnostics", "Waiting"]]
      )
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.endsWith(".part")),
        []
      )
    }).pipe(Effect.provide(files))
  })

  it.effect("ends an upload whose file is removed meanwhile", () => {
    const { folder, layer: files } = own()
    return Effect.gen(function* () {
      const owner = yield* anOrganisation
      const { expect, list, receive, remove, store } = yield* Files
      const removing = Effect.gen(function* () {
        const { items } = yield* list(owner.id, { limit: 10 })
        yield* Effect.forEach(items, ({ id }) => remove(id, owner.writing(start)))
        return new Uint8Array(3)
      })
      const content = Stream.concat(bytes("begun"), Stream.fromEffect(removing))
      assert.deepStrictEqual(yield* failureOf(store("a.bin", content, owner.writing(start))), [
        "Conflict",
        "file_removed"
      ])
      const { token } = yield* expect(owner.id, "C1", "Log", start)
      assert.deepStrictEqual(yield* failureOf(receive(token, "a.log", content, start)), ["NotFound", "upload"])
      const sql = yield* SqlClient.SqlClient
      const inTwoDays = (yield* Clock.currentTimeMillis) + 2 * day
      yield* sweepFiles(sql, yield* Blobs, { folder, retentionDays: 9_000 }, inTwoDays)
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.provide(files))
  })

  it.effect("limits each organisation to its own quota", () => {
    const { layer: files } = own(100)
    return Effect.gen(function* () {
      const [one, other] = [yield* anOrganisation, yield* anOrganisation]
      const { expect, receive, remove, store } = yield* Files
      const image = yield* store("a.bin", bytes("x".repeat(90)), one.writing(start))
      const { token } = yield* expect(one.id, "C1", "Log", start)
      const tooMuch = receive(token, "a.log", bytes("y".repeat(11)), start)
      assert.deepStrictEqual(yield* failureOf(tooMuch), ["Conflict", "file_quota"])
      assert.deepStrictEqual((yield* receive(token, "a.log", bytes("y".repeat(10)), start)).size, 10)
      assert.deepStrictEqual(yield* failureOf(store("b.bin", bytes("z"), one.writing(start))), [
        "Conflict",
        "file_quota"
      ])
      assert.strictEqual((yield* store("b.bin", bytes("z".repeat(100)), other.writing(start))).size, 100)
      yield* remove(image.id, one.writing(start))
      assert.strictEqual((yield* store("c.bin", bytes("w".repeat(90)), one.writing(start))).size, 90)
    }).pipe(Effect.provide(files))
  })
}

const chunk = new Uint8Array(4 * 1024 * 1024)

/** An upload that has sent `chunks` of 4 MiB and then waits; `begun` is completed at that point. */
const half = (chunks: number, begun: Deferred.Deferred<void>) =>
  Stream.concat(
    Stream.take(Stream.forever(Stream.make(chunk)), chunks),
    Stream.fromEffect(Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), chunk))
  )

/** Why storage refused. */
const reasonOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error instanceof StorageUnavailable ? error.reason : String(error)))

const uploadsAtOnce = (it: ContractIt): void => {
  it.effect("stops a running upload when the disk has too little room for files, and leaves nothing of it", () => {
    const disk = { free: limits.files.minFreeBytes }
    const { folder, layer: files } = own(Number.MAX_SAFE_INTEGER, async () => disk.free)
    return Effect.gen(function* () {
      const { id: organisationId } = yield* anOrganisation
      const { expect, receive } = yield* Files
      const { token } = yield* expect(organisationId, "C1", "Log", start)
      let sent = 0
      const filling = Stream.mapEffect(Stream.take(Stream.forever(Stream.make(chunk)), 60), (part) =>
        Effect.promise(async () => {
          sent += 1
          if (sent > 3) disk.free = limits.files.minFreeBytes - 1
          await new Promise((resume) => setTimeout(resume, 10))
          return part
        })
      )
      assert.strictEqual(yield* reasonOf(receive(token, "a.log", filling, start)), "full")
      assert.isBelow(sent, 60)
      assert.deepStrictEqual(readdirSync(folder), [])
      const refused = receive(token, "a.log", bytes("small"), start)
      assert.strictEqual(yield* reasonOf(refused), "full")
      disk.free = limits.files.minFreeBytes
      yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 300)))
      assert.strictEqual((yield* receive(token, "a.log", bytes("small"), start)).size, 5)
    }).pipe(Effect.provide(files))
  })

  it.effect(
    "counts the bytes of running uploads in the quota, and allows four uploads of an organisation at once",
    () => {
      const { folder, layer: files } = own(6 * chunk.length)
      return Effect.gen(function* () {
        const [one, other] = [yield* anOrganisation, yield* anOrganisation]
        const { expect, receive, store } = yield* Files
        const upload = (organisationId: string, content: Stream.Stream<Uint8Array, unknown>) =>
          Effect.flatMap(expect(organisationId, "C1", "Log", start), ({ token }) => receive(token, "f", content, start))
        const begin = Effect.fnUntraced(function* (chunks: number) {
          const begun = yield* Deferred.make<void>()
          const fiber = yield* Effect.forkChild(upload(one.id, half(chunks, begun)))
          yield* Deferred.await(begun)
          return fiber
        })
        const running = [yield* begin(3), yield* begin(2)]
        const third = upload(one.id, Stream.take(Stream.forever(Stream.make(chunk)), 3))
        assert.deepStrictEqual(yield* failureOf(third), ["Conflict", "file_quota"])
        running.push(yield* begin(0), yield* begin(0))
        assert.deepStrictEqual(yield* failureOf(upload(one.id, bytes("fifth"))), ["TooMany", "uploads_at_once"])
        assert.deepStrictEqual(yield* failureOf(store("a.bin", bytes("fifth"), one.writing(start))), [
          "TooMany",
          "uploads_at_once"
        ])
        assert.strictEqual((yield* upload(other.id, bytes("others"))).size, 6)
        yield* Fiber.interruptAll(running)
        assert.strictEqual(
          (yield* upload(one.id, Stream.take(Stream.forever(Stream.make(chunk)), 5))).size,
          5 * chunk.length
        )
        assert.isFalse(readdirSync(folder).some((name) => name.endsWith(".part")))
      }).pipe(Effect.provide(files))
    }
  )
}

/** Fails the test when it is read. */
const unread = Stream.fromEffect(Effect.die("was read"))

/** `count` pieces of `size` bytes, each after `millis` of the test's clock. */
const trickle = (count: number, size: number, millis: number) =>
  Stream.mapEffect(Stream.take(Stream.forever(Stream.make(new Uint8Array(size))), count), (piece) =>
    Effect.as(TestClock.adjust(millis), piece)
  )

/** Uploads that were refused, by reason, as `/metrics` counts them. */
const refusedOf = (registry: Metric.MetricRegistry) =>
  Object.fromEntries(
    Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
      .filter(({ id }) => id === "file_uploads_refused_total")
      .map(({ attributes, state }) => [attributes?.["reason"], "count" in state ? Number(state.count) : 0])
  )

/** The number of running uploads, as in `/metrics`. */
const runningOf = (registry: Metric.MetricRegistry) =>
  Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
    .filter(({ id }) => id === "file_uploads_running")
    .map(({ state }) => ("value" in state ? Number(state.value) : undefined))[0]

const uploadLimits = (it: ContractIt): void => {
  it.effect(
    "refuses before the first byte an upload whose declared size is too large for quota, disk or a file",
    () => {
      const disk = { free: limits.files.minFreeBytes + 500 }
      const registry: Metric.MetricRegistry = new Map()
      const { folder, layer: files } = own(1_000, async () => disk.free)
      return Effect.gen(function* () {
        const owner = yield* anOrganisation
        const { expect, receive, store } = yield* Files
        const { token } = yield* expect(owner.id, "C1", "Log", start)
        const declaring = (declared: number) => receive(token, "f", unread, start, declared)
        assert.deepStrictEqual(yield* failureOf(declaring(maxFileBytes + 1)), ["InvalidInput", ""])
        assert.deepStrictEqual(yield* failureOf(declaring(1_001)), ["Conflict", "file_quota"])
        assert.strictEqual(yield* reasonOf(declaring(501)), "full")
        assert.strictEqual(yield* reasonOf(store("a.bin", unread, owner.writing(start), 501)), "full")
        disk.free = limits.files.minFreeBytes + 10_000
        yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 300)))
        const begun = yield* Deferred.make<void>()
        const other = yield* expect(owner.id, "C2", "Log", start)
        const running = yield* Effect.forkChild(receive(other.token, "f", half(0, begun), start, 600))
        yield* Deferred.await(begun)
        assert.deepStrictEqual(yield* failureOf(declaring(401)), ["Conflict", "file_quota"])
        assert.strictEqual((yield* receive(token, "f", bytes("y".repeat(400)), start, 400)).size, 400)
        yield* Fiber.interrupt(running)
        assert.isFalse(readdirSync(folder).some((name) => name.endsWith(".part")))
        assert.deepStrictEqual(refusedOf(registry), { quota: 2, full: 2 })
      }).pipe(Effect.provide(files), Effect.provideService(Metric.MetricRegistry, registry))
    }
  )

  it.effect("ends the older of two uploads to one URL, and frees its place and its room at once", () => {
    const { folder, layer: files } = own(Number.MAX_SAFE_INTEGER)
    const registry: Metric.MetricRegistry = new Map()
    return Effect.gen(function* () {
      const { id: organisationId } = yield* anOrganisation
      const { content, expect, receive } = yield* Files
      const { id, token } = yield* expect(organisationId, "C1", "Log", start)
      const begin = Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(receive(token, "old", half(1, begun), start))
        yield* Deferred.await(begun)
        return fiber
      })
      const tries = yield* Effect.replicateEffect(begin, 6)
      assert.strictEqual(runningOf(registry), 1)
      assert.isAtMost(readdirSync(folder).filter((name) => name.endsWith(".part")).length, 1)
      assert.strictEqual((yield* receive(token, "new", bytes("new"), start)).size, 3)
      for (const older of tries) {
        assert.deepStrictEqual(yield* failureOf(Fiber.join(older)), ["Conflict", "upload_replaced"])
      }
      assert.strictEqual(yield* text(yield* content(organisationId, id)), "new")
      assert.strictEqual(readdirSync(folder).length, 1)
      assert.deepStrictEqual([refusedOf(registry), runningOf(registry)], [{ replaced: 6 }, 0])
    }).pipe(Effect.provide(files), Effect.provideService(Metric.MetricRegistry, registry))
  })

  it.effect("ends uploads that are slower than any charger, and sooner those of operators", () => {
    const { folder, layer: files } = own(Number.MAX_SAFE_INTEGER)
    const registry: Metric.MetricRegistry = new Map()
    return Effect.gen(function* () {
      const owner = yield* anOrganisation
      const { expect, receive, store } = yield* Files
      const { token } = yield* expect(owner.id, "C1", "Log", start)
      const { slowestChargerBytesPerSecond: charger, slowestOperatorBytesPerSecond: operator } = limits.files
      const failing = ["InvalidInput", ""]
      assert.deepStrictEqual(
        yield* failureOf(receive(token, "f", trickle(50, 10 * (charger - 1), 10_000), start)),
        failing
      )
      // A fast beginning gives no extra time.
      const held = Stream.concat(Stream.make(chunk), trickle(50, 1, 10_000))
      assert.deepStrictEqual(yield* failureOf(receive(token, "f", held, start)), failing)
      const slow = store("a.bin", trickle(50, 10 * (operator - 1), 10_000), owner.writing(start))
      assert.deepStrictEqual(yield* failureOf(slow), failing)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.endsWith(".part")),
        []
      )
      // A modem that sends nothing for most of a minute, and then 2.5 KiB/s for as long.
      const modem = Stream.flatMap(Stream.range(1, 5), () =>
        Stream.concat(trickle(1, 100, stalledMillis - 1_000), trickle(6, 25_600, 10_000))
      )
      assert.strictEqual((yield* receive(token, "f", modem, start)).size, 5 * (60 * 2_560 + 100))
      assert.strictEqual(
        (yield* store("b.bin", trickle(30, 10 * operator, 10_000), owner.writing(start))).size,
        300 * operator
      )
      assert.deepStrictEqual(refusedOf(registry), { slow: 3 })
    }).pipe(
      Effect.provide(Layer.provideMerge(files, TestClock.layer())),
      Effect.provideService(Metric.MetricRegistry, registry)
    )
  })
}

const firmware = (it: ContractIt): void => {
  it.effect("offers an image to a charger until the offer expires, and to no other organisation", () => {
    const { layer: files } = own()
    return Effect.gen(function* () {
      const [owner, stranger] = [yield* anOrganisation, yield* anOrganisation]
      const { content, expect, fetch, get, list, offer, remove, store } = yield* Files
      const image = yield* store("image.bin", bytes("0123456789"), owner.writing(start))
      const until = start + downloadWaitsMillis
      const { name, token } = yield* offer(owner.id, "C1", image.id, until, start)
      assert.strictEqual(name, "image.bin")
      for (const at of [start, start, until - 1]) {
        const fetched = yield* fetch(token, at)
        assert.strictEqual(yield* text(fetched.read()), "0123456789")
        assert.strictEqual(yield* text(fetched.read({ from: 3, to: 5 })), "345")
      }
      assert.deepStrictEqual(yield* failureOf(fetch(token, until)), ["NotFound", "download"])
      assert.deepStrictEqual(yield* failureOf(fetch("unknown", start)), ["NotFound", "download"])
      const foreign = offer(stranger.id, "C2", image.id, until, start)
      assert.deepStrictEqual(yield* failureOf(foreign), ["NotFound", "file"])
      assert.deepStrictEqual(yield* failureOf(remove(image.id, stranger.writing(start))), ["NotFound", "file"])
      assert.deepStrictEqual(yield* failureOf(get(stranger.id, image.id)), ["NotFound", "file"])
      assert.deepStrictEqual(yield* failureOf(content(stranger.id, image.id)), ["NotFound", "file"])
      assert.deepStrictEqual((yield* list(stranger.id, { limit: 10 })).items, [])
      const { id } = yield* expect(owner.id, "C1", "Log", start)
      assert.deepStrictEqual(yield* failureOf(offer(owner.id, "C1", id, until, start)), ["Conflict", "no_firmware"])
      yield* remove(image.id, owner.writing(start))
      assert.deepStrictEqual(yield* failureOf(fetch(token, start)), ["NotFound", "download"])
      const facts = (yield* factsOf(owner)).filter(({ type }) => /Firmware|File/.test(type))
      assert.deepStrictEqual(
        facts.map(({ body, type }) => [type, body.before?.["sha256"] ?? body.after?.["sha256"]]),
        [
          ["FirmwareStored", image.sha256],
          ["FileRemoved", image.sha256]
        ]
      )
    }).pipe(Effect.provide(files))
  })
}

const retention = (it: ContractIt): void => {
  it.effect("sweeps files past their retention, and never firmware", () => {
    const { folder, layer: files, options } = own()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      yield* sql`TRUNCATE file, file_doomed, file_download`
      const owner = yield* anOrganisation
      const { expect, list, offer, receive, store } = yield* Files
      const image = yield* store("image.bin", bytes("image"), owner.writing(start))
      yield* offer(owner.id, "C1", image.id, start + downloadWaitsMillis, start)
      const [came, never] = [yield* expect(owner.id, "C1", "Log", start), yield* expect(owner.id, "C1", "Log", start)]
      yield* receive(came.token, "a.log", bytes("log"), start)
      const ids = Effect.map(list(owner.id, { limit: 10 }), ({ items }) => items.map(({ id }) => id).toSorted())

      yield* sweepFiles(sql, blobs, options, start + uploadWaitsMillis)
      assert.deepStrictEqual(yield* ids, [image.id, came.id, never.id].toSorted())
      yield* sweepFiles(sql, blobs, options, start + uploadWaitsMillis + transferMillis)
      assert.deepStrictEqual(yield* ids, [image.id, came.id].toSorted())
      assert.strictEqual(yield* rows("file_download"), 1)
      yield* sweepFiles(sql, blobs, options, start + 90 * day - 1)
      assert.deepStrictEqual([yield* rows("file_download"), readdirSync(folder).length], [0, 2])
      yield* sweepFiles(sql, blobs, options, start + 90 * day)
      assert.deepStrictEqual(yield* ids, [image.id])
      assert.deepStrictEqual([yield* rows("file_doomed"), readdirSync(folder).length], [0, 1])
      yield* sweepFiles(sql, blobs, options, start + 9_000 * day)
      assert.deepStrictEqual(yield* ids, [image.id])
    }).pipe(Effect.provide(files))
  })

  it.effect("retries a content that could not be removed", () => {
    const { folder, layer: files, options } = own()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const owner = yield* anOrganisation
      yield* sql`TRUNCATE file, file_doomed, file_download`
      const { expect, receive } = yield* Files
      const { token } = yield* expect(owner.id, "C1", "Log", start)
      yield* receive(token, "a.log", bytes("log"), start)
      const away = { ...blobs, remove: () => Effect.fail(new StorageUnavailable({ reason: "down", message: "away" })) }
      const failed = yield* Effect.exit(sweepFiles(sql, away, options, start + 91 * day))
      assert.deepStrictEqual([Exit.isFailure(failed), yield* rows("file"), yield* rows("file_doomed")], [true, 0, 1])
      yield* sweepFiles(sql, blobs, options, start + 92 * day)
      assert.deepStrictEqual([yield* rows("file_doomed"), readdirSync(folder).length], [0, 0])
    }).pipe(Effect.provide(files))
  })

  it.effect("sweeps at the start and every day, including partial files of dead processes", () => {
    // The layer sweeps its own folder by the real clock.
    const { layer: files } = own()
    const { folder, options } = own()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const part = (name: string, at: number): string => {
        const path = join(folder, `${name}.part`)
        writeFileSync(path, "begun")
        utimesSync(path, new Date(at), new Date(at))
        return path
      }
      const gone = (path: string) =>
        Effect.repeat(Effect.sleep("10 millis"), { until: () => !existsSync(path), times: 500 })
      const clock = yield* TestClock.make()
      yield* clock.setTime(start)
      const [stale, fresh] = [part("stale", start - transferMillis), part("fresh", start - transferMillis + 1)]
      yield* Effect.provideService(daily(sql, Effect.void, blobs, options), Clock.Clock, clock)
      yield* gone(stale)
      assert.isTrue(existsSync(fresh))
      // The end of a day has no effect until the sweep sleeps again.
      const another = Effect.andThen(clock.adjust(day), Effect.sleep("10 millis"))
      yield* Effect.repeat(another, { until: () => !existsSync(fresh), times: 500 })
      assert.deepStrictEqual([existsSync(stale), existsSync(fresh)], [false, false])
    }).pipe(Effect.scoped, Effect.provide(files))
  })
}

export const filesContract = (it: ContractIt): void => {
  stages(it)
  uploadsAtOnce(it)
  uploadLimits(it)
  firmware(it)
  retention(it)
}
