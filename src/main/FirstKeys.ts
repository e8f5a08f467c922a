/**
 * Keeps the keys that the first start generates, which cannot be read again, when there is no terminal. A log has many
 * readers and is kept for long, so they go into a file in `DATA_DIR` that only the service's user can read. The file is
 * on disk before the keys are in the database: a process that dies in between must not leave a service without a key.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Data, Effect } from "effect"

/** The file cannot be written, so nothing was created. */
export class KeysNotKept extends Data.TaggedError("KeysNotKept")<{ readonly message: string }> {}

/** The generated values, without those that were given. */
export interface MadeKeys {
  readonly apiKey: string | undefined
  readonly v1: { readonly clientId: string; readonly code: string } | undefined
  /** The link by which the first operator sets up an account; undefined if a password was given. */
  readonly setUp?: string | undefined
}

/** A file that was written. It gets its final name by `confirm`, once its keys are valid. */
export interface KeptKeys {
  readonly path: string
  readonly confirm: Effect.Effect<void>
  /** Removes the file: another process has created the first organisation, so these keys are not valid. */
  readonly discard: Effect.Effect<void>
}

/** The text of the file. A shell can read it too: `. first-start` sets the variables. */
const textOf = ({ apiKey, setUp, v1 }: MadeKeys): string =>
  [
    "# Created at the first start. They cannot be read again: store them in a safe place, then remove this file.",
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

/** Writes the keys into `directory`, first under a unique name, since another process may also be at its first start. */
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
            `the first keys cannot be stored in ${directory} (${error instanceof Error ? error.message : String(error)}), and there is no terminal to ` +
            "show them on; make it writable, or set BOOTSTRAP_API_KEY, BOOTSTRAP_V1_CLIENT_ID and BOOTSTRAP_V1_CODE"
        })
    })
