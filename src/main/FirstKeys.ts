/**
 * What the first start makes, and what cannot be read again, when no terminal is there: a log is read by many and kept for long, so it goes into a file
 * of `DATA_DIR` that the service's user alone can read. It is on the disk before the database takes the keys, since a process that dies in between
 * must not leave a service without a way in.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Data, Effect } from "effect"

/** The file cannot be written, and so nothing was made. */
export class KeysNotKept extends Data.TaggedError("KeysNotKept")<{ readonly message: string }> {}

/** What was generated, and nothing that was given. */
export interface MadeKeys {
  readonly apiKey: string | undefined
  readonly v1: { readonly clientId: string; readonly code: string } | undefined
  /** The link by which the first operator sets up an account; undefined where a password was given. */
  readonly setUp?: string | undefined
}

/** A file that is there, and under its own name once what it holds is true. */
export interface KeptKeys {
  readonly path: string
  readonly confirm: Effect.Effect<void>
  /** Another process has made the first organisation: these open nothing. */
  readonly discard: Effect.Effect<void>
}

/** Read by a shell, too: `. first-start` sets them. */
const textOf = ({ apiKey, setUp, v1 }: MadeKeys): string =>
  [
    "# Made at the first start. They cannot be read again: keep them in a safe place, then remove this file.",
    ...(apiKey === undefined ? [] : [`KEY=${apiKey}`]),
    ...(setUp === undefined ? [] : [`SET_UP='${setUp}'`]),
    ...(v1 === undefined ? [] : [`CLIENT=${v1.clientId}`, `CODE=${v1.code}`]),
    ""
  ].join("\n")

const write = (path: string, text: string): void => {
  const file = openSync(path, "wx", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Writes what was made into `directory`, at first under a name of this process's own: another may be the first as well. */
export const keepFirstKeys =
  (directory: string) =>
  (made: MadeKeys): Effect.Effect<KeptKeys, KeysNotKept> =>
    Effect.try({
      try: () => {
        const path = join(directory, "first-start")
        const scratch = `${path}.${randomBytes(6).toString("hex")}`
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        write(scratch, textOf(made))
        return {
          path,
          confirm: Effect.sync(() => renameSync(scratch, path)),
          discard: Effect.sync(() => rmSync(scratch, { force: true }))
        }
      },
      catch: (error) =>
        new KeysNotKept({
          message:
            `the first keys cannot be kept in ${directory} (${error instanceof Error ? error.message : String(error)}), and there is no terminal to ` +
            "show them on; make it writable, or set BOOTSTRAP_API_KEY, BOOTSTRAP_V1_CLIENT_ID and BOOTSTRAP_V1_CODE"
        })
    })
