/** Contents as files of one folder, which is made when the first one comes. */
import { createReadStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { Blobs, blobsFailed } from "./Blobs.ts"

/** A rename survives a power cut only if its folder was synced. Some systems cannot sync folders; then it depends on the system. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r").catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** Spooled files must be on the same disk, since they are moved. */
export const layerDisk = (folder: string): Layer.Layer<Blobs> =>
  Layer.succeed(
    Blobs,
    Blobs.of({
      put: (key, from) =>
        Effect.tryPromise({
          try: async () => {
            const to = join(folder, key)
            await rename(from.path, to)
            await syncFolder(dirname(to))
          },
          catch: blobsFailed
        }),
      read: (key, range) =>
        Stream.suspend(() =>
          Stream.fromAsyncIterable(
            createReadStream(join(folder, key), range === undefined ? {} : { start: range.from, end: range.to }),
            blobsFailed
          )
        ),
      remove: (key) => Effect.tryPromise({ try: () => rm(join(folder, key), { force: true }), catch: blobsFailed })
    })
  )
