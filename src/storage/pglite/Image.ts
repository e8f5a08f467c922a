/**
 * The image: an empty database with the whole schema, as one compressed file that `npm ci` makes (`scripts/build-database.ts`). A first
 * start unpacks it in a fraction of the time and memory that building a database takes. Its name contains a hash of everything that it was
 * made from, so it is only used for the same sources. If there is no image with that name, the database is built.
 */
import { createHash } from "node:crypto"
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { newIdentity, UnknownLayout } from "./Identity.ts"

/** Where images are stored, unless a test uses another folder. */
export const imageFolder = fileURLToPath(new URL("../../../dist/", import.meta.url))

/** The prefix of all images' names. */
export const imagePrefix = "database-"

const require = createRequire(import.meta.url)

/** What an image depends on: the engine, the migrator, the migrations, the schema, and how its files are made and packed. */
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

/** The name of the image for this code, or for the code below `storage`. */
export const imageName = (storage: URL = new URL("../", import.meta.url)): string => {
  const hash = createHash("sha256")
  for (const url of sources(storage)) {
    const text = readFileSync(url)
    hash.update(`${url.pathname.split("/").at(-1)} ${text.length}\n`).update(text)
  }
  return `${imagePrefix}${hash.digest("hex").slice(0, 16)}.image`
}

/** The path of the image for this code, whether or not it exists; undefined if it cannot be determined, as in a bundle of the sources. */
export const imagePath = (folder: string = imageFolder): string | undefined => {
  try {
    return join(folder, imageName())
  } catch {
    return undefined
  }
}

/*
 * The file contains the SHA-256 of the rest, the length of the index, the index, and the contents one after the other. Each content is
 * compressed separately, so that only one is in memory at a time. A line of the index is a directory (`base/`), or a content: its
 * compressed length, its length before compression, how many zeros follow it, and the files with this content (many files are equal). A
 * segment of the log is 16 MiB of zeros except for its first page.
 */
const hashBytes = 32
const lengthBytes = 4

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/** Only whole blocks of zeros are left out, so that zeros with a meaning are kept. */
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

/** Packs the files of a closed database, except those for which `isLeft` is true. The image is written completely or not at all. */
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
  // Sorted, so that a directory comes before its content.
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

/** Everything but the hash; undefined if there is no such file, or if its content is damaged. */
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

/** Writes a new file. Its zeros are written too, so that the disk has the space when the engine overwrites them. */
const write = (path: string, content: Uint8Array, zeros: number): void => {
  const file = openSync(path, "wx", 0o600)
  try {
    writeFileSync(file, content)
    for (let left = zeros; left > 0; left -= manyZeros.length) writeFileSync(file, manyZeros.subarray(0, left))
  } finally {
    closeSync(file)
  }
}

/** The smallest chunk that the decompressor accepts. */
const minChunkBytes = 64

/**
 * Creates `directory`, which must not exist, from an image, accessible to its owner only and with an identity of its own. Returns false if
 * there is no such image or it cannot be used; then there is no directory either. A disk error is thrown.
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
      // The length is known, so the content is decompressed in one piece instead of joined from small ones.
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
