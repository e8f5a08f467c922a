/**
 * The image: an empty database with the whole schema, as one compressed file that `npm ci` makes (`scripts/build-database.ts`), so that a first start
 * unpacks it in a fraction of the time and the memory that building one takes. Its name has a hash of all that it was made of, and it is not
 * used for anything else; where there is none of that name, the database is built.
 */
import { createHash } from "node:crypto"
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { newIdentity, UnknownLayout } from "./Identity.ts"

/** Where images are, unless a test says otherwise. */
export const imageFolder = fileURLToPath(new URL("../../../dist/", import.meta.url))

/** What the names of all images begin with. */
export const imagePrefix = "database-"

const require = createRequire(import.meta.url)

/** What an image depends on: the engine, the migrator, migrations, the schema, and how its files are made and packed. */
const sources = (storage: URL): ReadonlyArray<URL> => [
  new URL("../package.json", pathToFileURL(require.resolve("@electric-sql/pglite"))),
  pathToFileURL(require.resolve("effect/package.json")),
  ...["migrations/", "schema/"].flatMap((folder) => {
    const url = new URL(folder, storage)
    return readdirSync(url)
      .sort()
      .map((name) => new URL(name, url))
  }),
  ...["Files.ts", "Image.ts"].map((name) => new URL(`pglite/${name}`, storage))
]

/** The name of the image for this code, or for that below `storage`. */
export const imageName = (storage: URL = new URL("../", import.meta.url)): string => {
  const hash = createHash("sha256")
  for (const url of sources(storage)) {
    const text = readFileSync(url)
    hash.update(`${url.pathname.split("/").at(-1)} ${text.length}\n`).update(text)
  }
  return `${imagePrefix}${hash.digest("hex").slice(0, 16)}.image`
}

/** The file of the image for this code, whether it is there or not; undefined where it cannot be said, as in a bundle of the sources. */
export const imagePath = (folder: string = imageFolder): string | undefined => {
  try {
    return join(folder, imageName())
  } catch {
    return undefined
  }
}

/*
 * The file: SHA-256 of the rest, length of the index, the index, and contents one after the other, each compressed for itself, so that no more than
 * one is in memory. A line of the index is a directory (`base/`), or of a content its length, that before it was compressed, and how many zeros
 * follow it, with the files that have it; many have the same. A segment of the log is 16 MiB of zeros but for its first page.
 */
const hashBytes = 32
const lengthBytes = 4

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/** Zeros are left out by whole blocks, so that what has a meaning although it is zero is there. */
const blockBytes = 4096

const withoutZeros = (bytes: Buffer): Buffer => {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return bytes.subarray(0, Math.ceil(end / blockBytes) * blockBytes)
}

interface Content {
  readonly line: string
  readonly bytes: Buffer
  readonly files: Array<string>
}

const contentOf = (file: Buffer): Content => {
  const plain = withoutZeros(file)
  const bytes = compress(plain)
  return { line: `${bytes.length} ${plain.length} ${file.length - plain.length}`, bytes, files: [] }
}

const compress = (bytes: Uint8Array): Buffer =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  })

/** Writes the files of a closed database, but for those of which `isLeft` says so; the image is there whole or not at all. */
export const pack = (directory: string, path: string, isLeft: (file: string) => boolean): void => {
  const lines: Array<string> = []
  const contents = new Map<string, Content>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
      .slice(directory.length + 1)
      .split(sep)
      .join("/")
    if (entry.isDirectory()) lines.push(`${file}/`)
    if (!entry.isFile() || isLeft(file)) continue
    const bytes = readFileSync(join(directory, file))
    const hash = sha256(bytes).toString("hex")
    const content = contents.get(hash) ?? contentOf(bytes)
    content.files.push(file)
    contents.set(hash, content)
  }
  // Whatever is in a directory comes after it.
  lines.sort()
  for (const { files, line } of contents.values()) lines.push(`${line} ${files.join(" ")}`)
  const index = compress(Buffer.from(lines.join("\n")))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(index.length)
  const rest = Buffer.concat([length, index, ...[...contents.values()].map(({ bytes }) => bytes)])
  const unfinished = `${path}.${process.pid}.unfinished`
  writeFileSync(unfinished, Buffer.concat([sha256(rest), rest]))
  renameSync(unfinished, path)
}

/** All but the hash; undefined where there is no such file, or it is not what was written. */
const read = (path: string): Buffer | undefined => {
  let file: Buffer
  try {
    file = readFileSync(path)
  } catch {
    return undefined
  }
  const rest = file.subarray(hashBytes)
  return sha256(rest).equals(file.subarray(0, hashBytes)) ? rest : undefined
}

const manyZeros = Buffer.alloc(256 * 1024)

/** A new file. Its zeros are written as well, so that the disk has the room for what the engine puts in their place. */
const write = (path: string, content: Uint8Array, zeros: number): void => {
  const file = openSync(path, "wx", 0o600)
  try {
    writeFileSync(file, content)
    for (let left = zeros; left > 0; left -= manyZeros.length) writeFileSync(file, manyZeros.subarray(0, left))
  } finally {
    closeSync(file)
  }
}

/** The least that the decompressor takes. */
const minChunkBytes = 64

/**
 * Makes `directory`, which must not be there, from an image, for its owner alone and with an identity of its own. False where there is no such
 * image or it cannot be used: then there is no directory either. An error of the disk is thrown.
 */
export const unpack = (path: string, directory: string): boolean => {
  const rest = read(path)
  if (rest === undefined) return false
  const contentsAt = lengthBytes + rest.readUInt32LE(0)
  const index = brotliDecompressSync(rest.subarray(lengthBytes, contentsAt)).toString()
  const owned = newIdentity()
  let at = contentsAt
  try {
    mkdirSync(directory, { mode: 0o700 })
    for (const line of index.split("\n")) {
      if (line.endsWith("/")) {
        mkdirSync(join(directory, line), { mode: 0o700 })
        continue
      }
      const [length, plainLength, zeros, ...files] = line.split(" ")
      // Its length is known: then it is made in one piece, and not joined of small ones.
      const content = brotliDecompressSync(rest.subarray(at, (at += Number(length))), {
        chunkSize: Math.max(Number(plainLength), minChunkBytes)
      })
      for (const file of files) write(join(directory, file), owned(file, content), Number(zeros))
    }
    return true
  } catch (error) {
    if (!(error instanceof UnknownLayout)) throw error
    rmSync(directory, { recursive: true, force: true })
    return false
  }
}
